public import StorageDriver

// Optional features of engines, each a protocol.
extension Store {
    /// The open engine as the protocol of an optional feature; nil if it does not conform.
    public func engine<E>(as _: E.Type) -> E? { engine as? E }

    /// Calls a closure with the open engine, for features that only that engine offers. The store is not closed in the
    /// meantime.
    ///
    /// - Parameters:
    ///   - power: the protocol of the feature, such as `(any UnsafeSQLiteHandle).self`.
    ///   - body: runs on the caller's thread.
    /// - Throws: `unsupported` if the engine does not conform to the protocol; `busy` inside another closure of the
    ///   store; `closed`; errors of the closure.
    public nonisolated(nonsending) func withEngine<E, T>(as power: E.Type, _ body: (E) throws -> T) async throws -> T {
        guard let engine = engine as? E else {
            throw StorageError(.unsupported, "The store is on \(info.name), which is not a \(power).").at(
                backend: info.name)
        }
        return try lending("withEngine") { try body(engine) }
    }

    /// Frees the space of deleted and replaced records. Writes wait until it is done; reads do not.
    ///
    /// - Throws: `unsupported` if the backend has no compaction; `full` or `io` if a copy cannot be written, and the
    ///   store is then unchanged. If the last sync fails, after the copy has replaced the store, the error is `io`: no
    ///   record is lost, and every later write throws `io` until the store is reopened.
    public nonisolated(nonsending) func compact() async throws(StorageError) {
        guard let engine = engine(as: (any CompactingEngine).self) else {
            throw StorageError(
                .unsupported,
                "\(info.name) has no compaction: it frees space by itself, or reuses it for later records.",
                operation: "compact"
            ).at(backend: info.name)
        }
        try enter("compact")
        let failure = await queue.perform { [runningCalls] () -> StorageError? in
            defer { runningCalls.end() }
            do throws(StorageError) { try engine.compact() } catch { return error }
            return nil
        }
        if let failure { throw failure.at(operation: "compact", backend: info.name) }
    }

    /// Writes a copy of the store as of its last commit to a file, while the store is in use.
    ///
    /// ```swift
    /// try await store.backUp(to: "people-2026-11-21.db")
    /// ```
    ///
    /// - Parameters:
    ///   - path: the file to create. When this returns, the complete file is on the disk; if it throws, no new file is
    ///     left.
    ///   - isReplacing: whether an existing file may be replaced.
    /// - Throws: `unsupported` if the backend has no files; `io` if a file exists and must not be replaced; `full` or
    ///   `io` if the file cannot be written; `closed`.
    public nonisolated(nonsending) func backUp(
        to path: String, replacing isReplacing: Bool = false
    ) async throws(StorageError) {
        do throws(StorageError) {
            guard let engine = engine(as: (any BackupEngine).self) else {
                throw StorageError(.unsupported, "\(info.name) has no file to copy; copy its models.")
            }
            try await reads { () throws(StorageError) in
                try self.runningCalls.begin()
                defer { self.runningCalls.end() }
                try engine.backUp(to: path, replacing: isReplacing)
            }
        } catch {
            throw error.at(operation: "backup", backend: info.name)
        }
    }
}
