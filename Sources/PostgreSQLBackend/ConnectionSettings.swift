internal import StorageDriver

/// The settings that a connection makes on the server, and their lifetime.
///
/// A setting that must hold is set in each transaction, in the round trip of its beginning, so it holds whoever else is served
/// by the same process, and ends with the transaction. The process of a connection without a pooler is its own: what only
/// limits times is set there once, since a read of one statement has no transaction in which it could be set at no cost.
/// Behind a pooler a transaction names its process too, so that it can be asked about where the connection is silent.
struct Settings {
    /// Set once, in a process that serves nobody else.
    private(set) var ofProcess: [String] = []
    /// Set in each transaction that writes.
    private(set) var ofWrites: [String] = []
    /// The same as one statement, which takes a snapshot; nil where the process has them.
    private(set) var ofWritesTogether: Statement?
    /// Sets what reads need, in their transaction or with the statements that are sent with it; nil where the process has it.
    private(set) var ofReads: Statement?
    /// Set before statements with literals of a program: changes of tables. Each `SET LOCAL` takes the server 10 µs.
    static let ofChanges = "SET LOCAL standard_conforming_strings = on"

    init() {}

    /// - Parameter label: the name that a transaction gives its process, which is another's afterwards; nil for a
    ///   process of its own.
    init(_ configuration: PostgreSQLBackend, label: String?) {
        // Plans over many tables, as that of the catalog, are estimated high enough to be compiled, which took 1.6 seconds
        // where the plan takes a millisecond. Rows without a bound come by a cursor, which is planned for a tenth of them otherwise.
        let limits = [
            "lock_timeout = \(configuration.timeoutMilliseconds)", "jit = off", "cursor_tuple_fraction = 1",
        ]
        let isRelaxed = configuration.durability == .relaxed
        if isRelaxed { ofWrites.append("synchronous_commit = off") }
        guard let label else {
            ofProcess = limits
            return
        }
        ofWrites += limits + ["application_name = \(label.literal)"]
        var values = Parameters()
        values.add(plain: String(configuration.timeoutMilliseconds))
        values.add(plain: label)
        ofReads = Self.together(relaxing: false, values)
        ofWritesTogether = Self.together(relaxing: isRelaxed, values)
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
