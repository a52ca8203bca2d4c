import CBaseline
import Foundation

/// A database of the hand-written ways, with the pragmas that the toolkit's backend sets.
final class Database {
    let handle: OpaquePointer

    init(_ path: String) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
            throw BenchmarkError("cannot open \(path)")
        }
        handle = opened
        for pragma in Self.pragmas { try execute(pragma) }
        try execute(String(cString: cbaseline_schema))
    }

    deinit { sqlite3_close_v2(handle) }

    /// The same for every way: what is compared is how they use SQLite, not how it is configured.
    static let pragmas = [
        "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -65536",
        "PRAGMA wal_autocheckpoint = 10000", "PRAGMA temp_store = MEMORY",
    ]

    func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    func check(_ code: Int32) throws {
        guard code == SQLITE_OK || code == SQLITE_DONE else {
            throw BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(handle)))")
        }
    }

    func clear(_ table: Table) throws {
        for name in table.names { try execute("DELETE FROM \(name)") }
    }
}

extension Table {
    var names: [String] {
        switch self {
        case .records: ["Record"]
        case .items: ["Item"]
        case .purchases: ["Line", "Address", "Purchase"]
        }
    }
}

/// C on sqlite3, one row at a time: the physical limit of that.
final class InC: Contestant {
    let name = "C"
    let works = Set(Work.allCases)
    private let sample: Sample
    private let database: Database
    private var round = 0

    init(_ folder: URL, _ sample: Sample) throws {
        self.sample = sample
        database = try Database(folder.appendingPathComponent("c.db").path)
    }

    func clear(_ table: Table) throws { try database.clear(table) }

    func insertItems() throws { try database.check(cbaseline_insert_items(database.handle, sample.items.count)) }

    func make(_ work: Work, round: Int) {
        cbaseline_release()
        self.round = round
    }

    func run(_ work: Work) throws -> Outcome {
        let (db, count, purchases) = (database.handle, sample.records.count, sample.purchases.count)
        var sum: Int64 = 0
        switch work {
        case .insert: try database.check(cbaseline_insert(db, count, round))
        case .update: try database.check(cbaseline_update(db, count, round))
        case .upsert: try database.check(cbaseline_upsert(db, count, round))
        case .delete: try database.check(cbaseline_delete(db, sample.deleted.count))
        case .saveEach, .saveEachBlocking:
            try database.check(cbaseline_save_each(db, Work.saves(sample), round))
        case .insertGraphs: try database.check(cbaseline_insert_purchases(db, purchases, round))
        case .saveGraphs: try database.check(cbaseline_save_purchases(db, purchases, round))
        case .stream, .streamAsync: try database.check(cbaseline_stream(db, &sum))
        case .find, .findInBlock:
            if work == .findInBlock { try database.execute("BEGIN") }
            try database.check(cbaseline_find(db, sample.keys, sample.keys.count, &sum))
            if work == .findInBlock { try database.execute("COMMIT") }
        case .fetch: try database.check(cbaseline_fetch(db))
        case .fetchItems: try database.check(cbaseline_fetch_items(db))
        case .loadGraphs: try database.check(cbaseline_load_purchases(db))
        case .page:
            for age in sample.pages {
                try database.check(cbaseline_page(db, Int64(age), Int64(age + Sample.page.width), Sample.page.limit))
            }
        }
        switch work {
        case .stream, .streamAsync, .find, .findInBlock: return .sum(sum)
        case .fetch, .fetchItems, .loadGraphs, .page: return .kept { cbaseline_checksum() }
        default: return .written
        }
    }
}
