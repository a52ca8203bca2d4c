internal import CSQLite
internal import StorageDriver
import Synchronization

// The tables as a connection knows them, and the means by which it notices that another connection has changed them.

/// Tables as of a state of the database.
struct KnownTables {
    /// Differs after another connection's commit.
    var data: Int64
    /// Differs after any change of the schema.
    var schema: Int64
    var schemas: [TableSchema]
}

/// The versions of the database that a connection has seen.
struct SeenVersions {
    /// The version of the contents, as the connection counts its commits and the commits of others.
    var data: UInt32?
    var schema: Int64?
}

/// Recorded tables by the text of their definitions. Reading the text is almost free compared with decoding it.
final class Definitions: Sendable {
    private let known = Mutex<[[UInt8]: TableSchema]>([:])

    subscript(text: [UInt8]) -> TableSchema? { known.withLock { $0[text] } }

    /// Keeps the definitions of one state alone.
    func keep(_ definitions: [[UInt8]: TableSchema]) { known.withLock { $0 = definitions } }
}

extension Connection {
    /// The recorded tables, then the tables of other software. Read again if another connection has committed since, or
    /// if this one has changed them.
    func storedTables() throws(StorageError) -> [TableSchema] {
        let version = try dataVersion()
        if let tables, tables.data == version { return tables.schemas }
        let recorded = try Catalog.tables(self)
        let paths = Set(recorded.map(\.storedPath))
        let foreign = try foreign.tables(besides: recorded, self).compactMap(\.schema)
        let schemas = recorded + foreign.filter { !paths.contains($0.storedPath) }
        tables = KnownTables(data: version, schema: try schemaVersion(), schemas: schemas)
        return schemas
    }

    /// Looks whether tables that a plan was made for are still stored as it needs them.
    ///
    /// - Throws: `schemaMismatch` if they are not.
    func requireStored(_ planned: [TableSchema]) throws(StorageError) {
        if planned.isEmpty { return }
        let stored: [TableSchema]
        let version = try schemaVersion()
        if let tables, tables.schema == version { stored = tables.schemas } else { stored = try storedTables() }
        try planned.requireStored(in: stored)
    }

    // MARK: Versions

    /// A number that another connection's commit changes, and a commit of this one does not.
    func dataVersion() throws(StorageError) -> Int64 { try statement(.dataVersion).integer() ?? 0 }

    /// A number that changes with every change of the schema, by any connection.
    func schemaVersion() throws(StorageError) -> Int64 { try statement(.schemaVersion).integer() ?? 0 }

    /// Returns whether another connection has changed the schema since this one's last transaction; asked in a
    /// transaction that writes.
    ///
    /// Costs one call if no other connection has written anything.
    /// - Parameter onOthers: called if another one may have.
    func hasForeignSchema(_ onOthers: () throws(StorageError) -> Void) throws(StorageError) -> Bool {
        let data = fileVersion
        guard data == nil || data != seen.data else { return false }
        try onOthers()
        let schema = try schemaVersion()
        defer { seen = SeenVersions(data: data, schema: schema) }
        return schema != seen.schema
    }

    /// Takes the schema as this transaction leaves it for known.
    func noteOwnSchema() throws(StorageError) { seen.schema = try schemaVersion() }

    func noteOwnCommit() { seen.data = fileVersion }

    /// A number that differs after any commit that this connection has made or met.
    private var fileVersion: UInt32? {
        var version: UInt32 = 0
        // Without a name it is the main database, which SQLite then need not look for.
        let code = sqlite3_file_control(database, nil, SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }
}
