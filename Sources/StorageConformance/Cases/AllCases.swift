extension Conformance {
    /// The cases of all sections.
    static let allCases: [ConformanceCase] = [
        writingCases
    ].flatMap { $0 }
}
