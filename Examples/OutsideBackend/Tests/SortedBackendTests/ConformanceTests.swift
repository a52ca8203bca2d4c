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

/// The cases about what the pipelined and the shared backend do in ways of their own, and every 20th of the rest. With
/// `STORAGE_TESTS=all` in the environment, all cases.
private let share: [ConformanceCase] = {
    let all = Conformance.v1.cases
    guard ProcessInfo.processInfo.environment["STORAGE_TESTS"] != "all" else { return all }
    let chapters: Set = [
        "transactions", "concurrency", "snapshots", "sharing", "observing", "feed", "closing", "cancellation",
        "references", "durability",
    ]
    let isTouched = { (test: ConformanceCase) in chapters.contains(String(test.id.prefix { $0 != "/" })) }
    let rest = all.filter { !isTouched($0) }
    return all.filter(isTouched) + stride(from: 0, to: rest.count, by: 20).map { rest[$0] }
}()

@Suite struct ConformanceTests {
    @Test(arguments: Conformance.v1.cases)
    func `the sorted backend conforms`(_ test: ConformanceCase) async { await test.expect(SortedHarness()) }

    @Test(arguments: share)
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
    @Test(arguments: share.filter { !["sharing/second-process", "sharing/counted-together"].contains($0.id) })
    func `the shared backend conforms`(_ test: ConformanceCase) async { await test.expect(SharedHarness()) }
}
