import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageJSON
import Synchronization
import TerminalOutput

/// `storage restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup in the place of a store.",
        discussion: """
            The backup is read whole and checked before anything is replaced. A file of the backup's backend is \
            written beside the store and takes its name when it is complete; it is the same store as the backup. On \
            another backend all models are copied with the history, in one transaction; that is a new store, and models that \
            the backup lacks stay.

            Close the programs that use the store first. A store that is in use is refused as far as that can be seen, and \
            programs that have the replaced file open write nothing more.

            Tokens of the history stay valid in a restored file up to the backup's last commit, and later ones are refused. In \
            a copy on another backend all are refused. A reader of the history, such as an outbox, then reads all records \
            again.

            Examples:
              storage restore people-2026-11-21.db people.db
              storage restore latest.karch archive:people.karch --overwrite
              storage restore people-2026-11-21.db 'postgresql://app@db.example.com/people?schema=app'

            Exit codes: 0 restored; 65 the backup is damaged, or another backend's store has records; 74 the file exists; \
            75 the store is in use.
            """)

    @Argument(help: "The backup, which is not changed.")
    var backup: StoreLocation

    @Argument(help: "The store to write: backend:path, or the path of its file.")
    var store: StoreLocation

    @Flag(name: [.customLong("overwrite"), .customLong("replace")], help: "Replace an existing store.")
    var overwrite = false

    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func run() async throws {
        let progress = ProgressLine(isWanted: !noProgress)
        let command = self
        let restored = try await Interruption.cancelling {
            try await command.backup.with(.reading) { try await command.restore($0, progress) }
        }
        let records = restored.models.reduce(0) { $0 + $1.records }
        let found = "\(restored.models.count.counted("model")) with \(records.counted("record")), verified"
        try result.tell(
            "\(store.shown) is restored from \(backup.shown): \(found).\(restored.tokens)".printable,
            [
                "store": .string(store.shown), "backup": .string(backup.shown), "records": .count(records),
                "token": restored.token.map { .string($0.description) } ?? .null, "isNewStore": .bool(restored.isCopy),
            ])
    }

    private struct Restored: Sendable {
        let models: [ModelDigest]
        /// The history's last token; nil without a history.
        let token: Store.HistoryToken?
        let isCopy: Bool

        var tokens: String {
            guard let token else { return "" }
            return isCopy
                ? " It is a new store: all tokens of the backup's history are refused."
                : " Tokens of its history up to commit \(token.commit) stay valid; later ones are refused."
        }
    }

    private func restore(_ source: Store, _ progress: ProgressLine) async throws -> Restored {
        let url = try StorageURL(backup.readingURL())
        guard let file = try store.file(of: url.scheme) else { return try await copy(source, progress) }
        guard URL(filePath: url.path).resolvingSymlinksInPath() != URL(filePath: file).resolvingSymlinksInPath() else {
            throw ToolError("The backup and the store are the same file.", .usage)
        }
        try NewFile.check(file, mayReplace: overwrite)
        let replaced = ReplacedStore(file, scheme: url.scheme)
        try await replaced.requireUnused()
        let written = try await progress.during("Restoring \(store.shown)") {
            let written = try await source.checkedBackUp(to: replaced.temporaryPath, replacing: false, as: url.scheme)
            do {
                try await replaced.requireUnused()
            } catch {
                unlink(replaced.temporaryPath)
                throw error
            }
            try replaced.place(mayReplace: overwrite)
            return written
        }
        return Restored(models: written.models, token: try await source.lastToken(), isCopy: false)
    }

    /// Copies the backup into a store of another backend.
    private func copy(_ source: Store, _ progress: ProgressLine) async throws -> Restored {
        let hasHistory = try await source.historyStatus() != nil
        try await progress.during("Verifying \(backup.shown)") { try await source.requireSound() }
        let line = RateLine(progress)
        let indexing = IndexingProgress(isWanted: !noProgress)
        return try await store.withTarget(indexing: { indexing.show($0) }) { target in
            let copied = try await target.copy(from: source, replacing: overwrite, history: hasHistory) {
                line.show(
                    "Copying \($0.model)", records: $0.records, Double($0.rows) / Double(max($0.totalRows, 1)))
            }
            progress.clear()
            let stored = try await progress.during("Verifying \(store.shown)") {
                try await target.digests(of: copied.map(\.model))
            }
            guard stored == copied else {
                throw ToolError("The stored records differ from the backup; run verify on both.", .data)
            }
            return Restored(models: copied, token: try await target.lastToken(), isCopy: true)
        }
    }
}

extension Store {
    /// The token of the history's last commit; nil without a history.
    fileprivate func lastToken() async throws -> HistoryToken? {
        try await historyStatus() == nil ? nil : await historyToken()
    }

    /// - Throws: if verification finds a problem.
    fileprivate func requireSound() async throws {
        let problems = Mutex<[StoreProblem]>([])
        try await verify { problem in problems.withLock { $0.append(problem) } }
        if let first = problems.withLock(\.first) {
            throw ToolError("The backup is not sound, and was not restored: \(first.description)", .data)
        }
    }
}

/// The file of an existing store whose place a restored one takes.
private struct ReplacedStore: Sendable {
    /// The path of the restored file until it gets its name.
    let temporaryPath: String
    private let path: String
    private let scheme: String

    init(_ path: String, scheme: String) {
        self.path = URL(filePath: path).resolvingSymlinksInPath().path
        self.scheme = scheme
        temporaryPath = "\(self.path).\(UUID().uuidString).restored"
    }

    /// Opens the store for writing and closes it, which brings all commits into its file.
    ///
    /// - Throws: `busy` or `locked` if another program has it; otherwise a store that cannot be opened is no obstacle.
    func requireUnused() async throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        do throws(StorageError) {
            let store = try await Store(
                url: "\(scheme):\(StoreLocation.escaped(path))", backends: StoreLocation.backends)
            try await store.close()
        } catch {
            if error.code == .busy || error.code == .locked { throw error }
            return
        }
        // The last connection that closes a database removes its log.
        if FileManager.default.fileExists(atPath: path + "-wal") {
            throw ToolError("\(path) is in use by another program; close it first.", .busy)
        }
    }

    /// Renames the restored file, and waits until its name is on the disk.
    func place(mayReplace: Bool) throws {
        do {
            try NewFile.check(path, mayReplace: mayReplace)
            // A log that is left of a damaged database would be applied to the file that takes its name. Until then the database
            // may need it.
            for suffix in Self.logs where rename(path + suffix, aside(suffix)) != 0 && errno != ENOENT { throw failure }
            guard rename(temporaryPath, path) == 0 else { throw failure }
        } catch {
            for suffix in Self.logs { rename(aside(suffix), path + suffix) }
            unlink(temporaryPath)
            throw error
        }
        for suffix in Self.logs { unlink(aside(suffix)) }
        try OpenFile.syncFolder(of: path, SystemFileLayer())
    }

    private static let logs = ["-wal", "-shm", "-journal"]

    /// The name of a log while the file is replaced.
    private func aside(_ suffix: String) -> String { temporaryPath + suffix + "-replaced" }

    private var failure: ToolError {
        ToolError("\(path) cannot be replaced: \(String(cString: strerror(errno))).", .io)
    }
}

extension StoreLocation {
    /// The path of a store's file of a backend; nil if the location names another backend.
    fileprivate func file(of scheme: String) throws -> String? {
        if let url = try? StorageURL(text), Self.backends.contains(where: { $0.scheme == url.scheme }) {
            return url.scheme == scheme ? url.path : nil
        }
        // A path without a backend may have another backend's store.
        guard FileManager.default.fileExists(atPath: text), let url = try? StorageURL(readingURL()) else { return text }
        return url.scheme == scheme ? text : nil
    }
}
