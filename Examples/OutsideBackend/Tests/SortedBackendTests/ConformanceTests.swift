import Foundation
import SortedBackend
import StorageAPI
import StorageConformance
import StorageConformanceTesting
import Testing

struct SortedHarness: ConformanceHarness {
    func makePlace() -> SortedBackend.Place { SortedBackend.Place() }
    func backend(at place: SortedBackend.Place) -> any StorageBackend { SortedBackend(place) }
    func outlivesClosing(_ info: BackendInfo) -> Bool { true }
}

struct PipelinedHarness: ConformanceHarness {
    func makePlace() -> PipelinedBackend.Place { PipelinedBackend.Place() }
    func backend(at place: PipelinedBackend.Place) -> any StorageBackend { PipelinedBackend(place) }
    func outlivesClosing(_ info: BackendInfo) -> Bool { true }
}

struct SharedHarness: ConformanceHarness {
    func makePlace() -> SharedBackend.Place { SharedBackend.Place() }
    func backend(at place: SharedBackend.Place) -> any StorageBackend { SharedBackend(place) }
    func outlivesClosing(_ info: BackendInfo) -> Bool { true }
}

/// True if all cases run: the environment has `STORAGE_TESTS=all`.
private let isLarge = ProcessInfo.processInfo.environment["STORAGE_TESTS"] == "all"

/// One case of each `step`, on each day others.
private func share(_ cases: [ConformanceCase], oneOf step: Int) -> [ConformanceCase] {
    guard !isLarge else { return cases }
    let seed = ProcessInfo.processInfo.environment["STORAGE_TEST_SEED"].flatMap(Int.init)
    let start = (seed ?? Int(Date().timeIntervalSince1970 / 86_400)).magnitude % UInt(step)
    return stride(from: Int(start), to: cases.count, by: step).map { cases[$0] }
}

/// The cases about what the pipelined and the shared backend do in ways of their own, and every 20th of the rest.
private let ownShare: [ConformanceCase] = {
    let chapters: Set = [
        "transactions", "concurrency", "snapshots", "sharing", "observing", "feed", "closing", "cancellation",
        "references", "durability",
    ]
    let isTouched = { (test: ConformanceCase) in chapters.contains(String(test.id.prefix { $0 != "/" })) }
    let all = Conformance.v1.cases
    return all.filter(isTouched) + share(all.filter { !isTouched($0) }, oneOf: 20)
}()

@Suite struct ConformanceTests {
    @Test(arguments: share(Conformance.v1.cases, oneOf: 3))
    func `the sorted backend conforms`(_ test: ConformanceCase) async { await test.expect(SortedHarness()) }

    @Test(arguments: ownShare)
    func `the pipelined backend conforms`(_ test: ConformanceCase) async { await test.expect(PipelinedHarness()) }

    /// Programs of several versions open a store, change its tables, and read them in the same transaction.
    @Test func `generated changes of a schema find no difference`() async throws {
        var tests = GeneratedTests(programs: 4, seed: 22)
        tests.mixture = .schemas
        for report in [try await tests.run(SortedHarness()), try await tests.run(SharedHarness())] {
            #expect(report.failures.isEmpty, "\(report)")
        }
    }

    /// All but the two that start another process, which cannot have this one's memory.
    @Test(arguments: ownShare.filter { !["sharing/second-process", "sharing/counted-together"].contains($0.id) })
    func `the shared backend conforms`(_ test: ConformanceCase) async { await test.expect(SharedHarness()) }
}
