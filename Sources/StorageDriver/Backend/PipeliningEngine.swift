/// An optional feature of an engine: it runs a transaction while the disk writes the one before.
///
/// Waiting writers then need not wait for the disk, and one sync may serve several commits. The store makes sure that
/// no caller learns of a commit before it is durable. Examples/OutsideBackend has a whole one, `PipelinedBackend`.
public protocol PipeliningEngine: StorageEngine {
    /// Runs the body in a transaction as ``StorageEngine/write(_:)`` does, but returns before the commit is durable.
    ///
    /// The next transaction sees its changes. Readers see them only after ``PendingCommit/finish()``.
    ///
    /// - Throws: the errors of `write`, except errors of waiting for the disk. The transaction then has no effect.
    func writeAhead(
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> any PendingCommit
}

/// A transaction that has run and may not be durable yet.
public protocol PendingCommit: Sendable {
    /// Waits until the commit is durable, and lets readers see it. The store finishes commits one after the other in the
    /// order of their transactions, each once, on any thread; a transaction may run meanwhile, but not
    /// ``StorageEngine/close()``.
    ///
    /// - Throws: why the commit is not known to be durable. The engine then accepts no more transactions, and later
    ///   commits throw too, since they may depend on this one.
    func finish() throws(StorageError)
}
