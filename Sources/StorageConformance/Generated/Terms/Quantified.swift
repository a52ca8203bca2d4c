internal import StorageAPI

/// Conditions on owned arrays: `any`, `all` and `none` with a random condition on the children.
enum Quantified {
    static func makers<M: Storable, A: ChildArray>(
        _ text: String, _ term: @escaping @Sendable (M.Columns) -> QueryExpression<A>,
        _ children: @escaping @Sendable (M) -> [A.Child]
    ) -> [ConditionMaker<M>] where A.Child: GeneratedRecord {
        [
            maker("\(text).any", { term($0).any($1.term) }) { record, filter in
                children(record).contains(where: filter.holds)
            },
            maker("\(text).all", { term($0).all($1.term) }) { record, filter in
                children(record).allSatisfy(filter.holds)
            },
            maker("\(text).none", { term($0).none($1.term) }) { record, filter in
                !children(record).contains(where: filter.holds)
            },
        ]
    }

    private static func maker<M: Storable, C: GeneratedRecord>(
        _ text: String, _ term: @escaping @Sendable (M.Columns, Filter<C>) -> QueryExpression<Bool>,
        _ holds: @escaping @Sendable (M, Filter<C>) -> Bool
    ) -> ConditionMaker<M> {
        @Sendable func condition(_ filter: Filter<C>) -> Condition<M> {
            Condition(
                "\(text) { \(filter.text) }", simpler: filter.simpler.map(condition), { term($0, filter) },
                { holds($0, filter) })
        }
        return { generator, _ in Filter.random(C.conditions, depth: 1, &generator).map(condition) }
    }
}
