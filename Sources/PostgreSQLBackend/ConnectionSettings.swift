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
    /// Set in each transaction that writes, and that reads.
    private(set) var ofWrites: [String] = []
    private(set) var ofReads: [String] = []
    /// Set before statements with literals of a program: changes of tables. Each `SET LOCAL` takes the server 10 µs.
    static let ofChanges = "SET LOCAL standard_conforming_strings = on"
    /// Sets them for the statements that are sent with it; nil where the process has them.
    private(set) var ofStatements: Statement?

    init() {}

    /// - Parameter label: the name that a transaction gives its process, which is another's afterwards; nil for a
    ///   process of its own.
    init(_ configuration: PostgreSQLBackend, label: String?) {
        // Plans over many tables, as that of the catalog, are estimated high enough to be compiled, which took 1.6 seconds
        // where the plan takes a millisecond.
        let limits = ["lock_timeout = \(configuration.timeoutMilliseconds)", "jit = off"]
        if configuration.durability == .relaxed { ofWrites.append("synchronous_commit = off") }
        guard let label else {
            ofProcess = limits
            return
        }
        ofReads = limits + ["application_name = \(label.literal)"]
        ofWrites += ofReads
        // SET LOCAL warns outside a transaction's BEGIN, into the server's log.
        ofStatements = Statement(
            """
            SELECT pg_catalog.set_config('lock_timeout', '\(configuration.timeoutMilliseconds)', true),
              pg_catalog.set_config('jit', 'off', true), pg_catalog.set_config('application_name', \(label.literal), true)
            """)
    }
}
