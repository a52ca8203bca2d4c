import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit
import Testing

@Storable struct Ledger: Equatable {
    var id: Int
    var number: Int
    var lines: [LedgerLine] = []
}

@Storable("Line") struct LedgerLine: Equatable {
    var id: Int
    var number: Int
    var text: String
}

/// W8, E3: a process that writes is killed, again and again. `STORAGE_KILLS` says how often; 200 times without it.
@Suite(.serialized) struct CrashTests {
    @Test(arguments: [
        "archive:%@?durability=full", "archive:%@?durability=relaxed&compaction=automatic", "sqlite:%@",
    ])
    func `every acknowledged transaction is there, and none by half`(url: String) async throws {
        let total = ProcessInfo.processInfo.environment["STORAGE_KILLS"].flatMap(Int.init) ?? 200
        // The kills of the issue are the archive's; SQLite's are few, to compare.
        let kills = url.hasPrefix("sqlite") ? min(total, 20) : total / 2
        let folder = try TemporaryFolder()
        let url = url.replacingOccurrences(of: "%@", with: folder.path("crash.store"))
        var last = 0
        var acknowledgedInAll = 0
        for kill in 0..<kills {
            let said = try Self.writeUntilKilled(url, from: last + 1, after: .milliseconds(Int.random(in: 8...60)))
            let number = try await Self.check(url)
            let isThere = number >= (said ?? last) && number <= (said ?? last) + 1
            try #require(isThere, "kill \(kill): \(number) is stored, \(said ?? last) was acknowledged")
            acknowledgedInAll += number - last
            last = number
        }
        #expect(acknowledgedInAll > kills / 2, "the writers were killed before they wrote")
    }

    /// Runs the writer and kills it. Returns the last number that it said.
    private static func writeUntilKilled(_ url: String, from first: Int, after delay: Duration) throws -> Int? {
        let process = Process()
        process.executableURL = try builtProduct("CrashWriter")
        process.arguments = [url, String(first)]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // The moment is counted from the first acknowledgement, so that a slow start is no empty round.
        var text = output.fileHandleForReading.availableData
        usleep(UInt32(delay / .microseconds(1)))
        kill(process.processIdentifier, SIGKILL)
        text += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal, "\(String(decoding: text, as: UTF8.self))")
        // A number that was cut in the middle was not said.
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().last.flatMap { Int($0) }
    }

    /// Opens the store and checks that it is as after some transaction, whose number is returned.
    private static func check(_ url: String) async throws -> Int {
        let store = try await Store(
            url: url, backends: [ArchiveBackend.self, SQLiteBackend.self], models: Ledger.self)
        let ledgers = try await store.select(Ledger.self).all()
        try await store.close()
        let number = ledgers.first?.number ?? 0
        for ledger in ledgers {
            let own = ledger.id > 1000 ? ledger.id - 1000 : number
            try #require(ledger.number == own)
            try #require(ledger.lines.count == own % 7 && ledger.lines.allSatisfy { $0.number == own })
        }
        let expected = number == 0 ? [] : [1, 2, 3] + (max(number - 4, 1)...number).map { $0 + 1000 }
        try #require(ledgers.map(\.id) == expected)
        return number
    }
}
