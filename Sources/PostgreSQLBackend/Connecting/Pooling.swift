internal import CPostgreSQL
internal import StorageDriver

extension PostgreSQLBackend {
    /// The kind of pooler between the store and its server.
    public enum Pooler: String, Sendable, CaseIterable {
        /// Each connection detects a pooler. A detected one is used as a transaction pooler, which is safe with any pooler.
        case automatic
        /// A pooler that gives each transaction a process of the server, even if no connection can detect it.
        case transaction
        /// None, or a pooler that keeps a process for each connection, as PgBouncer's `pool_mode=session`.
        case session
    }

    /// The way in which a connection sends statements that it uses again.
    public enum Statements: String, Sendable, CaseIterable {
        /// Under a name, so that the server reads and plans them once.
        case named
        /// As a text each time.
        case unnamed
    }

    /// The configuration of a connection that listens.
    var listening: PostgreSQLBackend { listen.map { connecting(to: $0.hosts) } ?? self }

    /// The same configuration for other servers, which each connection may find to be poolers.
    package func connecting(to hosts: [ServerHosts.Host]) -> PostgreSQLBackend {
        var configuration = self
        configuration.parameters = parameters.at(hosts)
        configuration.pooler = .automatic
        return configuration
    }
}

extension Connection {
    /// The error for a session pooler that has given a connection another server process.
    static let mixed = StorageError(
        .configuration,
        "A pooler gives this connection another process of the server than before, and pooler=session says that it keeps one; write pooler=transaction."
    )

    /// A name of the connection that no other one has.
    static func newLabel(_ handle: OpaquePointer) -> String {
        let name = PQparameterStatus(handle, "application_name").map { String(cString: $0) } ?? ""
        // The server keeps 63 bytes, of ASCII only.
        let kept = name.utf8.filter { (0x20...0x7E).contains($0) }.prefix(40)
        return (kept.isEmpty ? "swift-storage" : String(decoding: kept, as: UTF8.self))
            + " " + String(UInt64.random(in: 0...(.max)), radix: 36)
    }

    /// Returns whether statements are prepared under names. A pooler keeps a name for as long as the connection, and several
    /// stores have the same names.
    func keepsNames(_ configuration: PostgreSQLBackend) throws(StorageError) -> Bool {
        if isShared, configuration.sharesConnections { return false }
        if let statements = configuration.statements { return statements == .named }
        return isShared ? try poolerKeepsNames() : true
    }

    /// Returns whether a pooler keeps the names of statements for its clients. PgBouncer does from 1.21 on, and gives the
    /// statements other names on the server.
    ///
    /// The test leaves no statement in the server's session, which may serve another client next.
    func poolerKeepsNames() throws(StorageError) -> Bool {
        let name = "storage_" + String(UInt64.random(in: 0...(.max)), radix: 36)
        var parameters = Parameters()
        parameters.add(plain: name)
        let found = try outcome([
            Statement(
                "SELECT EXISTS (SELECT FROM pg_catalog.pg_prepared_statements WHERE name = $1::text)", name: name,
                parameters),
            // Only if the name exists, because DEALLOCATE of an unknown name is an error.
            Statement(
                """
                DO $$ BEGIN IF EXISTS (SELECT FROM pg_catalog.pg_prepared_statements WHERE name = '\(name)') THEN
                  EXECUTE 'DEALLOCATE \(name)'; END IF; END $$
                """),
        ]).results.first
        dropName(name)
        return found.map { $0.count == 1 && !$0.isTrue() } ?? false
    }

    /// Asks for the process if the configuration says that a pooler keeps it; nil otherwise.
    var processQuestion: Statement? {
        isKeptByPooler
            ? Statement("SELECT pg_catalog.pg_backend_pid()::int8", name: keepsStatements ? "process" : "") : nil
    }

    /// - Throws: `configuration` if the process is another one.
    func requireProcess(_ answer: StatementResult?) throws(StorageError) {
        guard let answer, answer.integer() != process?.number else { return }
        loss = Self.mixed
        throw Self.mixed
    }
}
