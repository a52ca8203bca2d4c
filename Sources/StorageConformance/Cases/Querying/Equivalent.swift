internal import StorageAPI

/// A condition, and the same in plain Swift over the loaded record.
struct Equivalent<M: Storable>: Sendable {
    let filter: @Sendable (M.Columns) -> QueryExpression<Bool>
    /// Throws where the contract lets the query fail.
    let expected: @Sendable (M) throws(ExpectedError) -> Bool

    init(
        _ filter: @escaping @Sendable (M.Columns) -> QueryExpression<Bool>,
        _ expected: @escaping @Sendable (M) throws(ExpectedError) -> Bool
    ) {
        self.filter = filter
        self.expected = expected
    }

    /// The records that Swift chooses.
    private func chosen(_ models: [M], negated: Bool) throws(ExpectedError) -> [M] {
        var chosen: [M] = []
        for model in models where try expected(model) != negated { chosen.append(model) }
        return chosen
    }

    /// Asks a store for the records that meet the condition and for the others, and compares them with Swift's choice.
    func check(on store: RecordedStore, holding models: [M], _ trial: Trial) async throws {
        for isNegated in [false, true] {
            let query = store.select(M.self) { $0.where { isNegated ? !filter($0) : filter($0) } }
            let chosen: [M]
            do {
                chosen = try self.chosen(models, negated: isNegated)
            } catch {
                try await trial.expectError(error.code) { try await query.all() }
                continue
            }
            try trial.expect(
                try await query.all(), equals: chosen,
                isNegated
                    ? "The negation of the last filter is not exactly the others." : "The last filter holds for others."
            )
        }
    }
}

extension ConformanceCase {
    /// A case that compares conditions with the same expressions in Swift over the records, which are in key order.
    init<M: Storable>(
        _ id: String, for proof: Proof, _ sentence: String, over models: [M], pairs: [Equivalent<M>]
    ) {
        self.init(id, for: proof, sentence) { t in
            let store = try await t.open(M.self)
            try await store.insert(models)
            for pair in pairs { try await pair.check(on: store, holding: models, t) }
        }
    }
}
