import Foundation
import MemoryBackend
import StorageAPI
import StorageConformance
import TestSupport
import Testing

@Suite("The suite as a program")
struct ConformanceToolTests {
    private let forgetful = FaultyHarness(backend: { FaultyBackend($0, .forgets) })

    /// Runs the program as its author calls it, and returns its exit code and its report.
    private func run(
        _ harness: some ConformanceHarness, _ arguments: [String]
    ) async throws -> (code: Int32, text: String) {
        let report = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: report) }
        let all = arguments + ["--no-progress", "--output", report.path]
        let code = await ConformanceTool.run(harness, all, as: ["mine", "--fast"])
        return (code, (try? String(contentsOf: report, encoding: .utf8)) ?? "")
    }

    @Test(arguments: [
        ["--only", "write/save-absent"], ["--generate", "1", "--steps", "5"],
        ["--generate-schemas", "8", "--steps", "20"],
        ["--generate-references", "1", "--steps", "5", "--against", "memory"],
    ])
    func `what a failure prints can be run, and fails again`(_ arguments: [String]) async throws {
        let failure = try await run(forgetful, arguments + ["--seed", "3"])
        expect(failure.code, equals: 1)
        let line = try #require(
            failure.text.split(separator: "\n").first { $0.contains("mine --fast") }, "\(failure.text)")
        let words = line.split(separator: " ").map(String.init)
        let start = try #require(words.firstIndex(of: "--fast"))
        try await expect(run(forgetful, Array(words[(start + 1)...])).code, equals: 1)
    }

    @Test func `a backend that conforms gives 0, and lists say what there is`() async throws {
        let passed = try await run(InMemoryHarness(), ["run", "--only=engine/", "--seed", "5", "--jobs", "1"])
        expect(passed.code, equals: 0)
        expect(passed.text.contains("CONFORMS: memory"))
        try await expect(run(InMemoryHarness(), ["--list"]).text.contains("write/insert-existing  [W1.2"))
        try await expect(run(InMemoryHarness(), ["--contract"]).text.hasPrefix("V1.1 "))
        try await expect(run(InMemoryHarness(), ["--help"]).text.contains("--generate-queries COUNT"))
        let json = try await run(InMemoryHarness(), ["--only", "engine/", "--format", "json"]).text
        try expect(JSONSerialization.jsonObject(with: Data(json.utf8)) is [String: Any])
    }

    @Test(arguments: [
        ["--unknown"], ["--only", "none/"], ["--only"], ["--seed", "x"], ["--jobs", "0"], ["--format", "pdf"],
        ["--generate", "1", "--generate-queries", "1"], ["--against", "memory"],
        ["--generate", "1", "--against", "none"], ["helper"], ["helper", "--place", "/tmp", "insert", "1"],
    ])
    func `arguments without a meaning give 64`(_ arguments: [String]) async throws {
        try await expect(run(InMemoryHarness(), arguments).code, equals: 64)
    }

    @Test func `it is the second process of a case`() async throws {
        let place = try SQLiteHarness().makePlace()
        defer { try? FileManager.default.removeItem(at: place) }
        let role = ["helper", "--place", place.path, "insert", "7"]
        await expect(ConformanceTool.run(SQLiteHarness(), role), equals: 0)
        let store = try await Store(SQLiteHarness().backend(at: place))
        try await expect(store.records("Pen").count(), equals: 100)
        try await store.close()
    }

    #if os(Linux)
    @Test func `faults of a disk below a library in C are found and survived`() async throws {
        let library = conformanceProgram.deletingLastPathComponent().appending(path: "libDiskFaults.so")
        let process = Process()
        process.executableURL = conformanceProgram
        let cases = ["failed-call", "full-disk", "after-a-failed-sync", "power-cut"]
        process.arguments =
            ["--backend", "sqlite", "--no-progress"] + cases.flatMap { ["--only", "faults/" + $0] }
        process.environment = ProcessInfo.processInfo.environment.merging(["LD_PRELOAD": library.path]) { $1 }
        let result = try await process.result()
        expect(result.isSuccess, "\(result.output)\(result.error)")
        // Otherwise the faults were those above the library.
        expect(!result.error.contains("cannot be preloaded"), "\(result.error)")
    }
    #endif
}
