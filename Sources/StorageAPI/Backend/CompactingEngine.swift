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

extension Store {
    /// Gives back the room of what was deleted and replaced. Writes wait until it is done; readers don't.
    ///
    /// - Throws: `unsupported` where the backend has no compaction; `full` or `io` where a copy cannot be written, and the
    ///   store is then as it was. Where the last sync fails, which puts the copy in the store's place, the error is `io`:
    ///   no record is lost, and every later write is refused with `io` until the store is opened again.
    public nonisolated(nonsending) func compact() async throws(StorageError) {
        guard let engine = engine(as: (any CompactingEngine).self) else {
            throw StorageError(
                .unsupported,
                "\(info.name) has no compaction: it gives room back by itself, or keeps it for later records.",
                operation: "compact"
            ).at(backend: info.name)
        }
        try enter("compact")
        let failure = await queue.perform { [gate] () -> StorageError? in
            defer { gate.leave() }
            do throws(StorageError) { try engine.compact() } catch { return error }
            return nil
        }
        if let failure { throw failure.at(operation: "compact", backend: info.name) }
    }
}
