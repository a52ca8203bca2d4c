import SortedBackend
import StorageAPI
import StorageConformance
import StorageConformanceTesting
import Testing

struct Harness: ConformanceHarness {
    func makePlace() -> SortedBackend.Place { SortedBackend.Place() }
    func backend(at place: SortedBackend.Place) -> any StorageBackend { SortedBackend(place) }
    func outlivesClosing(_ info: BackendInfo) -> Bool { true }
}

@Suite struct ConformanceTests {
    @Test(arguments: Conformance.v1.cases)
    func conforms(_ test: ConformanceCase) async { await test.expect(Harness()) }
}
