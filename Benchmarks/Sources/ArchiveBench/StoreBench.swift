import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageAPI

/// The archive as a store, beside the SQLite backend and beside the disk alone.
struct StoreBench {
    let folder: URL
    let records: [Sample]
    let large: Int

    init(folder: URL, count: Int, large: Int) {
        self.folder = folder
        self.large = large
        records = Sample.make(0..<count)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func archive(
        _ name: String, _ durability: ArchiveBackend.Durability = .relaxed,
        _ compaction: ArchiveBackend.Compaction = .automatic
    ) throws -> Store {
        try Store.Blocking.open(
            ArchiveBackend(path: path(name), durability: durability, compaction: compaction), models: Sample.self)
    }

    private func sqlite(_ name: String, _ durability: SQLiteBackend.Durability = .relaxed) throws -> Store {
        try Store.Blocking.open(SQLiteBackend(path: path(name), durability: durability), models: Sample.self)
    }

    func run(_ name: String) throws {
        let parts = [
            ("codec", { try CodecBench(records).run() }), ("bulk", bulk), ("single", single), ("tasks", tasks),
            ("commits", commits), ("opening", opening),
        ]
        for part in parts where name == "all" || name == part.0 { try part.1() }
    }

    // MARK: Bulk and reading

    private func bulk() throws {
        let (ours, theirs) = (try archive("bulk.karch"), try sqlite("bulk.db"))
        let insert = try medians(5) {
            try ours.blocking.truncate(Sample.self)
            try ours.blocking.insert(records)
        } _: {
            try theirs.blocking.truncate(Sample.self)
            try theirs.blocking.insert(records)
        }
        let count = Double(records.count)
        report(
            "bulk insert, SQLite's time to ours", insert.1 / insert.0, ">= 0.5",
            String(format: "%.0f against %.0f records/s", count / insert.0, count / insert.1))
        try reading(ours, theirs)
        waitFor { try await ours.compact() }
        try theirs.blocking.select(Sample.self).limit(1).all().forEach(consume)
        waitFor { try await theirs.close() }
        let sizes = (bytes(of: path("bulk.karch")), bytes(of: path("bulk.db")))
        report(
            "file size against SQLite's, compacted", Double(sizes.0) / Double(sizes.1), "<= 0.6",
            "\(sizes.0 / records.count) against \(sizes.1 / records.count) bytes a record")
    }

    private func reading(_ ours: Store, _ theirs: Store) throws {
        let fetched = try ours.blocking.select(Sample.self).all()
        guard fetched == records, try theirs.blocking.select(Sample.self).all() == records else {
            return print("the stores hold something else")
        }
        let fetch = try medians(7) {
            consume(try ours.blocking.select(Sample.self).all())
        } _: {
            consume(try theirs.blocking.select(Sample.self).all())
        }
        report("fetch all, SQLite's time to ours", fetch.1 / fetch.0, ">= 1", rate(fetch))
        let find = try medians(5) {
            try lookUp(ours)
        } _: {
            try lookUp(theirs)
        }
        report("look up by key, SQLite's time to ours", find.1 / find.0, ">= 2", rate(find, 20_000))
        let scan = try medians(7) {
            try filter(ours)
        } _: {
            try filter(theirs)
        }
        report("filtered scan, SQLite's time to ours", scan.1 / scan.0, ">= 1", rate(scan))
    }

    private func rate(_ times: (Double, Double), _ count: Int? = nil) -> String {
        let count = Double(count ?? records.count)
        return String(format: "%.0f against %.0f records/s", count / times.0, count / times.1)
    }

    private func lookUp(_ store: Store) throws {
        for number in 0..<20_000 {
            consume(try store.blocking.find(Sample.self, key: (number * 7919) % records.count + 1))
        }
    }

    private func filter(_ store: Store) throws {
        consume(
            try store.blocking.select(Sample.self).where { $0.age >= 40 && $0.age < 42 && $0.name.hasSuffix("7") }.all()
        )
    }

    // MARK: Commits

    /// Durable saves of one record, and the same bytes appended and synced with nothing around.
    private func single() throws {
        let count = 300
        let size = try bytesOfSingleSave(count)
        let store = try archive("single.karch", .full, .manual)
        var next = 0
        let saves = {
            for record in records[next..<next + count] { try store.blocking.save(record) }
            next += count
        }
        try saves()
        let raw = try RawAppends(path: path("raw"), size: size)
        let times = try medians(9) {
            try saves()
        } _: {
            raw.run(count)
        }
        report(
            "durable single saves, raw append and fdatasync to ours", times.1 / times.0, ">= 0.85",
            String(format: "%.0f against %.0f /s, %d bytes each", 300 / times.0, 300 / times.1, size))
    }

    /// The file size of a closed store for each record. An open store has preallocated space.
    private func bytesOfSingleSave(_ count: Int) throws -> Int {
        let sizes = try [1, count + 1].map { count in
            let name = "size-\(count).karch"
            let store = try archive(name, .relaxed, .manual)
            for record in records.prefix(count) { try store.blocking.save(record) }
            waitFor { try await store.close() }
            return bytes(of: path(name))
        }
        return (sizes[1] - sizes[0]) / count
    }

    private func tasks() throws {
        let store = try archive("tasks.karch", .full, .manual)
        // A record that is stored as it is already costs nothing: every round brings other ones.
        var round = 0
        func changed() -> [Sample] {
            round += 1
            return records.prefix(640).map { record in
                var record = record
                record.age = round
                return record
            }
        }
        let times = medians(9) {
            let records = changed()
            waitFor { for record in records { try await store.save(record) } }
        } _: {
            let records = changed()
            waitFor {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<64 {
                        group.addTask {
                            for index in stride(from: task, to: 640, by: 64) { try await store.save(records[index]) }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        report(
            "64 tasks saving durably, one after the other to that", times.0 / times.1, ">= 10",
            String(format: "%.0f against %.0f /s", 640 / times.1, 640 / times.0))
    }

    /// Measures the cost of one commit in a small store and in a large one, with the default durability and without
    /// waiting for the disk.
    private func commits() throws {
        try fillForCommits()
        for durability in [ArchiveBackend.Durability.full, .relaxed] {
            let (small, big) = (
                try archive("small.karch", durability, .manual), try archive("big.karch", durability, .manual)
            )
            let count = durability == .full ? 300 : 2000
            try compareCommits(big, small, count, isDurable: durability == .full)
            waitFor {
                try await small.close()
                try await big.close()
            }
        }
    }

    private func fillForCommits() throws {
        let (small, big) = (try archive("small.karch", .relaxed, .manual), try archive("big.karch", .relaxed, .manual))
        try small.blocking.insert(Array(records.prefix(1000)))
        for start in stride(from: 0, to: large, by: 50_000) {
            try big.blocking.insert(Sample.make(start..<min(start + 50_000, large)))
        }
        waitFor {
            try await small.close()
            try await big.close()
        }
    }

    private func compareCommits(_ big: Store, _ small: Store, _ count: Int, isDurable: Bool) throws {
        // A record that is stored as it is already costs nothing: every round brings other ones.
        var round = isDurable ? 1_000_000 : 2_000_000
        func save(_ store: Store, among stored: Int) throws {
            round += 1
            for number in 0..<count {
                var record = records[(number * 7919) % records.count]
                record.id = (number * 7919) % stored + 1
                record.age = round
                try store.blocking.save(record)
            }
        }
        let times = try medians(7) {
            try save(big, among: large)
        } _: {
            try save(small, among: 1000)
        }
        report(
            "a \(isDurable ? "durable" : "relaxed") commit, \(large) records stored against 1,000", times.0 / times.1,
            "<= 1.2",
            String(
                format: "%.1f against %.1f µs", times.0 / Double(count) * 1e6, times.1 / Double(count) * 1e6))
    }

    // MARK: Opening

    private func opening() throws {
        do {
            let store = try archive("open.karch", .relaxed, .manual)
            let other = try sqlite("open.db")
            for start in stride(from: 0, to: large, by: 50_000) {
                let records = Sample.make(start..<min(start + 50_000, large))
                try store.blocking.insert(records)
                try other.blocking.insert(records)
            }
            waitFor {
                try await store.compact()
                try await store.close()
                try await other.close()
            }
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["open", path("open.karch")]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let figures = text.split(separator: " ").compactMap {
            Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        guard figures.count == 3 else { return print("opening failed: \(text)") }
        let size = Double(bytes(of: path("open.db")))
        report(
            "opening, records/s / 800,000", figures[0] / figures[1] / 800_000, ">= 1",
            String(format: "%.0f records in %.2f s", figures[0], figures[1]))
        report(
            "peak memory of opening against SQLite's file", figures[2] / size, "<= 2.5",
            String(format: "%.0f against %.0f MB", figures[2] / 1e6, size / 1e6))
    }

    /// Prints records, seconds and peak bytes.
    static func open(_ path: String) throws {
        var store: Store?
        let time = try seconds { store = try Store.Blocking.open(ArchiveBackend(path: path), models: Sample.self) }
        let peak = peakMemory()
        print(try store?.blocking.select(Sample.self).count() ?? 0, time, peak)
    }
}

/// A file to which blocks of bytes are appended, each synced.
final class RawAppends {
    private let file: Int32
    private let block: [UInt8]

    init(path: String, size: Int) throws {
        file = Foundation.open(path, O_CREAT | O_WRONLY | O_APPEND, 0o644)
        block = (0..<size).map { _ in UInt8.random(in: 0...255) }
    }

    deinit { Foundation.close(file) }

    func run(_ count: Int) {
        for _ in 0..<count {
            _ = block.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            #if canImport(Darwin)
            fcntl(file, F_FULLFSYNC)
            #else
            fdatasync(file)
            #endif
        }
    }
}
