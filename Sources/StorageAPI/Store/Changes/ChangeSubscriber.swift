import StorageDriver

/// Follows the changes of a transaction, and may write rows of its own to the session below the capture.
///
/// It learns of each change before it is made. What it writes is in the same transaction and the same savepoints.
protocol ChangeSubscriber: AnyObject {
    /// Returns whether it follows the changes of a model.
    func follows(_ model: StoredName) -> Bool

    /// Returns whether it follows the changes that a plan makes. It is asked only for models that it follows.
    func follows(_ plan: WritePlan) -> Bool

    /// Returns whether it receives a model's records as they are before they change.
    func needsRecords(of model: StoredName) -> Bool

    /// Called for each record of a batch that is about to change.
    ///
    /// - Parameter before: the record as it is, if it is stored and needed.
    func willChange(_ kind: ChangeKind, _ key: [Value], of model: StoredName, before: RecordImage?)

    /// Called before a batch is written, when all its records are known.
    func willWrite() throws(StorageError)

    /// Called before all records of a model go at once.
    func willReplaceAll(of model: StoredName) throws(StorageError)

    /// Called when other records have taken the place of all that went.
    func didReplaceAll(of model: StoredName) throws(StorageError)

    /// Called before the commit, after the database has changed records of a model by itself, of which nothing else is known.
    ///
    /// - Throws: `unsupported` if the subscriber must know them.
    func didReact(in model: StoredName) throws(StorageError)

    /// Called when tables have changed.
    func didChangeTables()

    func beginSavepoint()
    func endSavepoint(isUndone: Bool)

    /// Called before the commit, when the net effect is known.
    func willCommit(_ changes: ChangeSet) throws(StorageError)

    /// A closure that is called once the transaction is committed; nil for none. It is asked for after ``willCommit(_:)``.
    var afterCommit: (() -> Void)? { get }
}

extension ChangeSubscriber {
    func follows(_ plan: WritePlan) -> Bool { true }
    var afterCommit: (() -> Void)? { nil }
}
