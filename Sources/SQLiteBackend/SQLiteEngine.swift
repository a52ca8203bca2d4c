internal import CSQLite
internal import Foundation
internal import Logging
internal import StorageDriver
import Synchronization

/// An open database: one connection that writes, and a pool of connections that read.
///
/// Connections are opened without SQLite's mutexes. The writer is used by one thread at a time because the store lets
/// one write at a time run and `writer` is locked for it; a reader, because the pool hands it out to one session.
final class SQLiteEngine: SharedTablesEngine, ReactingEngine {
    let configuration: SQLiteBackend
    let file: DatabaseFile
    let writer: Mutex<WriterState>
    let others = ExternalCommitCounter()
    private let pool: ConnectionPool
    /// True if the file or its folder cannot be written.
    private let isReadOnlyFile: Bool
    /// True if the file was opened as immutable.
    private let isUnwritable: Bool
    /// The folder of a database in memory.
    private let folder: TemporaryFolder?
    /// The files that SQLite creates for a database that is opened read-only.
    private let logFiles: LogFiles?
    /// The number of times that another process was found to have changed the schema.
    private let foreignChanges = Atomic(0)
    /// The triggers and foreign keys that change rows by themselves, as they are shown.
    private let reactions = Mutex<[String]>([])
    private let reacts = Atomic(false)
    /// The version of the recorded schema when the database was opened; nil if the database had no recorded schema.
    private let format: Int?

    struct WriterState: ~Copyable {
        var connection: Connection?
        var usesWAL = false
    }

    init(_ configured: SQLiteBackend, logger: Logger) throws(StorageError) {
        var opened = configured
        folder = configured.isInMemory ? try TemporaryFolder() : nil
        if let folder {
            opened.path = folder.databasePath
            opened.durability = .relaxed
        }
        configuration = configured
        if !opened.isReadOnly { try DatabaseFile.requireNoLostLog(opened.path) }
        let logFiles = opened.isReadOnly ? LogFiles(besides: opened.path) : nil
        self.logFiles = logFiles
        let definitions = Definitions()
        let connection = try Connection(opened, isWriter: true, definitions, logger: logger)
        do throws(StorageError) {
            file = try DatabaseFile(configured.path, connection)
            connection.file = file
            format = try Catalog.checkedFormat(connection)
            if format != nil, !connection.isReadOnly {
                try CompositeIndexes.complete(connection, logger: logger)
            }
            try connection.noteOwnSchema()
            try connection.readReactions()
        } catch {
            // The database is unchanged; the first error is thrown.
            try? connection.close()
            logFiles?.removeIfNew()
            throw error
        }
        isReadOnlyFile = connection.isReadOnly
        isUnwritable = connection.unwritable != nil
        writer = Mutex(WriterState(connection: connection))
        pool = ConnectionPool(opened, file: file, definitions: definitions, logger: logger)
        note(connection.reactions)
        logger.debug("database opened", metadata: ["path": "\(configured.path)", "sqlite": "\(Connection.version)"])
    }

    var info: BackendInfo {
        var lacking: [BackendInfo.Capability: String] = [
            .damageDetection:
                "SQLite's pages have no checksums: damage to its structure is found, a changed value is not."
        ]
        if mayReact { lacking[.knownChanges] = Self.reacting(reactions.withLock { $0 }) }
        if isUnwritable {
            lacking[.foreignCommits] =
                "The file is in a place where SQLite can make no others, so it does not see changes."
        }
        if isReadOnlyFile { lacking[.writing] = "The file cannot be written." }
        if configuration.isReadOnly { lacking[.writing] = "The database was opened read-only." }
        if configuration.isInMemory {
            lacking[.durability] = "The database is in memory."
            lacking[.sharing] = "The database is in the memory of one process."
            lacking[.foreignCommits] = "The database is in the memory of one process."
        }
        return BackendInfo(
            name: SQLiteBackend.scheme, location: configuration.path,
            format: "SQLite 3 (library \(Connection.version))" + (format.map { ", schema record \($0)" } ?? ""),
            lacking: lacking,
            limits: BackendInfo.Limits(valueBytes: 500_000_000, columns: 1900),
            reservedNamePrefixes: ["sqlite_", "storage_"])
    }

    func reader(_ scope: ReadScope) throws(StorageError) -> any StorageReader {
        let reader = try pool.take()
        try reader.begin(scope, from: pool)
        return reader
    }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        try changing { (state, connection) throws(StorageError) in
            if !state.usesWAL {
                guard file.keepsName else { throw PublishedFile.isReplaced(configuration.path) }
                state.usesWAL = try others.apart(connection) { () throws(StorageError) in try connection.useWAL()
                }
            }
            try transaction(connection, body)
        }
    }

    /// True if no other process can have the database open.
    var isPrivate: Bool { configuration.isInMemory }

    var tablesVersion: Int { foreignChanges.load(ordering: .acquiring) }

    var mayReact: Bool { reacts.load(ordering: .relaxed) }

    /// Finds the declarations that change rows by themselves.
    func readReactions(_ connection: Connection) throws(StorageError) {
        try connection.readReactions()
        note(connection.reactions)
    }

    private func note(_ found: Reactions) {
        reactions.withLock { $0 = found.declared }
        reacts.store(!found.declared.isEmpty, ordering: .relaxed)
    }

    private static func reacting(_ declared: [String]) -> String {
        let shown = declared.prefix(5).joined(separator: ", ") + (declared.count > 5 ? ", …" : "")
        return "The database changes rows by itself (\(shown)), and the store does not learn which."
    }

    private func transaction(
        _ connection: Connection, _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        try connection.begin(.begin)
        defer { others.end() }
        do {
            let isForeign = try connection.hasForeignSchema { () throws(StorageError) in try others.look(connection) }
            if isForeign {
                foreignChanges.add(1, ordering: .releasing)
                try readReactions(connection)
            }
            if connection.reacts { connection.reactions.forget() }
            others.begin()
            try body(connection.writer)
            // The body may have continued after the failure that ended the transaction.
            try connection.checkTransaction()
            if !isPrivate { try file.requireName(connection) }
        } catch {
            connection.rollBack()
            throw error
        }
        others.end()
        do {
            try connection.commit()
        } catch {
            connection.rollBack()
            if error.code == .io || error.code == .full { connection.overwriteFailedCommit() }
            throw error
        }
    }

    /// Runs the body, unless a write or a sync has failed before: then the store must be reopened.
    func changing(
        _ body: (inout WriterState, Connection) throws(StorageError) -> Void
    ) throws(StorageError) {
        try withWriter { (state, connection) throws(StorageError) in
            if let damage = connection.damage {
                throw StorageError(
                    .io, "An earlier write failed, so the store writes nothing more; close it and open it again.",
                    underlying: damage)
            }
            try body(&state, connection)
        }
    }

    func withWriter<T>(
        _ body: (inout WriterState, Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        var result: T?
        try writer.withLock { (state) throws(StorageError) in
            guard let connection = state.connection else { throw Self.closed }
            result = try body(&state, connection)
        }
        guard let result else { throw Self.closed }
        return result
    }

    /// Runs the body on a connection that reads.
    func withReader<T>(_ body: (Connection) throws(StorageError) -> T) throws(StorageError) -> T {
        let reader = try pool.take()
        defer { pool.give(reader) }
        return try body(reader.connection)
    }

    func close() throws(StorageError) {
        pool.close()
        try writer.withLock { (state) throws(StorageError) in
            guard let connection = state.connection else { return }
            state.connection = nil
            defer {
                logFiles?.removeIfNew()
                folder?.remove()
            }
            try connection.close()
        }
    }

    // Statements and their connection hold each other: dropped without closing, both would leak.
    deinit { try? close() }

    static var closed: StorageError { StorageError(.closed, "The store is closed; open it again to use it.") }
}
