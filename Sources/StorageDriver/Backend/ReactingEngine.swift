/// An optional feature of an engine whose database may change rows by itself, by triggers, actions of foreign keys or
/// rules that others have declared. An engine whose tables no one else can alter does not need it.
///
/// The store asks in each transaction that writes, so an engine without such declarations should answer at no cost:
///
/// ```
/// var mayReact: Bool { triggers.load(ordering: .relaxed) > 0 }   // counted when the tables are read
/// ```
public protocol ReactingEngine: StorageEngine {
    /// A Boolean value that indicates whether the database has declarations that change rows by themselves, as far as
    /// the current transaction knows. Name them in the reason for the lacking ``BackendInfo/Capability/knownChanges``.
    var mayReact: Bool { get }
}

/// The writing session of a ``ReactingEngine``.
public protocol ReactingWriter: StorageWriter {
    /// Returns whether the database may have changed rows of a table by itself in this transaction. The store then
    /// rereads the records that a call returns.
    func mayHaveReacted(in table: TableSchema) -> Bool

    /// Begins to note rows that the database changes by itself.
    func watchReactions()

    /// Returns the names of the tables whose rows the database has changed by itself since ``watchReactions()``. It is asked
    /// before the commit.
    ///
    /// Leave out changes of rows that the batches of the transaction have written, as long as the rows stay: the store
    /// reads these afterwards. A table too many costs observers a read, and may refuse a call.
    func reactions() throws(StorageError) -> Set<String>
}
