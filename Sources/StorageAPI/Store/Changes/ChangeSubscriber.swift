import StorageDriver

/// Follows the changes of a transaction, and may write additional rows to the session below the capture.
///
/// It receives each change before it is made. Its writes belong to the same transaction and the same savepoints.
protocol ChangeSubscriber: AnyObject {
    /// Returns whether the subscriber follows the changes of a model.
    func follows(_ model: StoredName) -> Bool

    /// Returns whether it follows the changes that a plan makes. Called only for models that it follows.
    func follows(_ plan: WritePlan) -> Bool

    /// Returns whether the subscriber needs a model's records as they are before they change.
    func needsRecords(of model: StoredName) -> Bool

    /// Called for each record of a batch that is about to change.
    ///
    /// - Parameter before: the record as it is, if it is stored and needed.
    func willChange(_ kind: ChangeKind, _ key: [Value], of model: StoredName, before: RecordImage?)

    /// Called before a batch is written, when all its records are known.
    func willWrite() throws(StorageError)

    /// Called before all records of a model are removed at once.
    func willReplaceAll(of model: StoredName) throws(StorageError)

    /// Called when other records have replaced all records of a model.
    func didReplaceAll(of model: StoredName) throws(StorageError)

    /// Called before the commit, if the database has changed records of a model by itself, so that the individual changes
    /// are unknown.
    ///
    /// - Throws: `unsupported` if the subscriber must know them.
    func didReact(in model: StoredName) throws(StorageError)

    /// Called when tables have changed.
    func didChangeTables()

    /// True if it may learn of changes when all transactions of its group have run.
    var canWait: Bool { get }

    /// True if it learns of changes before the stored records are known. The kinds are then as the calls name them.
    var isToldEarly: Bool { get }

    /// Called before the records of a change are asked for, if it learns of the change only when all transactions have run.
    ///
    /// - Returns: false if it has to know the change at once.
    func willWait() throws(StorageError) -> Bool

    /// Called if it learns of changes only when all transactions have run, and when that is no longer so.
    func setWaiting(_ isWaiting: Bool)

    func beginSavepoint()
    func endSavepoint(isUndone: Bool)

    /// Called before the commit, when the net effect is known.
    func willCommit(_ changes: ChangeSet) throws(StorageError)

    /// A closure to call once the transaction is committed; nil for none. Read after ``willCommit(_:)``.
    var afterCommit: (() -> Void)? { get }
}

extension ChangeSubscriber {
    func follows(_ plan: WritePlan) -> Bool { true }
    var canWait: Bool { false }
    var isToldEarly: Bool { false }
    func willWait() throws(StorageError) -> Bool { true }
    func setWaiting(_ isWaiting: Bool) {}
    var afterCommit: (() -> Void)? { nil }
}
