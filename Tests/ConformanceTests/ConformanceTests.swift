import StorageConformance
import StorageConformanceTesting
import Testing

@Suite("Every backend keeps the contract")
struct ConformanceTests {
    @Test(arguments: Engine.allCases, Conformance.v1.cases)
    func conforms(_ engine: Engine, _ test: ConformanceCase) async {
        // The suite runs beside all other tests, and a busy machine is no failure.
        await test.expect(engine.harness, ConformanceOptions(deadline: .seconds(300)))
    }
}
