import StorageDriver

/// Learns of the calls of a transaction, and decides on its deletions, for the layers above the sessions.
///
/// Used only by the thread that runs the transaction.
package protocol TransactionHooks: AnyObject {
    /// Called when the transaction begins.
    func begin(_ context: TransactionContext)

    /// True if rows of the running call were changed before they were written.
    var hasChangedRows: Bool { get }

    /// True if a layer decides on deletions of a model's records.
    func decidesDeletions(of model: StoredName) -> Bool

    /// The keys of the records to delete, among the records that a call or the rule of a reference deletes.
    func deletable(_ keys: [[Value]], of model: ModelHandle) throws(StorageError) -> [[Value]]

    /// Called at the end of each call, inside its savepoint.
    func callWillEnd() throws(StorageError)

    /// Called when the transaction has ended.
    func end()
}

/// Captures the changes of a transaction, for the layers above the sessions.
///
/// Used only by the thread that runs the transaction.
package protocol TransactionCapture: AnyObject {
    /// The author of the transaction, and its purpose.
    var signature: CommitSignature { get }

    /// The subscriber of a type; nil if the changes have no such subscriber.
    func subscriber<S: AnyObject>(_ type: S.Type) -> S?

    /// Lets the subscriber of a type follow the changes no further.
    func remove<S: AnyObject>(_ type: S.Type)

    /// Captures that all records of a model are about to be replaced by rows that pass by.
    func willReplaceAll(of model: StoredName) throws(StorageError)

    /// Captures that other records have taken the place of all that a model had.
    func didReplaceAll(of model: StoredName) throws(StorageError)
}
