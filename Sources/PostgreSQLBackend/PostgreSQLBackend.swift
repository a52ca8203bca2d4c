internal import CPostgreSQL
public import Logging
public import StorageDriver

/// Stores models in a PostgreSQL database, as plain typed tables that any program can read.
///
/// ```swift
/// let url = try StorageURL("postgresql://app@db.example.com/people?schema=app")
/// let store = try await Store(PostgreSQLBackend(url: url), models: Person.self)
/// ```
///
/// A store is one schema of a database. Any number of processes on any number of hosts may use it: one of them writes at a
/// time, and all read. Connections are made by libpq, so its environment variables, password file and TLS options apply.
public struct PostgreSQLBackend: StorageBackend {
    public static let scheme = "postgresql"

    /// The guarantee that a commit waits for.
    public enum Durability: String, Sendable, CaseIterable {
        /// The guarantee of the server's `synchronous_commit`, by default its disk.
        case full
        /// The server's memory: a power cut of the server may lose the last commits, never the store.
        case relaxed
    }

    /// The number of transactions that write at a time.
    public enum Writers: String, Sendable, CaseIterable {
        /// One, in all processes.
        case one
        /// Any number, of as many processes, that are single calls or groups of transactions that may run again; any other
        /// transaction with a body writes alone. Every program that uses the store should set this option: a program with the
        /// other value may read a commit without one that comes before it.
        case many
    }

    /// The schema that is the store. It is created if it does not exist.
    public var schema: String
    /// The guarantee that a commit waits for.
    public var durability = Durability.full
    /// The number of transactions that write at a time, in all processes.
    public var writers = Writers.one
    /// The maximum number of connections that read. One more writes, and one listens while the store is observed.
    public var connections = 16
    /// The time in milliseconds that a call waits for another process or for a free connection before it throws `busy`.
    public var timeoutMilliseconds = 5000
    /// The number of partitions of each table that the store creates from now on, by the hash of a part of its key. With 1, a
    /// table has no partitions, and a table with unique values beside its key never has.
    public var partitions = 1
    /// The sizes of partitions by ranges of the key, by the stored names of models whose tables the store creates from now on.
    /// Writes add the partitions that they need, and a store drops them by a retention (`Store.Options.retention`). A model without
    /// one has the partitions of ``partitions``.
    public var ranges: [String: KeySpan] = [:]
    /// The kind of pooler between the store and its server.
    public var pooler = Pooler.automatic
    /// The way to send statements that are used again. With nil they have names, except with a pooler of transactions that does
    /// not keep names (PgBouncer before 1.21, or with `max_prepared_statements` 0), which each connection finds out.
    public var statements: Statements?
    /// The servers that the listening connection of a store with a pooler connects to directly: `db.example.com:5432`. Without
    /// them an observed store looks for commits of others ten times a second.
    package internal(set) var listen: ServerHosts?
    /// The servers that follow the store's, and answer its reads: `db2.example.com,db3.example.com:5433`.
    package internal(set) var replicas: ServerHosts?
    /// The greatest age in milliseconds of a replica's read, concerning commits of others. 0 shows all of them, as reads from
    /// one server do. Each read includes the commits of this store, and everything that it has read.
    public var stalenessMilliseconds = 0
    /// The time in milliseconds that a call waits for a replacement of a lost server before it throws `io`. By default
    /// it waits for a server that starts alone, for the timeout.
    public var failoverMilliseconds = 0
    /// The time in milliseconds for which replicas answer reads while the primary is away, counted from its last answer. Such a
    /// read has the commits of this store and everything that it has read, and may lack commits of others. By default reads wait
    /// for the next primary, or throw `io`.
    public var outageMilliseconds = 0
    /// The time in milliseconds in which the outcome of a commit must be found whose connection was lost; nil for the maximum
    /// time that a call waits for a server. Tests shorten it.
    package var outcomeMilliseconds: Int?
    /// The size in bytes from which on a table's new index is made beside writers, after the transaction that declares it: the
    /// index of a smaller one takes less time than a transaction may. Tests lower it.
    package var largeTableBytes: Int64 = 8 << 20
    /// A Boolean value that indicates whether the store is read-only. The tables of models must then exist as declared.
    public var isReadOnly = false
    /// The connections that stores share; nil if each store connects by itself.
    var shared: SharedConnections?
    var sharesConnections = false
    /// The connection parameters for libpq.
    var parameters: ConnectionParameters
    /// The server and the database as errors show them: without a password.
    let location: String

    /// A schema of the database at an address that libpq takes: `postgresql://user@host/database`, or `host=/run/postgresql
    /// dbname=people`. A connection is made when a store opens.
    public init(_ address: String, schema: String = "public") throws(StorageError) {
        try self.init(address: ServerAddress(address), options: [], schema: schema)
    }

    /// `postgresql://user@host:5432/people?schema=app&durability=relaxed&writers=many&connections=16&timeout=5000`
    ///
    /// All of libpq's parameters are options too: `sslmode`, `host`, `target_session_attrs`, …
    public init(url: StorageURL) throws(StorageError) {
        var options = StorageURL.Options(url)
        let schema = try options.take("schema", accepted: "a name") { $0.isEmpty ? nil : $0 } ?? "public"
        let durability: Durability = try options.choice("durability", default: .full)
        let writers: Writers = try options.choice("writers", default: .one)
        let connections = try options.integer("connections", in: 1...1000, unit: "connections", default: 16)
        let timeout = try options.integer("timeout", in: 1...86_400_000, unit: "ms", default: 5000)
        let isReadOnly = try options.flag("readonly", default: false)
        let partitions = try options.integer("partitions", in: 1...1024, unit: "partitions", default: 1)
        let ranges = try options.take("ranges", accepted: "models with keys or times, as Reading:1000000,Event:1d") {
            KeySpan.spans($0)
        }
        let pooler: Pooler = try options.choice("pooler", default: .automatic)
        let statements = try options.take("statements", accepted: "named, unnamed") { Statements(rawValue: $0) }
        let listen = try options.take("listen", accepted: "hosts, as db.example.com:5432") { ServerHosts($0) }
        let replicas = try options.take("replicas", accepted: "hosts, as db2.example.com,db3.example.com:5433") {
            ServerHosts($0)
        }
        let staleness = try options.integer("staleness", in: 0...86_400_000, unit: "ms", default: 0)
        let failover = try options.integer("failover", in: 0...86_400_000, unit: "ms", default: 0)
        let outage = try options.integer("outage", in: 0...86_400_000, unit: "ms", default: 0)
        var given: [(name: String, value: String)] = []
        for keyword in ServerAddress.keywords {
            let value =
                keyword.isSecret
                ? try options.secret(keyword.name) : try options.take(keyword.name, accepted: "a text") { $0 }
            if let value { given.append((keyword.name, value)) }
        }
        try options.finish()
        try self.init(address: ServerAddress("postgresql://" + url.address), options: given, schema: schema)
        (self.durability, self.writers, self.connections) = (durability, writers, connections)
        (timeoutMilliseconds, self.isReadOnly) = (timeout, isReadOnly)
        (self.partitions, self.ranges) = (partitions, ranges ?? [:])
        (self.pooler, self.statements, self.listen) = (pooler, statements, listen)
        (self.replicas, stalenessMilliseconds, failoverMilliseconds) = (replicas, staleness, failover)
        outageMilliseconds = outage
    }

    private init(
        address: ServerAddress, options: [(name: String, value: String)], schema: String
    ) throws(StorageError) {
        guard !schema.isEmpty, !schema.utf8.contains(0), schema.utf8.count <= Names.bytes else {
            throw StorageURL.error("a schema's name has 1 to \(Names.bytes) bytes and no NUL")
        }
        self.schema = schema
        location = address.location(options, schema: schema)
        // The later of two parameters with the same name counts. By the system's default times, a lost host is noticed after
        // two hours.
        parameters = ConnectionParameters(
            list: [
                ("connect_timeout", "10"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
                ("keepalives_count", "3"), ("tcp_user_timeout", "25000"),
                ("fallback_application_name", "swift-storage"), ("dbname", address.text),
            ] + options + [("client_encoding", "UTF8")],
            of: address.candidates(options))
    }

    public func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        try PostgreSQLEngine(self, logger: logger)
    }

    /// Removes the store: the schema with everything in it. A schema that does not exist is no error.
    package func removeStore() throws(StorageError) {
        let connection = try Connection(self)
        connection.begin("READ COMMITTED", isWriting: true)
        connection.add("SET LOCAL client_min_messages = warning")
        connection.add("DROP SCHEMA IF EXISTS \(schema.quotedName) CASCADE")
        try connection.run("COMMIT")
    }
}

/// The parameters of a connection, any of which may be a secret, and so are shown nowhere.
struct ConnectionParameters: Sendable, CustomStringConvertible, CustomReflectable {
    let list: [(name: String, value: String)]
    /// The parameters for each server; empty unless the address has several servers and wants the one that takes writes.
    private(set) var candidates: [ConnectionParameters] = []
    /// The time that a server may take to accept a connection.
    var connectMilliseconds = 10_000

    init(list: [(name: String, value: String)], of servers: ServerAddress.Candidates? = nil) {
        self.list = list
        guard let servers else { return }
        connectMilliseconds = servers.connectMilliseconds
        candidates = servers.hosts.map { host in
            var candidate = ConnectionParameters(
                list: list + [("host", host.name), ("hostaddr", host.address), ("port", host.port)])
            candidate.connectMilliseconds = servers.connectMilliseconds
            return candidate
        }
    }

    var description: String { "…" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
