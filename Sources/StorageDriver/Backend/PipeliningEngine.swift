/// An optional power of an engine: running a transaction while the disk takes the one before.
///
/// Writers that wait in the meantime are then not kept from their work by the disk, and one sync may do for several
/// commits. The engine's own part is small; that nobody is told of a commit too early is the store's.
package protocol PipeliningEngine: StorageEngine {
    /// Runs the body in a transaction as ``StorageEngine/write(_:)`` does, but returns before what it did is durable.
    ///
    /// The next transaction sees what this one did, readers don't before ``PendingCommit/finish()``.
    ///
    /// - Throws: what `write` throws but for what waiting meets; nothing is then done.
    func writeAhead(
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> any PendingCommit
}

/// A transaction that has run and is perhaps not durable yet.
package protocol PendingCommit: Sendable {
    /// Waits until the commit is durable, and lets readers see it. The store finishes commits one after the other in the
    /// order of their transactions, each once, on any thread; a transaction may run meanwhile, but not
    /// ``StorageEngine/close()``.
    ///
    /// - Throws: why the commit is not known to be durable. The engine then takes no transaction any more, and the commits
    ///   behind throw too: they may stand on this one.
    func finish() throws(StorageError)
}
