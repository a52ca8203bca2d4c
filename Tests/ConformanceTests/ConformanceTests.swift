import StorageConformance
import StorageConformanceTesting
import Testing

@Suite("Every backend keeps the contract")
struct ConformanceTests {
    @Test(arguments: Engine.allCases, Conformance.v1.cases)
    func conforms(_ engine: Engine, _ test: ConformanceCase) async {
        await test.expect(engine.harness)
    }
}
