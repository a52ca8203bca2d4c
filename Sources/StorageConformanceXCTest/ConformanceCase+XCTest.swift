public import StorageConformance
public import XCTest

extension XCTestCase {
    /// Runs the suite in a test of XCTest: each case that fails is a failure of the test, with the snippet that shows it.
    ///
    /// ```swift
    /// final class ConformanceTests: XCTestCase {
    ///     func testConformance() async { await expectConformance(Harness()) }
    /// }
    /// ```
    public func expectConformance(
        _ harness: some ConformanceHarness, cases: [ConformanceCase] = Conformance.v1.cases,
        _ options: ConformanceOptions = .init(),
        file: StaticString = #filePath, line: UInt = #line
    ) async {
        let report = await ConformanceRun(harness, cases: cases, options: options).results()
        for result in report.results where result.fails {
            XCTFail(result.explanation(options) ?? result.outcome.name, file: file, line: line)
        }
        XCTAssertTrue(report.isPassed, report.summary, file: file, line: line)
    }
}
