extension Conformance {
    /// The cases of all sections.
    static let allCases: [ConformanceCase] = [
        corpusCases, valueCases, writingCases, changingCases,
    ].flatMap { $0 }
}
