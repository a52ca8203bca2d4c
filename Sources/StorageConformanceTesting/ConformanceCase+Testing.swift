public import StorageConformance
public import Testing

extension ConformanceCase {
    /// Runs the case in a test of Swift Testing: what fails is an issue of the test, with the snippet that shows it.
    ///
    /// ```swift
    /// @Test(arguments: Conformance.v1.cases)
    /// func conforms(_ test: ConformanceCase) async { await test.expect(Harness()) }
    /// ```
    public func expect(
        _ harness: some ConformanceHarness, _ options: ConformanceOptions = .init(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let result = await run(harness, options)
        guard let explanation = result.explanation(options) else { return }
        Issue.record("\(explanation)", severity: result.fails ? .error : .warning, sourceLocation: sourceLocation)
    }
}

extension ConformanceCase: CustomTestStringConvertible {
    /// The identifier, by which tests are chosen.
    public var testDescription: String { id }
}
