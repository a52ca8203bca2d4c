internal import StorageAPI

/// Conditions on owned arrays: `any`, `all`, `none` and `count` with a random condition on the children.
enum Quantified {
    static func makers<M: Storable, A: ChildArray>(
        _ name: String, _ term: @escaping @Sendable (M.Columns) -> QueryExpression<A>,
        _ children: @escaping @Sendable (M) -> [A.Child]
    ) -> [ConditionMaker<M>] where A.Child: GeneratedRecord {
        [
            maker("any", name, { term($0).any($1.term) }) { (record, filter) throws(ExpectedError) in
                try holds(children(record), filter, wanted: true)
            },
            maker("all", name, { term($0).all($1.term) }) { (record, filter) throws(ExpectedError) in
                try !holds(children(record), filter, wanted: false)
            },
            maker("none", name, { term($0).none($1.term) }) { (record, filter) throws(ExpectedError) in
                try !holds(children(record), filter, wanted: true)
            },
            counted(name, { term($0).count($1.term) }, children),
        ]
    }

    /// Returns whether the filter holds for some child, and examines no child after the first match.
    private static func holds<C: GeneratedRecord>(
        _ children: [C], _ filter: Filter<C>, wanted: Bool
    ) throws(ExpectedError) -> Bool {
        for child in children where try filter.holds(child) == wanted { return true }
        return false
    }

    private static func maker<M: Storable, C: GeneratedRecord>(
        _ word: String, _ name: String, _ term: @escaping @Sendable (M.Columns, Filter<C>) -> QueryExpression<Bool>,
        _ holds: @escaping @Sendable (M, Filter<C>) throws(ExpectedError) -> Bool
    ) -> ConditionMaker<M> {
        @Sendable func condition(_ filter: Filter<C>) -> Condition<M> {
            Condition(
                "$0.\(name).\(word) { \(filter.text) }",
                written: filter.written.map { Written.joined([$0], "", open: "\(word) \(name) (", close: ")") },
                simpler: filter.simpler.map(condition), { term($0, filter) },
                { (record) throws(ExpectedError) in try holds(record, filter) })
        }
        return { generator, _ in Filter.random(C.conditions, depth: generator.below(3), &generator).map(condition) }
    }

    private static func counted<M: Storable, C: GeneratedRecord>(
        _ name: String, _ term: @escaping @Sendable (M.Columns, Filter<C>) -> QueryExpression<Int>,
        _ children: @escaping @Sendable (M) -> [C]
    ) -> ConditionMaker<M> {
        @Sendable func condition(_ filter: Filter<C>, _ count: Int) -> Condition<M> {
            Condition(
                "$0.\(name).count { \(filter.text) } >= \(count)",
                written: filter.written.map {
                    Written.joined([$0], "", open: "count(\(name) where ", close: ") >= \(count)")
                },
                simpler: filter.simpler.map { condition($0, count) }, { term($0, filter) >= count },
                { (record) throws(ExpectedError) in try filter.chosen(of: children(record)) { $0 }.count >= count })
        }
        return { generator, _ in
            let count = generator.below(3)
            return Filter.random(C.conditions, depth: generator.below(2), &generator).map { condition($0, count) }
        }
    }
}
