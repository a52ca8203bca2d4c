import StorageDriver

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The recorded settings of a store's history: its models, its start, and its limit.
struct HistorySettings: OwnSettings {
    struct Model: Codable, Equatable, Sendable {
        var name: StoredName
        /// The last commit before its changes were recorded.
        var since: Int64
        /// The last commit before its records were kept too; nil if they are not.
        var recordsSince: Int64?
    }

    /// The limits of the history; everything is kept where neither is set.
    struct Retention: Codable, Equatable, Sendable {
        var commits: Int?
        var seconds: Double?

        /// Returns whether a commit is older than the age, or beyond the number.
        func isBeyond(_ commit: CommitRow, last: Int64, now: Double) -> Bool {
            (commits.map { last - commit.number >= Int64($0) } ?? false)
                || (seconds.map { now - commit.time > $0 } ?? false)
        }
    }

    static let table = OwnTable(
        "settings", name: "storage_history_settings", ["id": .int64, "settings": .string])
    static let subject = "history"
    static let currentVersion = 2
    static let leastVersion = 1

    var version = currentVersion
    /// Names the store in tokens.
    var store = UUID()
    var models: [Model] = []
    var limit = Retention()
    /// The most that holds may keep beyond the limit; nil for everything.
    var holding: Retention?

    func model(_ name: StoredName) -> Model? { models.first { $0.name == name } }
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

    func keeps(_ model: StoredName) -> Bool { settings.model(model) != nil }
}

extension HistoryTables {
    func settings(in session: any StorageSession) throws(StorageError) -> HistorySettings {
        let text = try HistorySettings.text(readSettings, in: session)
        // They seldom change, and to decode them takes longer than to read them.
        if let last = lastSettings.withLock({ $0 }), last.text.utf8.elementsEqual(text.utf8) { return last.settings }
        let settings = try HistorySettings(text: text)
        lastSettings.withLock { $0 = (text, settings) }
        return settings
    }
}
