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

@Suite struct ConformanceTests {
    @Test(arguments: Conformance.v1.cases)
    func `the sorted backend conforms`(_ test: ConformanceCase) async { await test.expect(SortedHarness()) }

    @Test(arguments: Conformance.v1.cases)
    func `the pipelined backend conforms`(_ test: ConformanceCase) async { await test.expect(PipelinedHarness()) }

    /// All but the two that start another process, which cannot have this one's memory.
    @Test(
        arguments: Conformance.v1.cases.filter {
            !["sharing/second-process", "sharing/counted-together"].contains($0.id)
        })
    func `the shared backend conforms`(_ test: ConformanceCase) async { await test.expect(SharedHarness()) }
}
