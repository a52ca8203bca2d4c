internal import CSQLite
internal import StorageDriver

/// The types of a view's computed columns, for which SQLite has no declared type. The functions that compute them decide, or
/// the view's first values.
struct ViewTypes {
    private static let rows = 100
    /// The most instructions of SQLite's virtual machine for a view's first rows. They take about a tenth of a second. A view that groups or sorts a large table gives no row by then.
    private static let maximumInstructions: Int32 = 2_000_000

    private var types: [String: ColumnType] = [:]

    /// - Parameter sql: the view's declaration.
    /// - Throws: an error of the statement if SQLite cannot prepare the view.
    init(_ view: String, declaration sql: String, _ connection: Connection) throws(StorageError) {
        let terms = ViewTerms(sql)
        var names = try Self.untypedColumns(of: view, connection)
        for name in names { types[name] = terms.type(of: name) ?? (terms.isNumber(name) ? .decimal : nil) }
        names.removeAll { types[$0] != nil }
        guard !names.isEmpty else { return }
        let kinds = names.map { "typeof(\($0.quotedName))" }.joined(separator: ", ")
        let statement = try Statement(
            connection, "SELECT \(kinds) FROM (SELECT * FROM \(view.quotedName) LIMIT \(Self.rows))")
        var found = [Set<Value>](repeating: [], count: names.count)
        do throws(StorageError) {
            try connection.limiting(instructions: Self.maximumInstructions) { () throws(StorageError) in
                var cursor = try statement.cursor()
                while try cursor.next() {
                    for place in names.indices { found[place].insert(cursor.cells[place].value) }
                }
            }
        } catch {
            // The values so far decide, also if one of the next cannot be computed.
            guard error.isOfStatement || error.code == .cancelled else { throw error }
        }
        for (name, kinds) in zip(names, found) { types[name] = Self.type(kinds) }
    }

    /// The type of a column; nil for one with a declared type, and without values.
    func type(of column: String) -> ColumnType? { types[column] }

    private static func untypedColumns(of view: String, _ connection: Connection) throws(StorageError) -> [String] {
        let statement = try Statement(connection, "SELECT name FROM pragma_table_xinfo(?1, 'main') WHERE type = ''")
        try statement.bind(.text(view), at: 1)
        var cursor = try statement.cursor()
        var names: [String] = []
        while try cursor.next() {
            if case .text(let name) = cursor.cells[0].value { names.append(name) }
        }
        return names
    }

    /// Integers are decimals, since a later value may have a fraction.
    private static func type(_ kinds: Set<Value>) -> ColumnType? {
        if kinds.contains(.text("text")) { return .string }
        if kinds.contains(.text("blob")) { return .data }
        if kinds.contains(.text("integer")) { return .decimal }
        return kinds.contains(.text("real")) ? .double : nil
    }
}

extension StorageError {
    /// True if SQLite cannot prepare or evaluate a statement, and the database is well.
    var isOfStatement: Bool { ((underlying as? SQLiteError)?.code).map { $0 & 0xFF == SQLITE_ERROR } ?? false }
}
