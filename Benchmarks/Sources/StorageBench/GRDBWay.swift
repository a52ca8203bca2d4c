import CBaseline
import Foundation
import GRDB

/// GRDB with records, written as its documentation does: a pool in WAL mode, one transaction for what is written
/// together, prefetched associations.
final class GRDBWay<R: RecordShape & FetchableRecord & PersistableRecord, I: ItemShape & FetchableRecord>: Contestant {
    let name: String
    let works: Set<Work>
    private let sample: Sample
    private let pool: DatabasePool
    private var records: [R] = []
    private var purchases: [PurchaseInfo] = []

    init(_ name: String, _ folder: URL, _ sample: Sample, works: Set<Work> = Set(Work.allCases)) throws {
        self.name = name
        self.works = works
        self.sample = sample
        pool = try DatabasePool(grdb: folder.appendingPathComponent("\(R.self).db"))
    }

    func clear(_ table: Table) throws { try pool.clear(table) }

    func insertItems() throws { try pool.write { db in for item in sample.items { try item.insert(db) } } }

    func make(_ work: Work, round: Int) {
        let changed = Changed(work, sample, round)
        records = changed.records.map { R($0) }
        purchases = changed.purchases.map(PurchaseInfo.init)
    }

    func run(_ work: Work) async throws -> Outcome {
        guard work == .saveEach else { return try runBlocking(work) }
        for record in records { try await pool.write { db in try record.upsert(db) } }
        return .written
    }

    private func runBlocking(_ work: Work) throws -> Outcome {
        switch work {
        case .insert: try pool.write { db in for record in records { try record.insert(db) } }
        case .update: try pool.write { db in for record in records { try record.update(db) } }
        case .upsert: try pool.write { db in for record in records { try record.upsert(db) } }
        case .saveEachBlocking: for record in records { try pool.write { db in try record.upsert(db) } }
        case .delete: try pool.write { db in for key in sample.deleted { try R.deleteOne(db, key: key) } }
        case .insertGraphs: try pool.write { db in for purchase in purchases { try purchase.insert(db) } }
        case .saveGraphs: try pool.write { db in for purchase in purchases { try purchase.save(db) } }
        default: return try read(work)
        }
        return .written
    }

    private func read(_ work: Work) throws -> Outcome {
        switch work {
        case .fetch: return .models(try pool.read { try R.order(Column("id")).fetchAll($0) })
        case .fetchItems: return .models(try pool.read { try I.fetchAll($0, sql: "SELECT * FROM Item ORDER BY id") })
        case .stream, .streamAsync: return .sum(try pool.read(stream))
        case .find:
            return .sum(
                try sample.keys.reduce(0) { sum, key in
                    sum + (try pool.read { try R.fetchOne($0, key: key) }?.sum ?? 0)
                })
        case .findInBlock:
            return .sum(
                try pool.read { db in
                    try sample.keys.reduce(0) { sum, key in sum + (try R.fetchOne(db, key: key)?.sum ?? 0) }
                })
        case .page: return .models(try sample.pages.flatMap(page))
        case .loadGraphs: return .models(try pool.read(PurchaseInfo.all))
        default: throw BenchmarkError("\(work) writes")
        }
    }

    private func stream(_ db: GRDB.Database) throws -> Int64 {
        var sum: Int64 = 0
        let cursor = try R.order(Column("id")).fetchCursor(db)
        while let record = try cursor.next() { sum += record.sum }
        return sum
    }

    private func page(from age: Int) throws -> [R] {
        let request = R.filter(Column("age") >= age && Column("age") < age + Sample.page.width)
            .order(Column("name"), Column("id")).limit(Sample.page.limit)
        return try pool.read { try request.fetchAll($0) }
    }
}

extension PurchaseInfo {
    func insert(_ db: GRDB.Database) throws {
        try purchase.insert(db)
        try address.insert(db)
        for line in lines { try line.insert(db) }
    }

    /// Lines that are gone must go, so all are replaced.
    func save(_ db: GRDB.Database) throws {
        try purchase.save(db)
        try address.save(db)
        try purchase.request(for: PurchaseRow.lines).deleteAll(db)
        for line in lines { try line.insert(db) }
    }

    static func all(_ db: GRDB.Database) throws -> [PurchaseInfo] {
        try PurchaseRow.including(required: PurchaseRow.address)
            .including(all: PurchaseRow.lines.order(Column("position")))
            .order(Column("id")).asRequest(of: PurchaseInfo.self).fetchAll(db)
    }
}

extension DatabasePool {
    /// A pool with the pragmas of all ways.
    convenience init(grdb url: URL, makesTables: Bool = true) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            for pragma in Database.pragmas where !(db.configuration.readonly && pragma.contains("journal_mode")) {
                try db.execute(sql: pragma)
            }
        }
        try self.init(path: url.path, configuration: configuration)
        if makesTables { try write { db in try db.execute(sql: String(cString: cbaseline_schema)) } }
    }

    func clear(_ table: Table) throws {
        try write { db in for name in table.names { try db.execute(sql: "DELETE FROM \(name)") } }
    }
}
