import StorageDriver

/// The origin of a write, for layers that leave copied and restored values as they are.
package enum WriteOrigin {
    /// A call of the program.
    case call
    /// The undoing of a commit.
    case undo
    /// The removal of expired records, on which no layer decides.
    case expiry
    /// A copy of whole models from another store.
    case copy
}

/// Learns of the calls of a transaction, and decides on its deletions, for the layers above the sessions.
///
/// Used by one thread: the one that runs the transaction.
package protocol TransactionHooks: AnyObject {
    var origin: WriteOrigin { get set }

    /// True if rows of the running call were changed before they were written.
    var hasChangedRows: Bool { get }

    /// True if a layer decides on deletions of a model's records.
    func decidesDeletions(of model: String) -> Bool

    /// The keys of the records to delete, of those that a call or a rule of a reference deletes.
    func deletable(_ keys: [[Value]], of model: ModelHandle) throws(StorageError) -> [[Value]]

    /// Called at the end of each call, inside its savepoint.
    func callWillEnd() throws(StorageError)

    /// Called when the transaction has ended.
    func end()
}
