/// The names under which the server, or a pooler, keeps the statements of a connection.
struct PreparedNames {
    /// True with a pooler. It gives up a name only by a protocol message, which libpq sends from version 17 on.
    var isOfPooler = false
    private var prepared: Set<String> = []
    private var unneeded: [String] = []
    /// The number of times that a pooler has not prepared a statement.
    private var failures: [String: Int] = [:]
    /// The number of names that the connection no longer uses and a pooler still keeps.
    private(set) var forgotten = 0

    /// The names of the statements that are the same for all stores.
    private static let common: Set = [
        "candidates", "declarations", "identity", "lsn", "notify", "process", "shared_transaction",
    ]

    func isPrepared(_ name: String) -> Bool { prepared.contains(name) }

    mutating func wasPrepared(_ name: String) { prepared.insert(name) }

    /// Registers that a statement was not prepared, because it has failed, or one before it. PgBouncer still regards the name
    /// as used, and ends the connection of a client that prepares it again. So the statement gets another name.
    mutating func wasNotPrepared(_ name: String) {
        guard isOfPooler else { return }
        failures[name, default: 0] += 1
        forgotten += 1
    }

    /// The name of a statement that is sent.
    func sent(_ name: String) -> String {
        guard !failures.isEmpty, let count = failures[name] else { return name }
        return "\(name)_\(count)"
    }

    /// Forgets a prepared statement, here and in the server.
    mutating func forget(_ name: String) {
        guard prepared.remove(name) != nil else { return }
        if isOfPooler { forgotten += 1 } else { unneeded.append(name) }
    }

    /// Forgets the prepared statements of a store, and keeps the statements that all stores share.
    mutating func forgetStore() {
        for name in prepared where !Self.common.contains(name) { forget(name) }
    }

    /// Forgets a statement that the server does not have any more.
    mutating func drop(_ name: String) { prepared.remove(name) }

    /// The names of statements to deallocate.
    mutating func takeUnneeded() -> [String] {
        defer { unneeded = [] }
        return unneeded
    }
}
