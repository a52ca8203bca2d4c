/// Ends a read whose task is cancelled, from the inside of a loop over rows. It looks once in some thousand rows, so a row
/// costs a subtraction.
///
/// For readers alone: what writes may run on a thread that another task waits on.
package struct CancellationCheck {
    private static let rowsBetween = 4096
    private var left: Int

    /// - Parameter isOn: whether it ever looks.
    package init(isOn: Bool) { left = isOn ? Self.rowsBetween : .max }

    /// Counts a row.
    ///
    /// - Throws: `cancelled`.
    @inline(__always)
    package mutating func row() throws(StorageError) {
        left &-= 1
        if left == 0 { try look() }
    }

    private mutating func look() throws(StorageError) {
        left = Self.rowsBetween
        try Self.look()
    }

    /// - Throws: `cancelled` where the task that the caller runs in is.
    package static func look() throws(StorageError) {
        if Task.isCancelled { throw StorageError(.cancelled, "The task was cancelled.") }
    }
}
