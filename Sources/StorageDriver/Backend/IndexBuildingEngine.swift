/// An optional feature of an engine: it makes the indexes of large tables beside writers, outside the transaction that
/// declares them.
///
/// An engine whose indexes stop writers only for a moment does not need it. With it, the store calls
/// ``buildUniqueIndexes(for:isPatient:_:)`` before a transaction that changes tables, and ``buildIndexes(isPatient:_:)`` after
/// it and after it has opened:
///
/// ```
/// func buildIndexes(
///     isPatient: Bool, _ progress: @escaping @Sendable (IndexProgress) -> Void
/// ) throws(StorageError) {
///     for index in try recordedIndexes() where try !isComplete(index) { try build(index, progress) }   // no turn is held
/// }
/// ```
///
/// A change of a table may leave out an index that makes queries faster. It never leaves out a unique index.
public protocol IndexBuildingEngine: StorageEngine {
    /// Makes the indexes of properties that become unique, while others write. Called outside a transaction. The changes
    /// are carried out afterwards, or never; then the engine removes the indexes by itself.
    ///
    /// - Parameters:
    ///   - changes: the changes that the next transaction is going to make.
    ///   - isPatient: whether to wait for transactions of others as long as they take. Otherwise the engine waits for its
    ///     timeout, because the caller may have a transaction itself, and leaves the indexes to the next transaction.
    ///   - progress: called now and then, on any thread.
    /// - Returns: the columns of the changed tables whose values the engine keeps unique from now on. The store checks the
    ///   values of the others.
    /// - Throws: `constraint` if values are equal; `cancelled`; errors of the engine. The store is then unchanged.
    func buildUniqueIndexes(
        for changes: [TableChange], isPatient: Bool, _ progress: @escaping @Sendable (IndexProgress) -> Void
    ) throws(StorageError) -> [UniqueColumn]

    /// A Boolean value that indicates whether a change of tables may have left indexes to be made. Reading it takes no time.
    var hasUnbuiltIndexes: Bool { get }

    /// Makes the indexes that changes of tables have left, while others write. Returns at once if another program makes them.
    ///
    /// - Parameters:
    ///   - isPatient: whether to wait for transactions of others as long as they take. Otherwise the engine waits for its timeout.
    ///   - progress: called now and then, on any thread.
    /// - Throws: `cancelled`; `busy` after the timeout; errors of the engine. A later call makes the missing indexes.
    func buildIndexes(
        isPatient: Bool, _ progress: @escaping @Sendable (IndexProgress) -> Void
    ) throws(StorageError)
}

/// A column that an engine keeps unique.
public struct UniqueColumn: Hashable, Sendable {
    /// The name of the table.
    public let table: String
    /// The name of the column.
    public let column: String

    /// A column of a table, by the names of both.
    public init(table: String, column: String) { (self.table, self.column) = (table, column) }
}

/// The progress of an index that is being made beside writers.
public struct IndexProgress: Hashable, Sendable {
    /// The stored name of the model.
    public let model: String
    /// The stored name of the property.
    public let property: String
    /// The engine's word for its current step, such as `building index` or `waiting for old snapshots`.
    public let step: String
    /// The number of blocks or rows that the step has done.
    public let done: Int
    /// The number of all of them; 0 while the engine waits for transactions of others.
    public let total: Int

    /// Progress within a step.
    public init(model: String, property: String, step: String, done: Int, total: Int) {
        (self.model, self.property, self.step, self.done, self.total) = (model, property, step, done, total)
    }
}
