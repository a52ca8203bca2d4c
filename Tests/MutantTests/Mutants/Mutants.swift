extension Mutant {
    /// All mutants, by the contract's sections.
    static let all: [Mutant] =
        values + comparisons + keys + writing + removing + children + querying + filtering + transactions + schema
        + errors
}
