internal import StorageDriver

// What the engine can do beyond the contract and compaction.

extension ArchiveEngine: CheckingEngine {
    /// Reads the file again from its beginning: every frame's checksum, every trailer, every entry.
    func findDamage() throws(StorageError) -> [String] {
        try fileSnapshot()?.findDamage() ?? []
    }
}

extension ArchiveEngine: BackupEngine {
    /// Commits are only added, so the bytes up to the last one's end are a store whatever comes meanwhile; where the file is
    /// rewritten, what is open stays as it was.
    func backUp(to path: String, replacing isReplacing: Bool) throws(StorageError) {
        guard let snapshot = try fileSnapshot() else {
            throw StorageError(.io, "The store has no file yet; it begins with the first commit.")
        }
        let permissions = try snapshot.file.status().permissions
        let file = try PublishedFile(path, over: isReplacing ? .anyFile : .nothing, permissions: permissions)
        try snapshot.copy(to: file.file)
        try file.publish()
    }
}
