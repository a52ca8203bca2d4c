/// A session that counts the rows that a query examines. It is separate from ``StorageSession`` because it is optional:
/// the conformance suite uses it to distinguish lookups by a key or an index from scans of all rows.
public protocol WorkCountingSession: StorageSession {
    /// The same rows as ``StorageSession/rows(_:_:)`` returns, and the work for them until the cursor is released.
    func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, counting work: QueryWork
    ) throws(StorageError) -> Cursor
}

/// Counts the work of an engine for a query, in any unit: rows, or steps that grow with the rows. So only
/// counts of one engine compare.
///
/// It belongs to one query, and is used by one thread at a time.
public final class QueryWork {
    private var counted = 0
    private var engineCount: () -> Int = { 0 }

    public init() {}

    /// The work so far.
    public var amount: Int { counted + engineCount() }

    /// Counts rows.
    public func add(_ rows: Int) { counted += rows }

    /// Takes the count of an engine that counts by itself.
    ///
    /// - Parameter count: is asked while the query's cursor exists.
    public func add(from count: @escaping () -> Int) { engineCount = count }
}
