internal import StorageDriver

/// Hands out the entries of sound commits.
struct CommitReader {
    private let window: FileWindow
    private let buffer = ByteBuffer()
    private let scratch = ByteBuffer()

    init(_ window: FileWindow) { self.window = window }

    /// Calls `each` with the commit's entries in order. Returns the problem if a store would not write them so. Throws
    /// errors of reading the file and of `each`.
    func read(
        _ commit: Commit, each: (Entry) throws(StorageError) -> Void
    ) throws(StorageError) -> StorageError? {
        guard commit.frames > 0 else { return nil }
        var thrown: StorageError?
        do throws(StorageError) {
            try decode(commit) { (entry) throws(StorageError) in
                do throws(StorageError) { try each(entry) } catch {
                    thrown = error
                    throw error
                }
            }
            return nil
        } catch {
            if let thrown { throw thrown }
            guard error.code == .corrupt else { throw error }
            return StoreDamage.error(window.file.path, at: commit.range.lowerBound, error.message)
        }
    }

    private func decode(
        _ commit: Commit, each: (Entry) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard commit.trailer.contents <= UInt64(commit.frames) * UInt64(StoreFormat.largestFrameContents) else {
            throw EntryParser.damaged("its contents are too large for its frames")
        }
        let frames = try FrameReader(commit.trailer.codec, window: window, range: commit.range, scratch: scratch)
        let parser = EntryParser(commit: commit.trailer.sequence, buffer)
        var rest = commit.trailer.contents
        while let block = try frames.next() {
            guard block.count <= rest else { throw EntryParser.damaged("it has more contents than its trailer says") }
            rest -= UInt64(block.count)
            try parser.parse(block, each: each)
        }
        guard rest == 0 else { throw EntryParser.damaged("it has less contents than its trailer says") }
        try parser.finish()
    }
}

/// The sentences about damaged files.
enum StoreDamage {
    static func error(_ path: String, at offset: Int64, _ reason: String) -> StorageError {
        StorageError(
            .corrupt,
            "\(path) is damaged in the commit at byte \(offset): \(reason). Restore a backup, or open it for salvage, "
                + "which reads what is whole. The file was not changed.")
    }

    static func noStore(_ path: String) -> StorageError {
        StorageError(
            .corrupt,
            "\(path) is not a store file, or is damaged in its first commit, at byte 0; check the path, restore a backup, "
                + "or open it for salvage. The file was not changed.")
    }

    static func cut(_ path: String, at end: Int64, behind commit: Int64, of length: Int64) -> StorageError {
        let missing =
            length == .max
            ? "" : "; it had \(length), of which \(length - commit) are lost after the last complete commit"
        return StorageError(
            .corrupt,
            "\(path) was cut: it ends at byte \(end)\(missing). Restore a backup, or open it for salvage, which reads what is "
                + "whole. The file was not changed.")
    }

    static func newer(_ path: String, _ version: UInt16) -> StorageError {
        StorageError(
            .schemaNewer,
            "\(path) has version \(version) of the store file's format, and this program knows up to "
                + "\(StoreFormat.version); use a newer version of the toolkit. The file was not changed.")
    }
}
