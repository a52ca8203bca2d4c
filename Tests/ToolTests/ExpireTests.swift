import Foundation
import StorageKit
import TestSupport
import Testing

@Storable private struct Ticket: Equatable {
    var id: Int
    @Expires var until: Date? = nil
}

@Storable("Reading") private struct Kept: Equatable {
    var id: Int
    @Indexed var time: Date? = nil
}

@Suite("storage expire")
struct ExpireTests {
    private func tool(_ engine: Engine) async throws -> Tool {
        let tool = try await Tool(engine)
        try await tool.with(engine) { store in
            let old = Date(timeIntervalSinceNow: -36 * 3600)
            try await store.insert([Kept(id: 1, time: old), Kept(id: 2), Kept(id: 3, time: .now)])
            try await store.insert([
                Ticket(id: 1, until: .distantPast), Ticket(id: 2), Ticket(id: 3, until: .distantFuture),
            ])
        }
        return tool
    }

    private func readings(_ tool: Tool, _ engine: Engine) async throws -> [Int] {
        try await tool.with(engine) { store in try await store.select(Kept.self).keys() }
    }

    @Test(arguments: Engine.allCases)
    func `expired records are deleted and counted, and others stay`(_ engine: Engine) async throws {
        let tool = try await tool(engine)
        try await expect(tool.output("expire", Tool.file), equals: "1 deleted.\n")
        try await expect(tool.output("expire", Tool.file, "--json"), equals: #"{"deleted":0}"# + "\n")
        try await expect(tool.output("expire", Tool.file, "--quiet"), equals: "")
        try await expect(tool.output("count", Tool.file, "Ticket"), equals: "2\n")
        try await expect(readings(tool, engine), equals: [1, 2, 3])
    }

    @Test(arguments: Engine.one(.sqlite))
    func `records that are older than they are kept are deleted on demand`(_ engine: Engine) async throws {
        let tool = try await tool(engine)
        try await tool.output("expire", Tool.file, "--quiet")
        try await expect(tool.output("expire", Tool.file, "--keep", "Reading.time=2d"), equals: "0 deleted.\n")
        let asked = try await tool.failure(64, "expire", Tool.file, "--keep", "Reading.time=35h")
        expect(asked.contains("1 record of Reading") && asked.contains("--yes"), "\(asked)")
        try await expect(readings(tool, engine), equals: [1, 2, 3])
        try await expect(
            tool.output("expire", Tool.file, "--keep", "Reading.time=35h", "--yes"), equals: "1 deleted.\n")
        try await expect(readings(tool, engine), equals: [2, 3])
    }

    @Test(arguments: Engine.one(.archive))
    func `an age that is none, and a model or a time that the store lacks, are refused`(_ engine: Engine) async throws {
        let tool = try await tool(engine)
        for text in [
            "Reading", "Reading=1d", "Reading.time", "Reading.time=", "Reading.time=5", "Reading.time=-1d", ".time=1d",
        ] {
            try await tool.failure(64, "expire", Tool.file, "--keep", text, "--yes")
        }
        for (text, word) in [("Reding.time=1d", "Reading"), ("Reading.tme=1d", "time"), ("Reading.id=1d", "time")] {
            let message = try await tool.failure(65, "expire", Tool.file, "--keep", text, "--yes")
            expect(message.contains(word), "\(message)")
        }
        try await expect(readings(tool, engine), equals: [1, 2, 3])
        try await tool.failure(66, "expire", "missing.db")
        try await tool.failure(64, "expire", "\(engine.rawValue):\(Tool.file)?readonly=true")
    }
}
