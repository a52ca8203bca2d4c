import Foundation
import GRDB

/// GRDB below its records: cached statements, arguments and columns by position.
final class GRDBCached: Contestant {
    let name = "GRDB, cached statements"
    let works: Set<Work> = [
        .insert, .fetch, .fetchItems, .stream, .find, .findInBlock, .page, .update, .delete, .upsert, .saveEach,
        .saveEachBlocking, .insertGraphs, .saveGraphs,
    ]
    private let sample: Sample
    private let pool: DatabasePool
    private var changed = Changed()

    init(_ folder: URL, _ sample: Sample) throws {
        self.sample = sample
        pool = try DatabasePool(grdb: folder.appendingPathComponent("cached.db"))
    }

    func clear(_ table: Table) throws { try pool.clear(table) }

    func insertItems() throws { try pool.write { db in for item in sample.items { try item.insert(db) } } }

    func make(_ work: Work, round: Int) { changed = Changed(work, sample, round) }

    private static let columns = "id, name, age, height, photo, tags"
    private static let insert = "INSERT INTO Record (\(columns)) VALUES (?, ?, ?, ?, ?, ?)"
    private static let update = "UPDATE Record SET name = ?, age = ?, height = ?, photo = ?, tags = ? WHERE id = ?"
    private static let replace =
        " ON CONFLICT (id) DO UPDATE SET name = excluded.name, age = excluded.age, height = excluded.height,"
        + " photo = excluded.photo, tags = excluded.tags"
    private static let upsert = insert + replace

    func run(_ work: Work) async throws -> Outcome {
        guard work == .saveEach else { return try runBlocking(work) }
        for record in changed.records { try await pool.write { try Self.write(record, Self.upsert, $0) } }
        return .written
    }

    private func runBlocking(_ work: Work) throws -> Outcome {
        switch work {
        case .insert: try pool.write { db in for record in changed.records { try Self.write(record, Self.insert, db) } }
        case .upsert: try pool.write { db in for record in changed.records { try Self.write(record, Self.upsert, db) } }
        case .saveEachBlocking:
            for record in changed.records { try pool.write { try Self.write(record, Self.upsert, $0) } }
        case .update: try pool.write(update)
        case .delete: try pool.write(delete)
        case .insertGraphs: try pool.write { try writeGraphs($0, replaces: false) }
        case .saveGraphs: try pool.write { try writeGraphs($0, replaces: true) }
        default: return try read(work)
        }
        return .written
    }

    // MARK: Writing

    private static func write(_ record: Record, _ sql: String, _ db: GRDB.Database) throws {
        try db.cachedStatement(sql: sql).execute(arguments: [
            record.id, record.name, record.age, record.height, record.photo, record.tags,
        ])
    }

    private func update(_ db: GRDB.Database) throws {
        let statement = try db.cachedStatement(sql: Self.update)
        for record in changed.records {
            try statement.execute(arguments: [
                record.name, record.age, record.height, record.photo, record.tags, record.id,
            ])
        }
    }

    private func delete(_ db: GRDB.Database) throws {
        let statement = try db.cachedStatement(sql: "DELETE FROM Record WHERE id = ?")
        for key in sample.deleted { try statement.execute(arguments: [key]) }
    }

    private func writeGraphs(_ db: GRDB.Database, replaces: Bool) throws {
        let insert = "INSERT INTO Purchase (id, customer, placed, total) VALUES (?, ?, ?, ?)"
        let conflict =
            " ON CONFLICT (id) DO UPDATE SET customer = excluded.customer, placed = excluded.placed, total = excluded.total"
        let root = try db.cachedStatement(sql: replaces ? insert + conflict : insert)
        let address = try db.cachedStatement(
            sql: "INSERT INTO Address (purchase, street, city, zip) VALUES (?, ?, ?, ?)")
        let line = try db.cachedStatement(
            sql: "INSERT INTO Line (purchase, position, article, title, quantity, price) VALUES (?, ?, ?, ?, ?, ?)")
        let noAddress = try db.cachedStatement(sql: "DELETE FROM Address WHERE purchase = ?")
        let noLines = try db.cachedStatement(sql: "DELETE FROM Line WHERE purchase = ?")
        for purchase in changed.purchases {
            try root.execute(arguments: [purchase.id, purchase.customer, purchase.placed, purchase.total])
            if replaces {
                try noAddress.execute(arguments: [purchase.id])
                try noLines.execute(arguments: [purchase.id])
            }
            let its = purchase.address
            try address.execute(arguments: [purchase.id, its.street, its.city, its.zip])
            for (place, item) in purchase.lines.enumerated() {
                try line.execute(arguments: [
                    purchase.id, place, item.article, item.title, item.quantity, item.price,
                ])
            }
        }
    }

    // MARK: Reading

    private func read(_ work: Work) throws -> Outcome {
        let all = "SELECT \(Self.columns) FROM Record ORDER BY id"
        switch work {
        case .fetch: return .models(try pool.read { try PlainRecord.fetchAll($0.cachedStatement(sql: all)) })
        case .fetchItems:
            let items = "SELECT id, first, second, third, label FROM Item ORDER BY id"
            return .models(try pool.read { try PlainItem.fetchAll($0.cachedStatement(sql: items)) })
        case .stream:
            return .sum(
                try pool.read { db in
                    var sum: Int64 = 0
                    let cursor = try PlainRecord.fetchCursor(db.cachedStatement(sql: all))
                    while let record = try cursor.next() { sum += record.sum }
                    return sum
                })
        case .find:
            return .sum(try sample.keys.reduce(0) { sum, key in try sum + pool.read { try find(key, $0) } })
        case .findInBlock:
            return .sum(try pool.read { db in try sample.keys.reduce(0) { sum, key in try sum + find(key, db) } })
        case .page: return .models(try sample.pages.flatMap(page))
        default: throw BenchmarkError("\(work.rawValue) is not written with cached statements")
        }
    }

    private func find(_ key: Int64, _ db: GRDB.Database) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT \(Self.columns) FROM Record WHERE id = ?")
        return try PlainRecord.fetchOne(statement, arguments: [key])?.sum ?? 0
    }

    private func page(from age: Int) throws -> [PlainRecord] {
        let sql = "SELECT \(Self.columns) FROM Record WHERE age >= ? AND age < ? ORDER BY name, id LIMIT ?"
        return try pool.read { db in
            try PlainRecord.fetchAll(
                db.cachedStatement(sql: sql), arguments: [age, age + Sample.page.width, Sample.page.limit])
        }
    }
}
