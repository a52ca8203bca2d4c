internal import CPostgreSQL
internal import StorageDriver

/// Converts the server's and libpq's errors to storage errors. No other code does.
enum PostgreSQLFailure {
    /// The error of a statement's result.
    static func error(_ result: OpaquePointer, _ sql: String) -> StorageError {
        func field(_ code: Character) -> String? {
            PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        // Only the primary message: the details of some have stored values.
        let cause = PostgreSQLError(
            state: field("C") ?? "", message: field("M") ?? "no message", constraint: field("n"), column: field("c"),
            statement: sql)
        let (code, advice) = meaning(of: cause)
        return StorageError(code, advice, underlying: cause)
    }

    /// The error of a connection that could not be opened.
    static func opening(_ connection: OpaquePointer) -> StorageError {
        let message = text(connection)
        let cause = PostgreSQLError(
            state: "", message: message, constraint: nil, column: nil, statement: "connect")
        // A connection that was never made has no SQLSTATE.
        if message.contains("too many clients") || message.contains("remaining connection slots") {
            return StorageError(
                .busy,
                "The server has no connection left; try again, lower the option connections, or raise max_connections.",
                underlying: cause)
        }
        if ["password", "authentication", "role", "database \"", "pg_hba.conf", "invalid"].contains(
            where: message.contains)
        {
            return StorageError(
                .configuration, "The server refuses the connection: check the user, the password and the database.",
                underlying: cause)
        }
        return StorageError(
            .io, "The server cannot be reached: check that it runs, and the host and the port.", underlying: cause)
    }

    /// The error of a connection that is lost.
    static func lost(_ connection: OpaquePointer, doing action: String) -> StorageError {
        StorageError(
            .io, "The connection to the server is lost, and nothing of this call is stored; try again.",
            underlying: PostgreSQLError(
                state: "08006", message: text(connection), constraint: nil, column: nil, statement: action))
    }

    private static func text(_ connection: OpaquePointer) -> String {
        String(cString: PQerrorMessage(connection)).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private static func meaning(of cause: PostgreSQLError) -> (StorageError.Code, String) {
        switch cause.state {
        case "22003": (.overflow, "A number is beyond the range of its type; use a part, or store a wider type.")
        case "22012": (.overflow, "A division by zero; exclude zero with a condition before this one.")
        case "40001", "40P01":
            (
                .conflict,
                "Another program's transaction is in the way of this one; nothing of this call is stored, so repeat it."
            )
        case "55P03":
            (.busy, "Another process writes for longer than the timeout; try again, or raise the option timeout.")
        case "57014": (.cancelled, "The statement was cancelled, by this task or by the server's statement_timeout.")
        case "53100": (.full, "The server's disk is full; free some space. Nothing of this call is stored.")
        case "53200": (.io, "The server is out of memory; ask for less at once, or give it more.")
        case "53300": (.busy, "The server has no connection left; try again, or raise its max_connections.")
        case "25006": (.io, "The server takes no writes: it is a replica or read-only; connect to the primary.")
        case "42501": (.io, "The user may not do this: \(cause.message); grant it, or use another user.")
        case "54000", "54001", "54011", "54023":
            (.limitExceeded, "This is larger than PostgreSQL's limits: \(cause.message).")
        case "57P01", "57P02", "57P03", "57P04":
            (.io, "The server ends: \(cause.message); nothing of this call is stored, so try again when it runs.")
        case "XX001", "XX002": (.corrupt, "The database is damaged: \(cause.message); restore a backup.")
        default:
            switch cause.state.prefix(2) {
            case "23": (.constraint, "The database refuses the value: \(cause.message).")
            case "08": (.io, "The connection failed: \(cause.message); try again.")
            default: (.io, "PostgreSQL failed: \(cause.message). What its code \(cause.state) means is in its manual.")
            }
        }
    }
}

/// The server's error: the `underlying` error of a `StorageError`.
public struct PostgreSQLError: Error, Sendable, CustomStringConvertible {
    /// The SQLSTATE, five characters; empty if the server could not be asked.
    public let state: String
    /// The server's message, without its details, which may have stored values.
    public let message: String
    /// The constraint that refused a row, if one did.
    public let constraint: String?
    /// The column that the error concerns, if it concerns one.
    public let column: String?
    /// The SQL that failed. It has no values.
    public let statement: String

    public var description: String {
        let state = state.isEmpty ? "" : " \(state)"
        return "PostgreSQL error\(state), \(message), in \(statement.prefix(1000))"
    }
}
