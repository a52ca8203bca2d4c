import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("storage copy, diff, verify, compact and backup")
struct MovingTests {
    private func other(_ engine: Engine) -> Engine { engine == .sqlite ? .archive : .sqlite }

    @Test(arguments: Engine.allCases)
    func `a copy is verified, and equal by diff and by the program's types`(_ engine: Engine) async throws {
        let tool = try await Tool(engine)
        let other = other(engine)
        let report = try await tool.output("copy", Tool.file, "\(other.rawValue):copy.store")
        expect(report.contains("verified") && !report.contains("DIFFERS"))
        try await expect(tool.output("diff", Tool.file, "copy.store"), equals: "")
        let people = try await tool.with(other, "copy.store") { store in try await store.select(Person.self).all() }
        expect(people, equals: Person.samples)
        let refusal = try await tool.failure(65, "copy", Tool.file, "copy.store")
        expect(refusal.contains("replace them"))
        try await expect(
            tool.output("copy", Tool.file, "copy.store", "--replace", "--json").contains("\"verified\":true"))
    }

    @Test(arguments: Engine.allCases)
    func `differences are lines, and the exit status tells`(_ engine: Engine) async throws {
        let tool = try await Tool(engine)
        let other = other(engine)
        try await tool.output("copy", Tool.file, "\(other.rawValue):copy.store")
        try await tool.with(other, "copy.store") { (store) async throws in
            try await store.delete(Person.self, key: 1)
            var person = Person.samples[1]
            person.age += 1
            try await store.save(person)
        }
        let run = try await tool.run(["diff", Tool.file, "copy.store"])
        expect(run.status, equals: 1)
        expect(run.output, equals: "- Person 1\n~ Person 2: age\n")
        let json = try await tool.run(["diff", "copy.store", Tool.file, "--json", "--model", "Person"]).output
        expect(json.hasPrefix(#"{"difference":"onlyInSecond","model":"Person","key":[1],"properties":[]}"#))
        try await expect(tool.run(["diff", Tool.file, "copy.store", "--quiet"]).output, equals: "")
        try await tool.failure(65, "diff", Tool.file, "copy.store", "--model", "Nothing")
        try await tool.failure(66, "diff", Tool.file, "missing.store")
    }

    @Test(arguments: Engine.allCases)
    func `a whole store is verified, and a damaged one is not`(_ engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await expect(tool.output("verify", Tool.file), equals: "2 models, nothing is wrong.\n")
        let path = tool.folder.path(Tool.file)
        var bytes = try Data(contentsOf: URL(filePath: path))
        // The middle of an archive's frame; the header of the pages that follow a database's first.
        let place = engine == .archive ? bytes.count / 2 : 4096
        for index in place..<place + 8 { bytes[index] ^= 0xFF }
        try bytes.write(to: URL(filePath: path))
        let run = try await tool.run(["verify", Tool.file])
        expect(run.status, equals: 1, "\(run.output) \(run.error)")
        expect(!run.output.isEmpty)
    }

    @Test(arguments: Engine.allCases)
    func `a backup is equal to the store, and replaces nothing unasked`(_ engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await tool.output("backup", Tool.file, "backup.store")
        try await expect(tool.output("diff", Tool.file, "backup.store"), equals: "")
        try await tool.failure(74, "backup", Tool.file, "backup.store")
        try await tool.output("backup", Tool.file, "backup.store", "--replace")
        try await expect(tool.output("compact", "backup.store").contains("bytes before"))
        try await expect(tool.output("diff", Tool.file, "backup.store"), equals: "")
    }

    @Test
    func `an interrupted copy leaves no target`() async throws {
        let tool = try await Tool(.sqlite)
        try await tool.with(.sqlite) { (store) async throws in
            try await store.insert(
                (100...12_000).map { (id: Int) in
                    Person(id: id, name: "\(id)", age: 1, tags: ["a"], city: nil, pens: [])
                })
        }
        let process = tool.process(["copy", Tool.file, "archive:copy.store"])
        process.standardOutput = FileHandle.nullDevice
        try await process.interrupt(whenItDraws: "Copying")
        // Either the signal came before the end, and nothing is left, or the copy was done and is whole.
        if process.terminationStatus == 0 {
            try await expect(tool.output("diff", Tool.file, "copy.store"), equals: "")
        } else {
            expect(process.terminationStatus, equals: 130)
            expect(!FileManager.default.fileExists(atPath: tool.folder.path("copy.store")))
        }
    }
}
