import StorageConformance
import StorageConformanceTesting
import TestSupport
import Testing

@Suite("Every backend keeps the contract")
struct ConformanceTests {
    @Test(arguments: TestExtent.chosen(Engine.allCases).flatMap { engine in engine.cases.map { (engine, $0) } })
    func `every engine keeps each clause`(_ engine: Engine, _ test: ConformanceCase) async {
        // The suite runs beside all other tests, and a busy machine is no failure.
        await test.expect(engine.harness, ConformanceOptions(deadline: .seconds(300)))
    }
}
