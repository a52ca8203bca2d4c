extension Mutant {
    /// All mutants, by the contract's sections.
    static let all: [Mutant] =
        blunt + values + comparisons + keys + writing + removing + children + querying + filtering + computing
        + grouping + transactions
        + schema + references
        + errors + history
}
