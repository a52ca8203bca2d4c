import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The changes of models' schemas that a store with a history has recorded, each at its place among the entries, as one
/// session reads them.
///
/// They are rows of a table of the store's own, which the first such change makes. A version of the library that does not
/// know of it leaves it as it is.
final class FormerSchemas {
    private struct Row {
        let commit: Int64
        let place: Int64
        let model: String
        let text: String
    }

    /// All tables of the store.
    let tables: [TableSchema]
    private var rows: [Row] = []
    private var known: [Int: FormerSchema] = [:]

    static let name = "\u{0}schemas"

    init(in session: any StorageSession) throws(StorageError) {
        tables = try session.tables()
        guard let table = Self.table(in: tables) else { return }
        let scan = try TableScan(table, in: session)
        while try scan.next() { rows.append(try Self.row(scan.cells)) }
    }

    static func table(in tables: [TableSchema]) -> TableSchema? { tables.first { $0.path == [name] } }

    private static func row(_ cells: UnsafePointer<Cell>) throws(StorageError) -> Row {
        guard case .text(let model) = cells[3].value, case .text(let text) = cells[4].value else { throw damaged }
        return Row(commit: cells[1].int, place: cells[2].int, model: model, text: text)
    }

    private static var damaged: StorageError {
        StorageError(
            .corrupt,
            "A former schema in the store's history cannot be read; restore a backup, or copy without history.")
    }

    /// The changes of an entry's model since the entry, the oldest first.
    func since(_ change: HistoryReading.Change) throws(StorageError) -> [FormerSchema] {
        try rows(since: change).map { (index) throws(StorageError) in try schema(index) }
    }

    /// The model's tables as they were when an entry was made.
    func tables(at change: HistoryReading.Change) throws(StorageError) -> [TableSchema] {
        guard let first = rows(since: change).first else { return RecordedTables.list(change.model, tables) }
        return try schema(first).tables
    }

    private func rows(since change: HistoryReading.Change) -> [Int] {
        rows.indices.filter { index in
            let row = rows[index]
            return (row.commit, row.place) >= (change.commit, change.place) && row.model.isSame(as: change.model)
        }
    }

    private func schema(_ index: Int) throws(StorageError) -> FormerSchema {
        if let known = known[index] { return known }
        do {
            let schema = try JSONDecoder().decode(FormerSchema.self, from: Data(rows[index].text.utf8))
            known[index] = schema
            return schema
        } catch {
            throw Self.damaged.caused(by: error)
        }
    }

    /// - Throws: `corrupt` if one of them cannot be read.
    func verify() throws(StorageError) { for index in rows.indices { _ = try schema(index) } }

    // MARK: Recording

    /// Records a change that the writer has made, if the store keeps a history.
    ///
    /// - Parameter place: the place of the last entry that was made before it; nil if the commit has none.
    static func record(
        _ schema: FormerSchema, of model: String, at place: (commit: Int64, place: Int64)?,
        in writer: any StorageWriter,
        _ directory: ModelDirectory
    ) throws(StorageError) {
        let tables = try writer.tables()
        guard let own = HistoryTables(in: tables, directory) else { return }
        let history = HistoryReading(own, writer)
        let last: (commit: Int64, place: Int64)
        if let place { last = place } else { last = (try history.last?.number ?? 0, .max) }
        let known = table(in: tables)
        let table = if let known { known } else { try makeTable(in: writer) }
        let first = try history.first?.number ?? 0
        // No entry is left that one before it would be needed for.
        var (gone, number): ([Value], Int64) = ([], 0)
        do {
            let scan = try TableScan(table, in: writer)
            while try scan.next() {
                number = scan.cells[0].int
                if scan.cells[1].int < first { gone.append(scan.cells[0].value) }
            }
        }
        func plan(_ operation: WriteOperation, _ columns: [Int]) -> WritePlan {
            WritePlan(id: directory.nextPlan(), operation: operation, table: table, columns: columns)
        }
        try writer.write(gone, plan(.delete, [0]))
        try writer.write(
            [.int(number + 1), .int(last.commit), .int(last.place), .text(model), .text(try text(of: schema))],
            plan(.insert, [0, 1, 2, 3, 4]))
    }

    private static func text(of schema: FormerSchema) throws(StorageError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(schema), as: UTF8.self)
        } catch {
            throw StorageError(.io, "The former schema could not be encoded.").caused(by: error)
        }
    }

    /// Makes the table in a store that has none.
    static func makeTable(in writer: any StorageWriter) throws(StorageError) -> TableSchema {
        // No prefix is reserved here, as for the history's other tables.
        var names = NameAllocator(used: try writer.tables().map(\.name), reservedPrefixes: [])
        func column(_ name: String, _ type: ColumnType) -> ColumnSchema {
            ColumnSchema(name: name, property: name, type: type)
        }
        let table = TableSchema(
            name: names.allocate("storage_history_schemas"), path: [name],
            columns: [
                column("id", .int64), column("commit", .int64), column("place", .int64), column("model", .string),
                column("schema", .string),
            ], key: [0])
        try writer.change(.create(table))
        return table
    }
}
