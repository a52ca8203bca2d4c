import StorageConformance
import StorageConformanceTesting
import TestSupport
import Testing

@Suite("Every backend keeps the contract", .repeatable)
struct ConformanceTests {
    @Test(arguments: TestExtent.chosen(Engine.allCases).flatMap { engine in engine.cases.map { (engine, $0) } })
    func `every engine keeps each clause`(_ engine: Engine, _ test: ConformanceCase) async {
        await test.expect(engine.harness)
    }
}
