/// Ends a read whose task is cancelled, from inside a loop over rows. It checks once in some thousand rows, so a row
/// costs one subtraction. Where rows are counted, it stops at each.
///
/// For readers only: a writer may run on a thread on which another task waits.
package struct CancellationCheck {
    private static let rowsBetween = 4096
    private var left: Int
    private let isOn: Bool
    private let work: QueryWork?

    /// - Parameters:
    ///   - isOn: whether it checks at all.
    ///   - work: where rows are counted, if they are.
    package init(isOn: Bool, counting work: QueryWork? = nil) {
        left = work != nil ? 1 : isOn ? Self.rowsBetween : .max
        (self.isOn, self.work) = (isOn, work)
    }

    /// Counts a row.
    ///
    /// - Throws: `cancelled`.
    @inline(__always)
    package mutating func row() throws(StorageError) {
        left &-= 1
        if left == 0 { try look() }
    }

    private mutating func look() throws(StorageError) {
        work?.add(1)
        left = work != nil ? 1 : Self.rowsBetween
        if isOn { try Self.look() }
    }

    /// - Throws: `cancelled` if the caller's task is cancelled.
    package static func look() throws(StorageError) {
        if Task.isCancelled { throw StorageError(.cancelled, "The task was cancelled.") }
    }
}
