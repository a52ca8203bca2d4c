/// The names under which a transaction prepares the statements that it repeats, if a pooler gives the server's process to
/// another client after the transaction.
///
/// A statement is prepared before its first use in a group of statements and deallocated after its last, so the process keeps
/// none after the transaction. If a statement of the group fails, the statements after it do not run, and the remaining names
/// are deallocated after the rollback, which reaches the same process. If the client is lost, PgBouncer ends the process.
struct TransactionNames {
    /// Makes the names unique among all clients.
    private let prefix = "storage_" + String(UInt64.random(in: 0...(.max)), radix: 36) + "_"
    /// The statements of the group to be sent that have a name, each with the index of its last use.
    private var last: [String: Int] = [:]
    /// Prepared, and not deallocated yet.
    private var left: Set<String> = []

    /// To deallocate a statement costs the server as much as to read some short ones.
    static let minimumUses = 3

    /// Chooses the statements of a group that are worth a name.
    mutating func choose(_ group: [Statement]) {
        var uses: [String: Int] = [:]
        for statement in group where !statement.name.isEmpty { uses[statement.name, default: 0] += 1 }
        for (index, statement) in group.enumerated() where uses[statement.name, default: 0] >= Self.minimumUses {
            last[statement.name] = index
        }
    }

    mutating func forgetChoice() { last = [:] }

    /// The name of a statement in this group; nil if it has none.
    func name(for statement: String) -> String? { last[statement] == nil ? nil : prefix + statement }

    mutating func wasPrepared(_ statement: String) { left.insert(prefix + statement) }

    mutating func wasDeallocated(_ statement: String) { left.remove(prefix + statement) }

    /// The names to deallocate after a statement of the group.
    mutating func ended(by statement: Statement, at index: Int) -> [String] {
        if last[statement.name] == index { return [prefix + statement.name] }
        guard !left.isEmpty, statement.sql.hasPrefix("ROLLBACK") else { return [] }
        defer { left = [] }
        return Array(left)
    }
}
