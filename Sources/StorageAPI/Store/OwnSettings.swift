import StorageDriver

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Settings that a store records as text, in the only row of one of its internal tables.
protocol OwnSettings: Codable, Equatable, Sendable {
    /// A table with the columns `id`, which is 1, and `settings`.
    static var table: OwnTable { get }
    /// The subject of the settings, as messages name it.
    static var subject: String { get }
    /// The version of the settings, which rises when the meaning of the tables changes.
    static var currentVersion: Int { get }
    /// The least version that settings are recorded with. Settings that were read with a later version keep it.
    static var leastVersion: Int { get }
    var version: Int { get set }
}

extension OwnSettings {
    static var leastVersion: Int { currentVersion }

    /// The text of the settings in a session's store.
    ///
    /// - Parameter plan: reads the column `settings`.
    static func text(_ plan: QueryPlan, in session: any StorageSession) throws(StorageError) -> String {
        var cursor = try session.rows(plan, QueryArguments(limit: plan.query.isLimited ? 1 : nil))
        guard try cursor.next(), case .text(let text) = cursor.cells[0].value else {
            throw StorageError(.corrupt, "The settings of the store's \(subject) are missing; restore a backup.")
        }
        return text
    }

    /// - Throws: `corrupt` for text that holds no settings; `schemaNewer` for settings of a later version.
    init(text: String) throws(StorageError) {
        let data = Data(text.utf8)
        if let known = try? JSONDecoder().decode(SettingsVersion.self, from: data), known.version > Self.currentVersion
        {
            throw StorageError(
                .schemaNewer, "A later version of the library wrote the store's \(Self.subject); use that one.")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch {
            throw StorageError(
                .corrupt, "The settings of the store's \(Self.subject) cannot be read; restore a backup."
            ).caused(by: error)
        }
        version = max(version, Self.leastVersion)
    }

    /// Records the settings. Recreates their table, so that other processes notice the change as they notice any change of
    /// tables (clause S11).
    func record(in writer: any StorageWriter, _ directory: ModelDirectory) throws(StorageError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text: String
        do {
            text = String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            throw StorageError(.io, "The settings of the store's \(Self.subject) cannot be written.").caused(by: error)
        }
        let table: TableSchema
        if let known = Self.table.find(in: try writer.tables()) {
            table = known
            try writer.change(.drop(table))
            try writer.change(.create(table))
        } else {
            table = try Self.table.create(in: writer)
        }
        try writer.write([.int(1), .text(text)], directory.plan(.insert, of: table, columns: [0, 1]))
    }
}

private struct SettingsVersion: Codable { var version: Int }
