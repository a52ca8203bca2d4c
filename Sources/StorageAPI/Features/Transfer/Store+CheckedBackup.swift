public import StorageDriver
import Synchronization

extension Store {
    /// The result of a backup that was checked.
    public struct CheckedBackup: Hashable, Sendable {
        /// The digest of each model in the backup.
        public let models: [ModelDigest]
        /// The stored names of the models that could not be compared with the store, because it was written meanwhile and keeps
        /// no history of their records. In the backup they were checked like the others.
        public let changedMeanwhile: [String]
    }

    /// Writes a backup, as ``backUp(to:replacing:)`` does, and checks it before it gets its name: an existing backup is replaced by
    /// none that cannot be read.
    ///
    /// ```swift
    /// let checked = try await store.backUp(to: "people-2026-11-27.db") { path throws(StorageError) in
    ///     try await Store(SQLiteBackend(path: path, isReadOnly: true))
    /// }
    /// ```
    ///
    /// The backup is opened, read as ``verify(_:)`` reads a store, and compared with the store by digests of one moment: the digests
    /// of the store before the backup was written, or after it, if no write came between; otherwise the digests as of the
    /// backup's last commit, if the store keeps the records of a model. Expired records count in both.
    ///
    /// Costs a digest of the store, or two if it is written meanwhile, and of the backup, and its verification.
    ///
    /// - Parameters:
    ///   - path: the file to create. It gets its name when it is checked and on the disk; after an error, no new file is
    ///     left.
    ///   - isReplacing: whether an existing file may be replaced.
    ///   - open: opens a file as a store. Open it for reading alone: the file must stay as it is.
    /// - Throws: as ``backUp(to:replacing:)``; `corrupt`, with the first problem, if the backup is damaged, or differs from the store;
    ///   errors of the closure.
    @discardableResult
    public nonisolated(nonsending) func backUp(
        to path: String, replacing isReplacing: Bool = false,
        checkedBy open: (_ path: String) async throws(StorageError) -> Store
    ) async throws(StorageError) -> CheckedBackup {
        // An engine without backups says so before anything is read.
        guard engine(as: (any BackupEngine).self) != nil else {
            try await backUp(to: path, replacing: isReplacing)
            return CheckedBackup(models: [], changedMeanwhile: [])
        }
        let file = try UncheckedFile(path, isReplacing: isReplacing)
        do throws(StorageError) {
            let before = try await digests()
            try await backUp(to: file.path)
            let copy = try await open(file.path)
            let checked: CheckedBackup
            do throws(StorageError) {
                try await BackupCheck.requireSound(copy)
                checked = try await BackupCheck(store: self, copy: copy).compare(before)
            } catch {
                // The caller needs the finding of the check.
                try? await copy.close()
                throw error
            }
            try await copy.close()
            try file.place()
            return checked
        } catch {
            file.remove()
            throw error.at(operation: "backup", backend: info.name)
        }
    }
}

/// The comparison of a backup with its store.
private struct BackupCheck {
    let store: Store
    let copy: Store

    /// - Throws: `corrupt` with the first problem that verification finds.
    static nonisolated(nonsending) func requireSound(_ copy: Store) async throws(StorageError) {
        let problems = Problems()
        try await copy.verify { problems.add($0) }
        guard let first = problems.first else { return }
        let others = problems.count > 1 ? ", and has \(problems.count - 1) more problems" : ""
        throw StorageError(
            .corrupt, "The backup is not sound\(others): \(first.message)", model: first.model, key: first.key,
            property: first.property)
    }

    /// - Parameter before: the digests of the store before the backup was written.
    nonisolated(nonsending) func compare(_ before: [ModelDigest]) async throws(StorageError) -> Store.CheckedBackup {
        let copied = try await copy.digests()
        guard copied != before else { return Store.CheckedBackup(models: copied, changedMeanwhile: []) }
        let after = try await store.digests()
        guard copied != after else { return Store.CheckedBackup(models: copied, changedMeanwhile: []) }
        let names = copied.map(\.model)
        var changed: [String] = []
        for model in names + before.map(\.model).filter({ !names.contains($0) }) {
            func digest(_ digests: [ModelDigest]) -> ModelDigest? { digests.first { $0.model == model } }
            let (then, now, own) = (digest(before), digest(after), digest(copied))
            if own == then || own == now { continue }
            guard then != now else { throw differs(model) }
            switch try await isAsStored(own, model) {
            case true?: continue
            case false?: throw differs(model)
            case nil: changed.append(model)
            }
        }
        return Store.CheckedBackup(models: copied, changedMeanwhile: changed)
    }

    /// Returns whether the store had the backup's records of a model after the backup's last commit; nil if that is unknown.
    private nonisolated(nonsending) func isAsStored(
        _ digest: ModelDigest?, _ model: String
    ) async throws(StorageError) -> Bool? {
        guard let digest, let status = try await copy.historyStatus(), status.records.contains(model) else {
            return nil
        }
        // The history has other numbers for the rows of recursive types.
        let hasNumbers = try await copy.schema().contains { table in
            table.path.first == model && table.columns.contains { $0.role == .node }
        }
        guard !hasNumbers else { return nil }
        do throws(StorageError) {
            return try await store.digests(of: [model], asOf: .token(copy.historyToken())) == [digest]
        } catch {
            switch error.code {
            case .notKept, .invalidValue, .configuration, .schemaMismatch, .invalidQuery: return nil
            default: throw error
            }
        }
    }

    private func differs(_ model: String) -> StorageError {
        StorageError(.corrupt, "The backup's records of \(model) differ from the store's; back up again.", model: model)
    }

    private final class Problems: Sendable {
        private let state = Mutex<(first: StoreProblem?, count: Int)>((nil, 0))

        var first: StoreProblem? { state.withLock { $0.first } }
        var count: Int { state.withLock { $0.count } }

        func add(_ problem: StoreProblem) {
            state.withLock { $0 = ($0.first ?? problem, $0.count + 1) }
        }
    }
}

/// A file under a temporary name, which gets its name when it is checked.
private struct UncheckedFile {
    /// The temporary path, in the folder of the file.
    let path: String
    private let destination: String
    private let isReplacing: Bool
    private let layer = SystemFileLayer()

    /// - Throws: `io` if a file exists and must not be replaced.
    init(_ path: String, isReplacing: Bool) throws(StorageError) {
        destination = try OpenFile.place(of: path, layer)
        self.isReplacing = isReplacing
        self.path = "\(destination).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
        if !isReplacing, try OpenFile.status(at: destination, layer) != nil { throw isTaken }
    }

    /// Renames the file, and waits until its name is on the disk.
    func place() throws(StorageError) {
        if isReplacing, try OpenFile.status(at: destination, layer)?.isRegular == false { throw isTaken }
        do throws(SystemError) {
            try layer.rename(path, to: destination, replacing: isReplacing)
        } catch {
            throw error.isExistingFile ? isTaken : FileFailure.error(error, destination)
        }
        try OpenFile.syncFolder(of: destination, layer)
    }

    func remove() { try? layer.remove(path) }

    private var isTaken: StorageError {
        StorageError(.io, "\(destination) exists already; name another file, or allow replacing it.")
    }
}
