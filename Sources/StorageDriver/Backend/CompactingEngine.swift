/// An optional power of an engine: giving back the room of what was deleted and replaced.
public protocol CompactingEngine: StorageEngine {
    /// Rewrites the store to as little room as it needs, all or nothing. Costs about as much as writing all records;
    /// readers go on.
    ///
    /// - Throws: `full` or `io`; the store is then as it was, and goes on. Where the new store has taken the old one's
    ///   place and it is not known whether the disk has that (a folder's sync failed), the error is `io`, no record is
    ///   lost, and every later write is refused with `io` until the store is opened again.
    func compact() throws(StorageError)
}
