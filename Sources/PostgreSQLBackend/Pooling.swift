internal import StorageDriver

extension PostgreSQLBackend {
    /// The kind of pooler between the store and its server.
    public enum Pooler: String, Sendable, CaseIterable {
        /// Each connection detects a pooler. A detected one is used as a transaction pooler, which is safe with any pooler.
        case automatic
        /// A pooler that gives each transaction a process of the server, also where no connection can find it.
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

    /// The same with the direct address of who listens.
    var listening: PostgreSQLBackend {
        guard let listen else { return self }
        var direct = self
        direct.parameters = parameters.at(listen.hosts)
        direct.pooler = .automatic
        return direct
    }
}

extension Connection {
    /// The error for a session pooler that has given a connection another server process.
    static let mixed = StorageError(
        .configuration,
        "A pooler gives this connection another process of the server than before, and pooler=session says that it keeps one; write pooler=transaction."
    )

    /// Asks for the process, where a pooler is said to keep it; nil elsewhere.
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
