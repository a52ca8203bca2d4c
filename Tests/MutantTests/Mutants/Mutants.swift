extension Mutant {
    /// All mutants, by what they are about.
    static let kinds: [(name: String, mutants: [Mutant])] = [
        ("types", types), ("values", values), ("order and equality", comparisons), ("keys", keys), ("writing", writing),
        ("deleting", removing), ("children", children), ("results", querying), ("pages", paging),
        ("filters", filtering),
        ("computing", computing), ("groups", grouping), ("transactions", transactions), ("files", files),
        ("schema", schema), ("references", references), ("errors", errors), ("history", history), ("closing", closing),
        ("engines", engines),
        ("expiry", expiry), ("search", searching),
    ]

    static let all: [Mutant] = kinds.flatMap(\.mutants)
}
