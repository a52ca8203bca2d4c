import StorageDriver
import StorageSearch

/// The search indexes that a store has recorded. They bind every program that writes to it.
struct SearchSettings: OwnSettings {
    struct Model: Codable, Equatable, Sendable {
        var name: StoredName
        var analyzer: String
        /// The names of the properties by their numbers in the index.
        var properties: [StoredName]
        /// The index that answers queries; nil until the first one is complete.
        var ready: Int?
        /// The index that is being made.
        var building: Int?
        /// The format of the indexes, ``SegmentFormat/version``; nil for 1.
        var format: Int? = SegmentFormat.version

        /// False for indexes of an earlier version of the library, which are rebuilt.
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

    static let table = OwnTable("search", name: "storage_search", ["id": .int64, "settings": .string])
    static let subject = "search indexes"
    static let currentVersion = 2

    var version = currentVersion
    /// The number of the next index; numbers are never used again.
    var next = 1
    var models: [Model] = []

    init() {}

    func model(_ name: StoredName) -> Model? { models.first { $0.name == name } }
}

extension SearchFailure {
    /// The failure as an error of a call.
    func error(of model: StoredName) -> StorageError {
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
    static func outdated(_ model: StoredName) -> StorageError {
        StorageError(
            .busy,
            "An earlier version of the library made the search index. Open the store for writing with the model, or call "
                + "rebuildSearch(of:), to make it anew.", model: model)
    }

    static func unfinished(_ model: StoredName) -> StorageError {
        StorageError(
            .busy, "The search index is still being made; try again, or continue with rebuildSearch(of:).", model: model
        )
    }
}
