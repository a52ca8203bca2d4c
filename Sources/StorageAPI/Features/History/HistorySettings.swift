import StorageDriver

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The recorded settings of a store's history: its models, its start, and its limit.
struct HistorySettings: Codable, Equatable, Sendable {
    struct Model: Codable, Equatable, Sendable {
        var name: String
        /// The last commit before its changes were recorded.
        var since: Int64
        /// The last commit before its records were kept too; nil if they are not.
        var recordsSince: Int64?
    }

    /// The limits of the history; everything is kept where neither is set.
    struct Retention: Codable, Equatable, Sendable {
        var commits: Int?
        var seconds: Double?
    }

    /// Rises when the tables come to mean something else.
    var version = 1
    /// Names the store in tokens.
    var store = UUID()
    var models: [Model] = []
    var limit = Retention()

    func model(_ name: String) -> Model? { models.first { $0.name.isSame(as: name) } }

    // MARK: Stored form

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // These types always encode.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    init() {}

    /// - Throws: `corrupt` for text that is none, `schemaNewer` for settings of a later version.
    init(text: String) throws(StorageError) {
        struct Versioned: Codable { var version: Int }
        let data = Data(text.utf8)
        if let known = try? JSONDecoder().decode(Versioned.self, from: data), known.version > 1 {
            throw StorageError(
                .schemaNewer, "The store's history was written by a later version of the library; use that one.")
        }
        do {
            self = try JSONDecoder().decode(HistorySettings.self, from: data)
        } catch {
            throw StorageError(.corrupt, "The settings of the store's history cannot be read; restore a backup.")
                .caused(by: error)
        }
    }
}

/// The history that a store keeps, as its writes need it.
final class ActiveHistory: Sendable {
    let settings: HistorySettings
    let tables: HistoryTables

    init(_ settings: HistorySettings, _ tables: HistoryTables) {
        self.settings = settings
        self.tables = tables
    }

    /// The history that the session's store has recorded; nil if it keeps none.
    static func recorded(
        in session: any StorageSession, _ directory: ModelDirectory
    ) throws(StorageError) -> ActiveHistory? {
        guard let tables = HistoryTables(in: try session.tables(), directory) else { return nil }
        return ActiveHistory(try tables.settings(in: session), tables)
    }

    func keeps(_ model: String) -> Bool { settings.model(model) != nil }
}

extension HistoryTables {
    func settings(in session: any StorageSession) throws(StorageError) -> HistorySettings {
        var cursor = try session.rows(readSettings, QueryArguments())
        guard try cursor.next(), case .text(let text) = cursor.cells[0].value else {
            throw StorageError(.corrupt, "The store's history has no settings; restore a backup.")
        }
        return try HistorySettings(text: text)
    }

    /// Records settings. The table is made anew, so that other processes notice, as they notice any change of tables
    /// (clause S11).
    func record(_ settings: HistorySettings, in writer: any StorageWriter) throws(StorageError) {
        try writer.change(.drop(self.settings))
        try writer.change(.create(self.settings))
        try writer.write([.int(1), .text(settings.text)], writeSettings)
    }
}

extension StorageWriter {
    /// Writes rows of values, one after the other in the list.
    func write(_ values: [Value], _ plan: WritePlan) throws(StorageError) {
        guard !values.isEmpty else { return }
        let cells = ValueCells(ValueList(width: plan.columns.count, values: values))
        _ = try write(RowBatch(plan: plan, count: cells.count, cells: cells.cells))
    }

    /// Removes all rows of a table.
    func truncate(_ table: TableSchema, _ directory: ModelDirectory) throws(StorageError) {
        let plan = WritePlan(id: directory.nextPlan(), operation: .truncate, table: table, columns: [])
        let nothing = RowBuffer(width: 1)
        _ = try write(RowBatch(plan: plan, count: 0, cells: UnsafePointer(nothing.cells)))
    }
}
