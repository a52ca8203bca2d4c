internal import Logging
internal import StorageDriver
import Synchronization

/// An open store file: its tables in memory, and the file to which commits are appended.
final class ArchiveEngine: PipeliningEngine, CompactingEngine {
    private let configuration: ArchiveBackend
    private let logger: Logger
    /// The version of the file's format, and the remarks from opening it.
    private let version: UInt16
    private let remarks: [String]
    /// Nil unless each query and commit is logged.
    private let trace: QueryTrace?
    /// The tables that readers see, as of the last commit that was waited for.
    private let committed: Mutex<ArchiveTables>
    /// The number of times that the tables of another process's commits were read.
    private let refreshes = Atomic(0)
    private let writer: Mutex<EngineState>

    struct EngineState: ~Copyable {
        /// Nil once the engine is closed.
        var file: StoreFile?
        /// Follows other processes; nil if none may write.
        var follower: StoreFollower?
        /// The tables that the next commit starts from, as of the last commit that was written.
        var tables: ArchiveTables
        /// The mapping of each model's records to entries, as of the last commit.
        var archives: [ModelArchive]
        var usage: FileUsage
        let builder = RowBuilder()
        let written = WrittenKeys()
    }

    init(_ configuration: ArchiveBackend, layer: any FileLayer, logger: Logger) throws(StorageError) {
        self.configuration = configuration
        self.logger = logger
        let opening = StoreOpening(configuration: configuration, layer: layer, logger: logger)
        let opened = try opening.open()
        let (file, loader) = opened
        var usage = loader.usage
        if file.mustBeRewritten { usage = try Self.rewrite(file, tables: loader.tables, archives: loader.archives) }
        (version, remarks, trace) = (file.version, file.found.remarks, QueryTrace(logger))
        committed = Mutex(loader.tables)
        let follower = configuration.access == .readOnly ? StoreFollower(opening, opened) : nil
        writer = Mutex(
            EngineState(
                file: file, follower: follower, tables: follower == nil ? loader.tables : ArchiveTables(),
                archives: loader.archives, usage: usage))
    }

    var info: BackendInfo {
        var lacking: [BackendInfo.Capability: String] = [
            .sharing: "One process writes a store file at a time; others may open it read-only."
        ]
        if configuration.access == .readWrite {
            lacking[.foreignCommits] = "No other process writes a file that is open for writing."
        }
        if configuration.access != .readWrite { lacking[.writing] = "The store file was opened read-only." }
        return BackendInfo(
            name: ArchiveBackend.scheme, location: configuration.path,
            format: "store file \(version)", lacking: lacking, limits: BackendInfo.Limits(valueBytes: 48 << 20),
            remarks: remarks)
    }

    // A reader holds the current tables. They are values: a writer changes copies.
    func reader(_: ReadScope) throws(StorageError) -> any StorageReader {
        let tables = configuration.access == .readOnly ? try follow() : committed.withLock { $0 }
        return ArchiveReader(tables, trace)
    }

    /// Reads the commits of another process.
    private func follow() throws(StorageError) -> ArchiveTables {
        try withFile { (state, _) throws(StorageError) in
            let letGo = { self.committed.withLock { $0 = ArchiveTables() } }
            if let tables = try state.follower?.refresh(letGo: letGo) {
                state.file = state.follower?.file
                refreshes.add(1, ordering: .relaxed)
                committed.withLock { $0 = tables }
            }
            return committed.withLock { $0 }
        }
    }

    // MARK: Writing

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        try writeAhead(body).finish()
    }

    func writeAhead(
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> any PendingCommit {
        try withFile { (state, file) throws(StorageError) in
            // A file that has failed takes no more commits, and throws before the transaction does any work.
            try file.requireWritable()
            state.builder.beginTransaction()
            state.written.beginTransaction()
            let session = ArchiveWriter(state.tables, builder: state.builder, written: state.written, trace: trace)
            try body(session)
            let (began, size) = (trace == nil ? nil : ContinuousClock.now, file.size)
            let changes = session.changes
            let commit = try commit(changes, to: file, state: &state)
            state.tables = changes.tables
            if let began { trace?.logCommit(file.sequence, bytes: file.size - size, since: began) }
            compactIfWorthwhile(file, &state)
            return Pending(engine: self, commit: commit, tables: changes.tables)
        }
    }

    private struct Pending: PendingCommit {
        let engine: ArchiveEngine
        /// The commit to wait for; nil if the caller need not wait.
        let commit: WrittenCommit?
        let tables: ArchiveTables

        func finish() throws(StorageError) {
            try commit?.wait()
            engine.committed.withLock { $0 = tables }
        }
    }

    /// Writes a commit; nil if the caller need not wait for it.
    private func commit(
        _ changes: PendingChanges, to file: StoreFile, state: inout EngineState
    ) throws(StorageError) -> WrittenCommit? {
        // A file must begin with tables, so without tables no commit is written.
        if file.sequence == nil, !changes.changesSchema { return nil }
        guard changes.changesSchema else {
            return try append(changes, archives: state.archives, to: file, state: &state)
        }
        let archives = try Self.archives(changes.tables)
        if changes.needsRewrite {
            try rewrite(changes.tables, archives: archives, in: file, state: &state)
            return nil
        }
        let commit = try append(changes, archives: archives, to: file, state: &state)
        state.archives = archives
        return commit
    }

    private func append(
        _ changes: PendingChanges, archives: [ModelArchive], to file: StoreFile, state: inout EngineState
    ) throws(StorageError) -> WrittenCommit? {
        let sequence = file.sequence.map { $0 &+ 1 } ?? 0
        var recorder = ChangeRecorder(changes.tables, archives, sequence: sequence, usage: state.usage)
        let written = state.written
        let commit = try file.write(willWait: waitsForDisk) { (commit) throws(StorageError) in
            try recorder.record(changes, written, to: &commit)
        }
        state.usage = recorder.usage
        return waitsForDisk ? commit : nil
    }

    private var waitsForDisk: Bool { configuration.durability == .full }

    /// Rewrites the file with these tables.
    private func rewrite(
        _ tables: ArchiveTables, archives: [ModelArchive], in file: StoreFile, state: inout EngineState
    ) throws(StorageError) {
        // Commits in the file that goes may still be waited for.
        if waitsForDisk { try file.sync() }
        state.usage = try Self.rewrite(file, tables: tables, archives: archives)
        state.archives = archives
    }

    private static func rewrite(
        _ file: StoreFile, tables: ArchiveTables, archives: [ModelArchive]
    ) throws(StorageError) -> FileUsage {
        var recorder = ChangeRecorder(tables, archives, sequence: 0)
        try file.rewrite { (commit) throws(StorageError) in try recorder.recordAll(to: &commit) }
        return recorder.usage
    }

    private static func archives(_ tables: ArchiveTables) throws(StorageError) -> [ModelArchive] {
        var archives: [ModelArchive] = []
        for model in tables.models { archives.append(try ModelArchive(model, tables)) }
        return archives
    }

    // MARK: Compaction

    func compact() throws(StorageError) {
        try withFile { (state, file) throws(StorageError) in
            try file.requireWritable()
            guard file.sequence != nil else { return }
            try rewrite(state.tables, archives: state.archives, in: file, state: &state)
        }
    }

    /// The commit before is done whatever becomes of this: the old file stays where the new one cannot be written.
    private func compactIfWorthwhile(_ file: StoreFile, _ state: inout EngineState) {
        let tables = state.tables
        let records = tables.list.reduce(0) { $0 + ($1.schema.isRoot ? $1.rows.count : 0) }
        guard configuration.compaction == .automatic,
            state.usage.isWorthCompacting(
                records: records, bytes: file.size, from: configuration.minimumCompacted)
        else { return }
        let before = file.size
        do {
            try rewrite(tables, archives: state.archives, in: file, state: &state)
            logger.info(
                "store file compacted",
                metadata: ["path": "\(configuration.path)", "before": "\(before)", "after": "\(file.size)"])
        } catch {
            state.usage.postponeCompaction(records: records)
            logger.warning(
                "A store file was not compacted", metadata: ["path": "\(configuration.path)", "cause": "\(error)"])
        }
    }

    // MARK: The file

    /// The file as of the last commit; nil if none exists yet.
    func fileSnapshot() throws(StorageError) -> FileSnapshot? {
        var snapshot: FileSnapshot?
        try withFile { (_, file) throws(StorageError) in snapshot = try file.snapshot() }
        return snapshot
    }

    // MARK: Closing

    func close() throws(StorageError) {
        let file = writer.withLock { state in
            defer { (state.file, state.follower) = (nil, nil) }
            return state.file
        }
        committed.withLock { $0 = ArchiveTables() }
        try file?.close()
    }

    private func withFile<T: Sendable>(
        _ body: (inout EngineState, StoreFile) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try writer.withLock { (state) throws(StorageError) in
            guard let file = state.file else { throw Self.closed }
            return try body(&state, file)
        }
    }

    static var closed: StorageError { StorageError(.closed, "The store is closed; open it again to use it.") }
}

extension ArchiveEngine: ExternalCommitsEngine {
    /// Costs one system call without new commits; otherwise it reads the new commits.
    func externalCommits() throws(StorageError) -> ExternalCommitCount {
        guard configuration.access == .readOnly else { return .impossible }
        _ = try follow()
        return .count(refreshes.load(ordering: .relaxed))
    }
}

extension ArchiveEngine: CheckingEngine {
    /// Reads the file again from its beginning: every frame's checksum, every trailer, every entry.
    func findDamage() throws(StorageError) -> [String] {
        try fileSnapshot()?.findDamage() ?? []
    }
}

extension ArchiveEngine: BackupEngine {
    /// Commits are only appended, so the bytes up to the end of the last one are a complete store whatever is written
    /// meanwhile. If the file is rewritten, the open one stays as it was.
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
