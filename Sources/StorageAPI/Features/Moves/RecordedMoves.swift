import StorageDriver

/// The names of the steps that a store has run, as one session reads them.
///
/// They are rows of a table of the store's own, which the first step makes. A version of the library that does not know
/// of it leaves it as it is.
struct RecordedMoves {
    static let name = "\u{0}moves"

    private(set) var names: [String] = []

    init(in session: any StorageSession) throws(StorageError) {
        guard let table = Self.table(in: try session.tables()) else { return }
        let scan = try TableScan(table, in: session)
        while try scan.next() {
            guard case .text(let name) = scan.cells[0].value else {
                throw StorageError(
                    .corrupt, "The name of a step that moved data cannot be read; restore a backup.")
            }
            names.append(name)
        }
    }

    static func table(in tables: [TableSchema]) -> TableSchema? { tables.first { $0.path == [name] } }

    func contains(_ name: String) -> Bool { names.contains { $0.isSame(as: name) } }

    /// Records that steps have run.
    static func record(
        _ names: [String], in writer: any StorageWriter, _ directory: ModelDirectory
    ) throws(StorageError) {
        guard !names.isEmpty else { return }
        let known = table(in: try writer.tables())
        let table = if let known { known } else { try makeTable(in: writer) }
        let plan = WritePlan(id: directory.nextPlan(), operation: .upsert, table: table, columns: [0])
        try writer.write(names.map(Value.text), plan)
    }

    private static func makeTable(in writer: any StorageWriter) throws(StorageError) -> TableSchema {
        // No prefix is reserved here: it is reserved for the store, and this table is the store's own.
        var names = NameAllocator(used: try writer.tables().map(\.name), reservedPrefixes: [])
        let table = TableSchema(
            name: names.allocate("storage_moves"), path: [name],
            columns: [ColumnSchema(name: "name", property: "name", type: .string)], key: [0])
        try writer.change(.create(table))
        return table
    }

    /// Makes the record of a copy fit its records: those of a whole store have come through the steps of the source and no
    /// others; those of some models have at least come through these.
    static func copy(
        from source: any StorageSession, isWhole: Bool, to writer: any StorageWriter, _ directory: ModelDirectory
    ) throws(StorageError) {
        if isWhole, let table = table(in: try writer.tables()) { try writer.truncate(table, directory) }
        try record(try RecordedMoves(in: source).names, in: writer, directory)
    }
}
