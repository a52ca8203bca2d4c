import StorageDriver
import StorageSearch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The search indexes that a store has recorded. They bind every program that writes to it.
struct SearchSettings: Codable, Equatable, Sendable {
    struct Model: Codable, Equatable, Sendable {
        var name: String
        var analyzer: String
        /// The names of the properties by their numbers in the index.
        var properties: [String]
        /// The index that answers queries; nil until the first one is complete.
        var ready: Int?
        /// The index that is being made.
        var building: Int?
        /// The format of the indexes, ``SegmentFormat/version``; nil for 1.
        var format: Int? = SegmentFormat.version

        /// False for indexes that an earlier version of the library has made, which are made anew.
        var isCurrent: Bool { format == SegmentFormat.version && analyzer == Analyzer.words.name }

        /// True for indexes whose words only a later version of the library knows.
        var isLater: Bool { Analyzer(named: analyzer) == nil && !Analyzer.earlier.contains(analyzer) }

        /// The model in a store's tables as the indexes number its properties; nil if the indexes must be rebuilt.
        func searched(in tables: [TableSchema]) -> SearchedModel? { isCurrent ? numbered(in: tables) : nil }

        /// The same, for indexes of any format; nil if they have other properties.
        func numbered(in tables: [TableSchema]) -> SearchedModel? {
            SearchedModel(name, in: tables)?.numbered(as: properties)
        }

        var indexes: [Int] { [ready, building].compactMap(\.self) }
    }

    /// Rises when the tables come to mean something else.
    private static let current = 2

    private(set) var version = current
    /// The number of the next index; numbers are never used again.
    var next = 1
    var models: [Model] = []

    init() {}

    func model(_ name: String) -> Model? { models.first { $0.name.isSame(as: name) } }

    static let path = ["\u{0}search"]

    // MARK: Stored form

    /// - Throws: `corrupt`, and `schemaNewer` for settings of a later version.
    init(_ text: String) throws(StorageError) {
        struct Versioned: Codable { var version: Int }
        let data = Data(text.utf8)
        if let known = try? JSONDecoder().decode(Versioned.self, from: data), known.version > Self.current {
            throw StorageError(
                .schemaNewer, "A later version of the library wrote the store's search indexes; use that one.")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: data)
            version = Self.current
        } catch {
            throw StorageError(.corrupt, "The settings of the store's search indexes cannot be read; restore a backup.")
                .caused(by: error)
        }
    }

    /// Records the settings. Their table is made anew, so that other processes notice, as they notice any change of tables
    /// (clause S11).
    func record(in writer: any StorageWriter, _ directory: ModelDirectory) throws(StorageError) {
        let tables = try writer.tables()
        var names = NameAllocator(used: tables.map(\.name), reservedPrefixes: [])
        let known = tables.first { $0.path == Self.path }
        let table =
            known
            ?? TableSchema(
                name: names.allocate("storage_search"), path: Self.path,
                columns: [
                    ColumnSchema(name: "id", property: "id", type: .int64),
                    ColumnSchema(name: "settings", property: "settings", type: .string),
                ], key: [0])
        if known != nil { try writer.change(.drop(table)) }
        try writer.change(.create(table))
        let plan = WritePlan(id: directory.nextPlan(), operation: .insert, table: table, columns: [0, 1])
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            try writer.write([.int(1), .text(String(decoding: encoder.encode(self), as: UTF8.self))], plan)
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.io, "The settings of the search indexes cannot be written.").caused(by: error)
        }
    }
}

extension SearchFailure {
    /// The failure as an error of a call.
    func error(of model: String) -> StorageError {
        switch self {
        case .corrupt(let reason):
            StorageError(
                .corrupt, "The search index is damaged: \(reason) Make it anew with rebuildSearch(of:).", model: model)
        case .unfinished: SearchSettings.unfinished(model)
        case .storage(let error):
            error as? StorageError
                ?? StorageError(.io, "The search index cannot be read.", model: model).caused(by: error)
        }
    }
}

extension SearchSettings {
    static func outdated(_ model: String) -> StorageError {
        StorageError(
            .busy,
            "An earlier version of the library made the search index. Open the store for writing with the model, or call "
                + "rebuildSearch(of:), to make it anew.", model: model)
    }

    static func unfinished(_ model: String) -> StorageError {
        StorageError(
            .busy, "The search index is still being made; try again, or continue with rebuildSearch(of:).", model: model
        )
    }
}
