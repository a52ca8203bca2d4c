/// The operations that are measured.
enum Work: String, CaseIterable, Codable {
    case insert
    case fetchItems = "fetch-items"
    case fetch
    case stream
    case streamAsync = "stream-async"
    case find
    case findInBlock = "find-in-block"
    case page
    case update
    case delete
    case upsert
    case saveEach = "save-each"
    case saveEachBlocking = "save-each-blocking"
    case insertGraphs = "insert-graphs"
    case saveGraphs = "save-graphs"
    case loadGraphs = "load-graphs"

    var title: String {
        switch self {
        case .insert: "bulk insert, one transaction"
        case .fetchItems: "fetch all, integers and short text"
        case .fetch: "fetch all, full record"
        case .stream: "stream in a read block, full record"
        case .streamAsync: "stream as an AsyncSequence"
        case .find: "lookup by key"
        case .findInBlock: "lookup by key in a read block"
        case .page: "filter, sort, limit 100"
        case .update: "update by key, one transaction"
        case .delete: "delete by key, one transaction"
        case .upsert: "upsert, half exist, one transaction"
        case .saveEach: "save, a transaction each, async"
        case .saveEachBlocking: "save, a transaction each, blocking"
        case .insertGraphs: "graph insert, 1 + 1 + 10 rows"
        case .saveGraphs: "graph save over a stored one"
        case .loadGraphs: "graph load"
        }
    }

    /// The number of operations that a figure is divided by.
    func operations(_ sample: Sample) -> Int {
        switch self {
        case .insert, .fetchItems, .fetch, .stream, .streamAsync, .update, .upsert: sample.records.count
        case .find, .findInBlock: sample.keys.count
        case .page: sample.pages.count
        case .delete: sample.deleted.count
        case .saveEach, .saveEachBlocking: Self.saves(sample)
        case .insertGraphs, .saveGraphs, .loadGraphs: sample.purchases.count
        }
    }

    static func saves(_ sample: Sample) -> Int { min(sample.records.count, 1000) }
}

/// The result of a run, which is compared outside the measured time.
enum Outcome: Sendable {
    case written
    case sum(Int64)
    /// Models in memory, and the checksum of all their fields.
    case kept(@Sendable () -> UInt64)

    static func models<M: Summed & Sendable>(_ models: [M]) -> Outcome { .kept { models.checksum } }
}

enum Table: CaseIterable { case records, items, purchases }

/// One way to store records. Used by one task.
protocol Contestant: AnyObject {
    var name: String { get }
    var works: Set<Work> { get }
    /// Removes all rows of a table.
    func clear(_ table: Table) throws
    func insertItems() throws
    /// Makes the models that the next run writes, so that no time is measured for making them.
    ///
    /// - Parameter round: what is added to a number of each.
    func make(_ work: Work, round: Int)
    func run(_ work: Work) async throws -> Outcome
}

extension Contestant {
    /// Brings the tables to what a case begins with; all of them are full before and after.
    func prepare(_ work: Work, round: Int) async throws {
        switch work {
        case .insert: try clear(.records)
        case .insertGraphs: try clear(.purchases)
        case .upsert: _ = try await run(.delete)
        case .delete:
            make(.upsert, round: round)
            _ = try await run(.upsert)
        default: break
        }
        make(work, round: round)
    }

    func fill() async throws {
        if works.contains(.fetchItems) {
            try clear(.items)
            try insertItems()
        }
        for work in [Work.insert, .insertGraphs] where works.contains(work) {
            try await prepare(work, round: 0)
            _ = try await run(work)
        }
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
