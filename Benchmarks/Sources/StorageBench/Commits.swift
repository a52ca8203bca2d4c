import Foundation
import SQLiteBackend
import StorageAPI

/// Measures reading commits and what rests on them, beside the same work without a history.
enum Commits {
    static func run(_ folder: URL) async throws {
        print("| task | ratio | goal | |")
        print("|---|---|---|---|")
        try await pages(folder, records: 10_000)
        try await pages(folder, records: 1_000)
        try await changed(folder)
        try await groups(folder)
        try await past(folder)
        try bytes()
    }

    private static func row(_ task: String, _ measured: Double, against other: Double, goal: String) {
        print("| \(task) |" + String(format: " %.3f | \(goal) | %.2f ms, %.2f ms |", measured / other, measured, other))
    }

    private static func open(_ folder: URL, _ name: String, relaxed: Bool = true, keeps: Bool = true) async throws
        -> Store
    {
        try await Store(
            SQLiteBackend(path: folder.appendingPathComponent(name).path, durability: relaxed ? .relaxed : .full),
            models: Record.self,
            options: .init(history: keeps ? .init(records: [Record.self]) : nil))
    }

    /// Milliseconds of processor time, of all threads, at the median of some rounds.
    private static func time(_ rounds: Int, _ body: (Int) async throws -> Void) async throws -> Double {
        var times: [Double] = []
        for round in 0..<rounds {
            let began = clock()
            try await body(round)
            times.append(Double(clock() - began) / Double(CLOCKS_PER_SEC) * 1_000)
        }
        return times.median
    }

    /// Reads 10,000 commits of one change each with the record before and after, in pages, beside reading 10,000 records.
    private static func pages(_ folder: URL, records count: Int) async throws {
        let store = try await open(folder, "pages-\(count)")
        let records = Sample.records(10_000)
        try await store.save(records)
        let start = try await store.historyToken()
        for number in 0..<10_000 {
            var record = records[number % count]
            record.age = 1_000_000 + number
            try await store.save(record)
        }
        let all = try await time(7) { _ in
            guard try await store.records("Record").all().count == 10_000 else { throw CocoaError(.featureUnsupported) }
        }
        for limit in [10_000, 1_000, 100] {
            let read = try await time(5) { _ in
                var (token, isLast, changes) = (start, false, 0)
                while !isLast {
                    let page = try await store.commits(since: token, limit: limit)
                    for change in page.commits.flatMap(\.changes) {
                        guard try change.before() != nil, try change.after() != nil else {
                            throw CocoaError(.featureUnsupported)
                        }
                        changes += 1
                    }
                    (token, isLast) = (page.next, page.isLast)
                }
                guard changes == 10_000 else { throw CocoaError(.featureUnsupported) }
            }
            row(
                "10,000 commits of \(count) records in pages of \(limit), against 10,000 records", read, against: all,
                goal: "≤ 2")
        }
        try await store.close()
    }

    /// Reads the commits since a token after which one record was changed, in stores of two sizes.
    private static func changed(_ folder: URL) async throws {
        var times: [Double] = []
        for count in [10_000, 1_000_000] {
            let store = try await open(folder, "changed-\(count)")
            for start in stride(from: 0, to: count, by: 10_000) {
                try await store.save(Sample.records(start + 10_000)[start...].map { $0 })
            }
            let token = try await store.historyToken()
            var record = Sample.records(1)[0]
            record.age += 1
            try await store.save(record)
            times.append(
                try await time(7) { _ in
                    for _ in 0..<200 {
                        guard try await store.commits(since: token).commits.count == 1 else {
                            throw CocoaError(.featureUnsupported)
                        }
                    }
                })
            try await store.close()
        }
        row("200 reads of one change in 1,000,000 records, against 10,000", times[1], against: times[0], goal: "≤ 1.1")
    }

    /// Commits 1,000 transactions of a group, beside one transaction with the same writes, each with its sync.
    private static func groups(_ folder: URL) async throws {
        for keeps in [false, true] {
            let store = try await open(folder, "groups-\(keeps)", relaxed: false, keeps: keeps)
            let records = Sample.records(1_000)
            try await store.save(records)
            func changed(_ round: Int) -> [Record] {
                records.map {
                    var record = $0
                    record.age = round
                    return record
                }
            }
            let one = try await time(9) { round in
                let records = changed(-1 - round)
                try await store.transaction { transaction in for record in records { try transaction.save(record) } }
            }
            let group = try await time(9) { round in
                let bodies = changed(-100 - round).map { record in
                    { (transaction: inout Store.Transaction) throws in _ = try transaction.save(record) }
                }
                for result in await store.transactions(bodies) { try result.get() }
            }
            row(
                "1,000 transactions in a group, \(keeps ? "with" : "without") a history, against one", group,
                against: one,
                goal: "≤ 2")
            try await store.close()
        }
    }

    /// Copies a store as of a commit after which 1 % of 100,000 records were changed, beside a copy of the store.
    private static func past(_ folder: URL) async throws {
        let store = try await open(folder, "past")
        let records = Sample.records(100_000)
        try await store.save(records)
        let commit = try await store.historyToken()
        for number in stride(from: 0, to: 100_000, by: 100) {
            var record = records[number]
            record.age += 1
            try await store.save(record)
        }
        func copy(_ name: String, _ body: (Store) async throws -> Void) async throws -> Double {
            try await time(3) { round in
                let copy = try await Store(
                    SQLiteBackend(path: folder.appendingPathComponent("\(name)-\(round)").path, durability: .relaxed),
                    models: [])
                try await body(copy)
                try await copy.close()
            }
        }
        let now = try await copy("copy") { copy in _ = try await copy.copy(from: store) }
        let then = try await copy("copy-as-of") { copy in _ = try await copy.copy(from: store, asOf: .token(commit)) }
        row(
            "a copy as of a commit, 1 % of 100,000 records changed since, against a copy", then, against: now,
            goal: "≤ 1.3")
        try await store.close()
    }

    /// Writes and reads the binary form of 10,000 records one by one, beside the type's JSON.
    private static func bytes() throws {
        let records = Sample.records(10_000)
        let dynamic = records.map { record in
            DynamicRecord(
                model: "Record",
                fields: [
                    .init(name: "id", content: .value(.int(Int64(record.id)), .int64)),
                    .init(name: "name", content: .value(.text(record.name), .string)),
                    .init(name: "age", content: .value(.int(Int64(record.age)), .int64)),
                    .init(name: "height", content: .value(.double(record.height), .double)),
                    .init(name: "photo", content: .value(record.photo.map { .blob([UInt8]($0)) } ?? .null, .data)),
                    .init(name: "tags", content: .value(.text(record.tags), .string)),
                ])
        }
        func time(_ body: () throws -> Int) rethrows -> Double {
            var times: [Double] = []
            for _ in 0..<5 {
                let began = clock()
                guard try body() > 0 else { return .nan }
                times.append(Double(clock() - began) / Double(CLOCKS_PER_SEC) * 1_000)
            }
            return times.median
        }
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        let json = try time {
            try records.reduce(0) { sum, record in
                try sum + decoder.decode(Record.self, from: encoder.encode(record)).name.utf8.count
            }
        }
        let binary = try time {
            try dynamic.reduce(0) { sum, record in try sum + DynamicRecord(bytes: record.bytes).fields.count }
        }
        row(
            "the binary form of 10,000 records written and read, against their JSON", binary, against: json,
            goal: "≤ 0.1")
    }
}
