import StorageAPI
import StorageConformance
import StorageConformanceXCTest
import XCTest

/// The runner for XCTest, by XCTest.
final class XCTestRunnerTests: XCTestCase {
    func testCasesThatPassAreNoFailures() async {
        await expectConformance(InMemoryHarness())
    }

    #if !canImport(ObjectiveC)
    private var collected: [String]?

    override func recordFailure(
        withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
    ) {
        guard collected == nil else {
            collected?.append(description)
            return
        }
        super.recordFailure(withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    }

    func testCasesThatFailAreFailuresWithTheirSnippet() async throws {
        let cases = Conformance.v1.cases.filter { $0.id == "write/insert-then-find" }
        collected = []
        let forgetting = FaultyHarness(backend: { FaultyBackend($0, .forgets) })
        await expectConformance(forgetting, cases: cases)
        let failures = try XCTUnwrap(collected)
        collected = nil
        XCTAssertTrue(failures.contains { $0.contains("try await store.insert(Person(id: 7") }, "\(failures)")
        XCTAssertEqual(failures.count, 2)
    }
    #endif
}
