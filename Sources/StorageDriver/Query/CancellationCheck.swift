/// Ends a read whose task is cancelled, from inside a loop over rows. It checks once in some thousand rows, so a row
/// costs one subtraction.
///
/// For readers only: a writer may run on a thread on which another task waits.
package struct CancellationCheck {
    private static let rowsBetween = 4096
    private var left: Int

    /// - Parameter isOn: whether it checks at all.
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

    /// - Throws: `cancelled` if the caller's task is cancelled.
    package static func look() throws(StorageError) {
        if Task.isCancelled { throw StorageError(.cancelled, "The task was cancelled.") }
    }
}
