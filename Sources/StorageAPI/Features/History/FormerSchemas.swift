import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A change of a model's schema that a store with a history has recorded, at its place among the entries.
struct FormerSchemaRow: OwnRow {
    let id: Int64
    /// The commit of the last entry before the change.
    let commit: Int64
    let place: Int64
    let model: StoredName
    /// The ``FormerSchema`` as JSON.
    let text: String

    static let table = OwnTable(
        "schemas", name: "storage_history_schemas",
        ["id": .int64, "commit": .int64, "place": .int64, "model": .string, "schema": .string])

    var values: [Value] { [.int(id), .int(commit), .int(place), .text(model.text), .text(text)] }
}

extension FormerSchemaRow {
    init(_ cells: UnsafePointer<Cell>) throws(StorageError) {
        guard case .text(let model) = cells[3].value, case .text(let text) = cells[4].value else {
            throw FormerSchemas.damaged
        }
        self.init(id: cells[0].int, commit: cells[1].int, place: cells[2].int, model: StoredName(model), text: text)
    }
}

/// The changes of models' schemas as one session reads them.
final class FormerSchemas {
    /// All tables of the store.
    let tables: [TableSchema]
    private let rows: [FormerSchemaRow]
    private var known: [Int: FormerSchema] = [:]
    /// The new properties since the change of a row.
    private var new: [Int: Set<StoredPath>] = [:]

    init(in session: any StorageSession) throws(StorageError) {
        tables = try session.tables()
        rows = try FormerSchemaRow.all(among: tables, in: session)
    }

    fileprivate static var damaged: StorageError {
        StorageError(
            .corrupt,
            "A former schema in the store's history cannot be read; restore a backup, or copy without history.")
    }

    /// The changes of an entry's model since the entry, the oldest first.
    func since(_ change: HistoryChange) throws(StorageError) -> [FormerSchema] {
        try rows(since: change).map { (index) throws(StorageError) in try schema(index) }
    }

    /// The model's tables as they were when an entry was made.
    func tables(at change: HistoryChange) throws(StorageError) -> [TableSchema] {
        guard let first = rows(since: change).first else { return RecordedTables.list(change.model, tables) }
        return try schema(first).tables
    }

    /// The paths of the properties that an entry's model has got since the entry, from the name of the model on.
    func newProperties(since change: HistoryChange) throws(StorageError) -> Set<StoredPath> {
        guard let first = rows(since: change).first else { return [] }
        if let known = new[first] { return known }
        let tables = RecordedTables.list(change.model, tables)
        let properties = FormerSchema.properties(of: tables, newSince: try since(change))
        new[first] = properties
        return properties
    }

    private func rows(since change: HistoryChange) -> [Int] {
        rows.indices.filter { index in
            let row = rows[index]
            return (row.commit, row.place) >= (change.commit, change.place) && row.model == change.model
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
    /// - Parameter place: the place of the last entry that was made before it; nil if the commit has no such entry.
    static func record(
        _ schema: FormerSchema, of model: StoredName, at place: (commit: Int64, place: Int64)?,
        in writer: any StorageWriter,
        _ directory: ModelDirectory
    ) throws(StorageError) {
        let tables = try writer.tables()
        guard let own = HistoryTables(in: tables, directory) else { return }
        let history = HistoryReading(own, writer)
        let last: (commit: Int64, place: Int64)
        if let place { last = place } else { last = (try history.last?.number ?? 0, .max) }
        let first = try history.first?.number ?? 0
        let known = try FormerSchemaRow.all(among: tables, in: writer)
        let row = FormerSchemaRow(
            id: (known.last?.id ?? 0) + 1, commit: last.commit, place: last.place, model: model,
            text: try text(of: schema))
        // No entry is left that a change before the first commit would be needed for.
        try row.record(removing: known.filter { $0.commit < first }, among: tables, in: writer, directory)
    }

    private static func text(of schema: FormerSchema) throws(StorageError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(schema), as: UTF8.self)
        } catch {
            throw StorageError(.io, "The former schema could not be encoded.").caused(by: error)
        }
    }
}
