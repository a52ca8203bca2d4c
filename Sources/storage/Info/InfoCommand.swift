import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageSync
import TerminalOutput

/// `storage info`.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show a store's backend, size, models, records and capabilities.",
        discussion: """
            Examples:
              storage info people.db
              storage info archive:people.karch --json
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await store.with(.reading) { store in
            let facts = try await StoreFacts(store, self.store)
            var output = Output()
            if json { try facts.printJSON(&output) } else { try facts.printText(&output) }
            try output.flush()
        }
    }
}

/// The output of `storage info`.
private struct StoreFacts: Encodable {
    struct Model: Encodable {
        let name: String
        /// The number of records; nil for a view that cannot be computed.
        let records: Int?
        let tables: Int
        /// True for a view and a table without a key; nil otherwise.
        let isReadOnly: Bool?

        init(_ table: TableSchema, among tables: [TableSchema], of store: Store) async throws {
            name = table.path[0]
            self.tables = tables.count { StoredName($0.path[0]) == StoredName(table.path[0]) }
            isReadOnly = table.isReadOnly ? true : nil
            do {
                records = try await store.records(table.path[0]).count()
            } catch {
                guard table.isReadOnly else { throw error }
                records = nil
            }
        }
    }

    struct Limits: Encodable {
        let valueBytes, keyBytes, depth, columns: Int
    }

    let backend: String
    let format: String?
    let location: String
    let bytes: Int?
    let models: [Model]
    let capabilities: [String]
    /// Capabilities that are lacking, each with the reason.
    let lacking: [String: String]
    let limits: Limits
    /// The history that is kept; nil if none exists.
    let history: History?

    /// The state of a replica of a hub; nil if the store is none.
    let replica: SyncState?

    struct SyncState: Encodable {
        let waiting, aside: Int
        let lastExchange: String?
        /// The numbers of records that have arrived, and that are to arrive, while all are read; nil otherwise.
        let reading: Reading?

        struct Reading: Encodable {
            let records, total: Int
        }
    }

    struct History: Encodable {
        let records, keys: [String]
        let firstCommit, lastCommit: Int?
        let commits: Int?
        let seconds: Double?
        /// The commits after which readers hold the history, by the readers' names.
        let holds: [String: Int]
    }

    init(_ store: Store, _ location: StoreLocation) async throws {
        backend = store.info.name
        format = store.info.format
        self.location = store.info.location
        bytes = location.path.flatMap { path in
            (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
        }
        let tables = try await store.schema()
        var models: [Model] = []
        for table in tables where table.isRoot {
            models.append(try await Model(table, among: tables, of: store))
        }
        self.models = models
        let info = store.info
        // The store was opened for reading, which says nothing of whether it can be written.
        let asked = BackendInfo.Capability.allCases.filter { $0 != .writing }
        capabilities = asked.filter(info.has).map(\.rawValue)
        lacking = Dictionary(
            uniqueKeysWithValues: asked.compactMap { name in info.lacking[name].map { (name.rawValue, $0) } })
        history = try await store.historyStatus().map {
            History(
                records: $0.records, keys: $0.keys, firstCommit: $0.firstCommit, lastCommit: $0.lastCommit,
                commits: $0.keeping.commits, seconds: $0.keeping.seconds,
                holds: Dictionary($0.holds.map { ($0.name, $0.commit) }) { first, _ in first })
        }
        replica = try await Replica.status(of: store).map { status in
            SyncState(
                waiting: status.waiting, aside: status.aside,
                lastExchange: status.lastExchange?.formatted(Date.ISO8601FormatStyle()),
                reading: status.reading.map { .init(records: $0.records, total: $0.total) })
        }
        limits = Limits(
            valueBytes: info.limits.valueBytes, keyBytes: info.limits.keyBytes, depth: info.limits.depth,
            columns: info.limits.columns)
    }

    func printJSON(_ output: inout Output) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try output.line(String(decoding: try encoder.encode(self), as: UTF8.self))
    }

    func printText(_ output: inout Output) throws {
        try output.line("Backend   \(backend)")
        if let format { try output.line("Format    \(format)") }
        try output.line("Location  \(location.printable)")
        if let bytes { try output.line("Size      \(bytes.grouped) bytes") }
        try output.line("Has       \(capabilities.map(\.asWords).joined(separator: ", "))")
        for (name, reason) in lacking.sorted(by: { $0.key < $1.key }) {
            try output.line("Lacks     \(name.asWords): \(reason.printable)")
        }
        if let history { try output.line("History   \(history.text.printable)") }
        if let replica { try output.line("Replica   \(replica.text)") }
        guard !models.isEmpty else { return try output.line("Models    none") }
        try output.line("")
        var table = TextTable("Model", .number("Records"), .number("Tables"))
        for model in models {
            let tables = model.isReadOnly == true ? "none, can only be read" : String(model.tables)
            table.add(model.name, model.records?.grouped ?? "–", tables)
        }
        for line in table.lines { try output.line(line) }
    }
}

extension StoreFacts.SyncState {
    /// `3 commits wait for the hub, of which 1 does not fit; last exchange 2026-11-28T12:01:05Z`
    fileprivate var text: String {
        var text = "\(waiting.counted("commit")) \(waiting == 1 ? "waits" : "wait") for the hub"
        if aside > 0 { text += ", of which \(aside.grouped) \(aside == 1 ? "does" : "do") not fit" }
        if let reading {
            text += "; \(reading.records.grouped) of \(reading.total.grouped) records have arrived"
        }
        return text + (lastExchange.map { "; last exchange \($0)" } ?? "; no exchange yet")
    }
}

extension StoreFacts.History {
    /// `of the records of Person, the keys of Pen; commits 3 to 12; the last 100 commits and 30 days are kept`
    fileprivate var text: String {
        let kept = [
            records.isEmpty ? nil : "the records of \(records.joined(separator: ", "))",
            keys.isEmpty ? nil : "the keys of \(keys.joined(separator: ", "))",
        ].compactMap(\.self).joined(separator: ", and ")
        var text = kept.isEmpty ? "of no model any more" : "of \(kept)"
        if let firstCommit, let lastCommit { text += "; commits \(firstCommit) to \(lastCommit)" }
        let limits = [
            commits.map { "the last \($0) commits" },
            seconds.map { "the last \(($0 / 86_400).formatted(.number.precision(.fractionLength(0...1)))) days" },
        ].compactMap(\.self)
        if !limits.isEmpty { text += "; \(limits.joined(separator: " of ")) are kept" }
        for (name, commit) in holds.sorted(by: { $0.key < $1.key }) {
            text += "; held by \(name) after commit \(commit)"
        }
        return text
    }
}

extension String {
    /// A name of the library as words: `concurrent reads` of `concurrentReads`.
    fileprivate var asWords: String {
        reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
    }
}
