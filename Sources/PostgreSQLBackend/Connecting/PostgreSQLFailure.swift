internal import CPostgreSQL
internal import StorageDriver

/// Converts the server's and libpq's errors to storage errors. Only this type does so.
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

    /// The name of the action that fails if a connection cannot be opened.
    private static let connecting = "connect"

    /// The error of a connection that could not be opened. A server that refuses it says why by a code, in any language: see
    /// ``ConnectionParameters/begin()``.
    ///
    /// - Parameter isSilent: true if the server has not answered in time, of which libpq does not know.
    static func opening(_ connection: OpaquePointer, isSilent: Bool = false) -> StorageError {
        let lines = String(cString: PQerrorMessage(connection)).split(whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("LOCATION:") }
        var text = lines.joined(separator: " ")
        // libpq's sentence ends before the missing reason.
        if isSilent, text.isEmpty || text.hasSuffix(": ") { text += "the server does not answer in time" }
        let state = Self.state(in: unquoted(text))
        let cause = PostgreSQLError(
            state: state, message: text.replacing(":  \(state): ", with: ":  "), constraint: nil, column: nil,
            statement: connecting)
        let message = unquoted(cause.message)
        // libpq itself gives no code, and PgBouncer one for all reasons. Both speak English.
        let hasReason = !state.isEmpty && state != "08P01"
        func says(_ words: String...) -> Bool { !hasReason && words.contains(where: message.contains) }
        if state == "53300" || says("too many clients", "no more connections allowed") {
            return StorageError(
                .busy,
                "The server has no connection left; try again, lower the option connections, or raise the limit: max_connections, or the CONNECTION LIMIT of the user or the database.",
                underlying: cause)
        }
        if let advice = protection(message) { return StorageError(.configuration, advice, underlying: cause) }
        let isRefused = ["28", "3D", "22", "42", "55"].contains(state.prefix(2))
        if isRefused || says("password", "authentication", "invalid", "no such user", "no such database") {
            return StorageError(
                .configuration, "The server refuses the connection: check the user, the password and the database.",
                underlying: cause)
        }
        return StorageError(
            .io, "The server cannot be reached: check that it runs, and the host and the port.", underlying: cause)
    }

    /// The last code in a message: `FATAL:  28P01: …`; empty if it has none.
    private static func state(in message: String) -> String {
        var state = ""
        for part in message.split(separator: ":  ").dropFirst() {
            let code = part.prefix { $0 != ":" }
            let isCode =
                code.utf8.count == 5
                && code.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }
            if isCode { state = String(code) }
        }
        return state
    }

    /// The text without the names of hosts, users and databases, which may have any words, and are quoted.
    private static func unquoted(_ text: String) -> String {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .map { $0.isMultiple(of: 2) ? String($1) : "" }.joined(separator: "\"")
    }

    /// The advice for a connection that TLS does not allow; nil if it failed otherwise. libpq does not say why a certificate is
    /// not valid.
    ///
    /// - Parameter message: libpq's message, without quoted parts.
    private static func protection(_ message: String) -> String? {
        if message.contains("certificate verify failed") {
            return "The server's certificate is not valid here: no authority of the file sslrootcert has signed it, or "
                + "it has expired. Give the server another one, or name its authority's file; openssl s_client "
                + "-starttls postgres shows the certificate."
        }
        if message.contains("does not match host name") {
            return "The server's certificate is for another host than the address names; connect by a name that it "
                + "has, or give the server one for this name."
        }
        if message.contains("root certificate file") {
            return "The authorities' file sslrootcert cannot be read, and sslmode asks to verify the server's "
                + "certificate; name a file with the certificate of the server's authority."
        }
        if message.contains("does not support SSL") {
            return "The server has no TLS, and sslmode asks for it; set up ssl on the server, or name the right one."
        }
        // A server without TLS reports the same for a client that no line of its file admits.
        if message.contains("no encryption") || message.contains("SSL off") {
            return "The server admits no connection that is not encrypted for this user, database and address; write "
                + "sslmode=verify-full if it has TLS, otherwise add a line to its pg_hba.conf."
        }
        return nil
    }

    /// The error of a connection that the server has ended, after it has said why.
    ///
    /// - Returns: nil for an error that ends a statement alone.
    static func ended(_ result: OpaquePointer, _ sql: String) -> StorageError? {
        // PgBouncer fills only the field that a server translates.
        let field =
            PQresultErrorField(result, Int32(UInt8(ascii: "V"))) ?? PQresultErrorField(result, Int32(UInt8(ascii: "S")))
        let severity = field.map { String(cString: $0) }
        guard severity == "FATAL" || severity == "PANIC",
            let cause = error(result, sql).underlying as? PostgreSQLError
        else { return nil }
        // PgBouncer has one code for all reasons.
        if cause.message.contains("statement pooling") {
            return StorageError(
                .configuration,
                "The pooler takes no transactions: \(cause.message); set its pool_mode to transaction or session.",
                underlying: cause)
        }
        return StorageError(
            .io, "The server has ended the connection: \(cause.message); nothing of this call is stored, so try again.",
            underlying: cause)
    }

    /// Returns whether an error is caused by the connection and not by the request.
    static func isOutage(_ error: StorageError) -> Bool {
        guard error.code == .io, let cause = error.underlying as? PostgreSQLError else { return error.code == .io }
        return cause.state.isEmpty || ["08", "57"].contains(cause.state.prefix(2)) || cause.state == "25P03"
            || cause.statement == connecting
    }

    /// Maps the server's `statement_timeout`, which also ends a wait for other transactions, to an error about that
    /// wait.
    static func waiting(_ error: StorageError) -> StorageError {
        guard let cause = error.underlying as? PostgreSQLError, cause.state == "57014" else { return error }
        return StorageError(
            .busy,
            "The server has ended the wait for other transactions: \(cause.message); try again, or raise its statement_timeout.",
            underlying: cause)
    }

    /// Returns whether a state is one that a database function raises itself: that of PL/pgSQL's RAISE, or one of a
    /// class that the server does not use.
    static func isRaised(_ state: String) -> Bool {
        state.hasPrefix("P0") || state.utf8.count == 5 && !classes.contains(String(state.prefix(2)))
    }

    /// The classes of states that the server and libpq use.
    private static let classes: Set = [
        "00", "01", "02", "03", "08", "09", "0A", "0B", "0F", "0L", "0P", "0Z", "10", "20", "21", "22", "23", "24",
        "25",
        "26", "27", "28", "2B", "2D", "2F", "34", "38", "39", "3B", "3D", "3F", "40", "42", "44", "53", "54", "55",
        "57",
        "58", "72", "F0", "HV", "XX",
    ]

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
            (
                .busy,
                "Another process locks the store or a table for longer than the timeout; try again, or raise the option timeout."
            )
        case "57014": (.cancelled, "The statement was cancelled, by this task or by the server's statement_timeout.")
        case "53100": (.full, "The server's disk is full; free some space. Nothing of this call is stored.")
        case "53200": (.io, "The server is out of memory; ask for less at once, or give it more.")
        case "53300": (.busy, "The server has no connection left; try again, or raise its max_connections.")
        case "25006": (.io, "The server takes no writes: it is a replica or read-only; connect to the primary.")
        case "26000", "42P05":
            (
                .configuration,
                "A pooler mixes up prepared statements: \(cause.message); write pooler=transaction and statements=unnamed."
            )
        case "42501": (.io, "The user may not do this: \(cause.message); grant it, or use another user.")
        case "54000", "54001", "54011", "54023":
            (.limitExceeded, "This is larger than PostgreSQL's limits: \(cause.message).")
        case "57P01", "57P02", "57P03", "57P04":
            (.io, "The server ends: \(cause.message); nothing of this call is stored, so try again when it runs.")
        case "XX001", "XX002": (.corrupt, "The database is damaged: \(cause.message); restore a backup.")
        default:
            switch cause.state.prefix(2) {
            case _ where isRaised(cause.state): (.constraint, "The database refuses the record: \(cause.message).")
            case "23": (.constraint, "The database refuses the value: \(cause.message).")
            case "08": (.io, "The connection failed: \(cause.message); try again.")
            default: (.io, "PostgreSQL failed: \(cause.message). Its manual explains the code \(cause.state).")
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
