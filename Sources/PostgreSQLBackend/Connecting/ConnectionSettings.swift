internal import StorageDriver

/// The settings that a connection makes on the server, and their lifetime.
///
/// A setting that must hold is set in each transaction, in the round trip of its beginning. So it holds even if the process
/// serves other clients, and ends with the transaction. A connection without a pooler has a process for itself. Limits of time
/// are set once in that process, because a read of one statement has no transaction that could set them at no cost. With a
/// pooler, a transaction also names its process, so that a probe can ask about it if the connection is silent.
struct Settings {
    /// The settings that are made once, if the process serves this connection alone.
    private(set) var sessionSettings: [String] = []
    /// The settings of each writing transaction, for `SET LOCAL`.
    private(set) var writeSettings: [String] = []
    /// The settings of a write as one statement, which takes a snapshot; nil if the session has them.
    private(set) var writeStatement: Statement?
    /// The settings of a read, sent with its first statement; nil if the session has them.
    private(set) var readStatement: Statement?
    /// The setting for changes of tables, whose statements have a program's literals. Each `SET LOCAL` takes the server 10 µs.
    static let schemaChangeSetting = "SET LOCAL standard_conforming_strings = on"

    init() {}

    /// - Parameter label: the name that a transaction gives its process, which then serves other clients; nil for a process
    ///   that serves one connection.
    init(_ configuration: PostgreSQLBackend, label: String?) {
        // The server estimates plans over many tables, such as the catalog's, high enough to compile them, which took 1.6
        // seconds for a plan of a millisecond. Rows without a bound are read by a cursor, which the server otherwise plans for
        // a tenth of the rows.
        let limits = [
            "lock_timeout = \(configuration.timeoutMilliseconds)", "jit = off", "cursor_tuple_fraction = 1",
        ]
        let isRelaxed = configuration.durability == .relaxed
        if isRelaxed { writeSettings.append("synchronous_commit = off") }
        guard let label else {
            sessionSettings = limits
            return
        }
        writeSettings += limits + ["application_name = \(label.literal)"]
        var values = Parameters()
        values.add(plain: String(configuration.timeoutMilliseconds))
        values.add(plain: label)
        readStatement = Self.together(relaxing: false, values)
        writeStatement = Self.together(relaxing: isRelaxed, values)
    }

    /// One statement with the same text for all connections, so that a pooler that keeps statements keeps it once. `SET LOCAL`
    /// would be several, and warns outside a transaction's BEGIN, into the server's log.
    private static func together(relaxing isRelaxed: Bool, _ values: Parameters) -> Statement {
        let relaxing = isRelaxed ? ", pg_catalog.set_config('synchronous_commit', 'off', true)" : ""
        return Statement(
            """
            SELECT pg_catalog.set_config('lock_timeout', $1::text, true), pg_catalog.set_config('jit', 'off', true),
              pg_catalog.set_config('cursor_tuple_fraction', '1', true),
              pg_catalog.set_config('application_name', $2::text, true)\(relaxing)
            """, name: isRelaxed ? "settings_relaxed" : "settings", values)
    }
}
