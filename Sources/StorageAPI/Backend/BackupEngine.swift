/// An optional power of an engine: a copy of the store in a file of its own, made while the store is in use.
public protocol BackupEngine: StorageEngine {
    /// Writes the last commit to a file that a backend of the same kind opens. The file is there whole and on the disk
    /// when this returns, or not at all; readers and writers go on.
    ///
    /// - Parameters:
    ///   - path: the file to make.
    ///   - isReplacing: whether a file at the path may be replaced.
    /// - Throws: `io` where there is a file already that is not to be replaced; `full` or `io` where it cannot be written.
    func backUp(to path: String, replacing isReplacing: Bool) throws(StorageError)
}

extension Store {
    /// Writes a copy of the store as of its last commit to a file, while the store is in use.
    ///
    /// ```swift
    /// try await store.backUp(to: "people-2026-11-21.db")
    /// ```
    ///
    /// - Parameters:
    ///   - path: where the file is to be. It is there whole and on the disk when this returns, or not at all.
    ///   - isReplacing: whether a file that is there may be replaced.
    /// - Throws: `unsupported` where the backend keeps no file; `io` where there is a file already that is not to be
    ///   replaced; `full` or `io` where it cannot be written; `closed`.
    public nonisolated(nonsending) func backUp(
        to path: String, replacing isReplacing: Bool = false
    ) async throws(StorageError) {
        do throws(StorageError) {
            guard let engine = engine(as: (any BackupEngine).self) else {
                throw StorageError(.unsupported, "\(info.name) keeps no file that could be copied; copy its models.")
            }
            try gate.enter()
            defer { gate.leave() }
            try engine.backUp(to: path, replacing: isReplacing)
        } catch {
            throw error.at(operation: "backup", backend: info.name)
        }
    }
}
