import ArchiveBackend
import Foundation
import StorageKit
import TestSupport
import Testing

@Storable struct Ledger: Equatable {
    var id: Int
    var number: Int
    var lines: [Line] = []
}

@Storable struct Line: Equatable {
    var id: Int
    var number: Int
    var text: String
}

/// W8, E3: a process that writes is killed, again and again. `STORAGE_KILLS` says how often.
@Suite(.serialized) struct CrashTests {
    private static let kills =
        ProcessInfo.processInfo.environment["STORAGE_KILLS"].flatMap(Int.init)
        ?? TestExtent.count(8)

    @Test(arguments: ["durability=full", "durability=relaxed"])
    func `every acknowledged transaction is there, and none by half`(options: String) async throws {
        let folder = try TemporaryFolder()
        let (url, notes) = ("archive:\(folder.path("a.karch"))?\(options)", folder.path("acknowledged"))
        var last = 0
        var acknowledgedLast = 0
        for kill in 0..<Self.kills / 2 {
            let (commits, turns) = KillSwitch.random()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    url = url as String, notes = notes as String, last = last as Int, commits = commits as Int,
                    turns = turns as Int
                ] in
                let killing = KillSwitch(afterCommits: commits, turns: turns)
                try await LedgerWriter(url, notes: notes).run(from: last + 1, killing)
            }
            let said = try String(contentsOfFile: notes, encoding: .utf8).split(separator: "\n").last.flatMap {
                Int($0)
            }
            let number = try await LedgerWriter.check(url)
            let acknowledged = max(said ?? 0, last)
            let isThere = number == acknowledged || number == acknowledged + 1
            try #require(isThere, "kill \(kill): \(number) is stored, \(acknowledged) was acknowledged")
            last = number
            if number == acknowledged { acknowledgedLast += 1 }
        }
        report(
            "a store's writer killed, \(options)",
            [
                "as after the last acknowledged transaction": acknowledgedLast,
                "as after the one that was being acknowledged": Self.kills / 2 - acknowledgedLast,
            ])
        expect(last >= Self.kills / 2, "each writer has committed once at least")
    }

    @Test func `what many tasks were told is stored is there, and whole`() async throws {
        let folder = try TemporaryFolder()
        let (url, notes) = ("archive:\(folder.path("a.karch"))?compaction=manual", folder.path("acknowledged"))
        let rounds = max(2, Self.kills / 10)
        var unacknowledged = 0
        for round in 0..<rounds {
            let (commits, turns) = KillSwitch.random()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    url = url as String, notes = notes as String, round = round as Int, commits = commits as Int,
                    turns = turns as Int
                ] in
                let killing = KillSwitch(afterCommits: commits * 8, turns: turns)
                try await LedgerWriter(url, notes: notes).run(byTasks: 8, round: round, killing)
            }
            let acknowledged = try String(contentsOfFile: notes, encoding: .utf8).split(separator: "\n").compactMap {
                Int($0)
            }
            let stored = try await LedgerWriter.keys(url)
            try #require(stored.isSuperset(of: acknowledged), "round \(round)")
            unacknowledged = stored.count - acknowledged.count
        }
        report(
            "a store's writer killed while 8 tasks write",
            ["kept what was acknowledged": rounds, "records kept that were not": unacknowledged])
    }
}

/// Writes transactions without end and notes the number of each when it is committed.
///
/// Each transaction saves the three ledgers 1 to 3 with the number and its remainder of lines, inserts another under its
/// number and deletes the one of five numbers ago; so a half transaction shows.
struct LedgerWriter {
    private let url: String
    private let notes: String

    init(_ url: String, notes: String) {
        self.url = url
        self.notes = notes
    }

    private static func open(_ url: String) async throws -> Store {
        try await Store(url: url, backends: [ArchiveBackend.self], models: Ledger.self)
    }

    func run(from first: Int, _ killing: KillSwitch) async throws {
        let store = try await Self.open(url)
        if !FileManager.default.fileExists(atPath: notes) { try Data().write(to: URL(fileURLWithPath: notes)) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: notes))
        try file.seekToEnd()
        for number in first... {
            try await store.transaction { tx in
                for id in 1...3 { try tx.save(Self.ledger(id, number)) }
                try tx.insert(Self.ledger(1000 + number, number))
                if number > 5 { _ = try tx.delete(Ledger.self, key: 1000 + number - 5) }
            }
            try file.write(contentsOf: Data("\(number)\n".utf8))
            killing.committed()
            if number % 40 == 0 { try await store.compact() }
        }
    }

    /// Inserts ledgers by tasks at once, whose commits are put together, and notes the key of each when it is stored.
    func run(byTasks tasks: Int, round: Int, _ killing: KillSwitch) async throws {
        let store = try await Self.open(url)
        // One call writes a line, so that none is torn by another's.
        let file = Foundation.open(notes, O_WRONLY | O_APPEND | O_CREAT, 0o644)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for number in 0... {
                        let id = (round * tasks + task) * 1_000_000 + number
                        try await store.insert(Self.ledger(id, number))
                        let line = Array("\(id)\n".utf8)
                        try #require(Foundation.write(file, line, line.count) == line.count)
                        killing.committed()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The keys of what ``run(byTasks:round:_:)`` has stored, each with all of its lines.
    static func keys(_ url: String) async throws -> Set<Int> {
        let store = try await open(url)
        let ledgers = try await store.select(Ledger.self).all()
        try await store.close()
        for found in ledgers { try #require(found == ledger(found.id, found.id % 1_000_000)) }
        return Set(ledgers.map(\.id))
    }

    private static func ledger(_ id: Int, _ number: Int) -> Ledger {
        let text = String(repeating: "\(number) ", count: 40)
        return Ledger(id: id, number: number, lines: (0..<number % 7).map { Line(id: $0, number: number, text: text) })
    }

    /// Opens the store and checks that it is as after some transaction, whose number is returned.
    static func check(_ url: String) async throws -> Int {
        let store = try await open(url)
        let ledgers = try await store.select(Ledger.self).all()
        try await store.close()
        return try check(ledgers)
    }

    /// Checks that these are the ledgers as after some transaction, whose number is returned.
    static func check(_ ledgers: [Ledger]) throws -> Int {
        let number = ledgers.first?.number ?? 0
        let expected = number == 0 ? [] : [1, 2, 3] + (max(number - 4, 1)...number).map { $0 + 1000 }
        try #require(ledgers.map(\.id) == expected)
        for found in ledgers {
            try #require(found == ledger(found.id, found.id > 1000 ? found.id - 1000 : number))
        }
        return number
    }
}
