internal import StorageAPI

/// A sort key twice: for queries and as an order in Swift.
struct Sorting<M: Storable>: Sendable {
    let text: String
    let term: @Sendable (M.Columns) -> OrderingTerm
    let order: @Sendable (M, M) -> NaiveOrder

    /// Ascending and descending. nil comes first ascending, last descending.
    static func both<V: GeneratedValue & SortableValue>(
        _ name: String, _ term: @escaping @Sendable (M.Columns) -> QueryExpression<V>,
        _ value: @escaping @Sendable (M) -> V
    ) -> [Sorting] {
        [
            Sorting(text: "$0.\(name).ascending", term: { term($0).ascending }) { value($0).order(to: value($1)) },
            Sorting(text: "$0.\(name).descending", term: { term($0).descending }) {
                value($0).order(to: value($1)).reversed
            },
        ]
    }

    /// The same, and with nil at each end.
    static func everyWay<W: GeneratedValue & SortableValue & ScalarValue>(
        _ name: String, _ term: @escaping @Sendable (M.Columns) -> QueryExpression<W?>,
        _ value: @escaping @Sendable (M) -> W?
    ) -> [Sorting] {
        let placed: [Sorting] = [
            Sorting(text: "$0.\(name).ascending.nilsLast", term: { term($0).ascending.nilsLast }) {
                order(value($0), value($1), nilsFirst: false) { $0.order(to: $1) }
            },
            Sorting(text: "$0.\(name).ascending.nilsFirst", term: { term($0).ascending.nilsFirst }) {
                order(value($0), value($1), nilsFirst: true) { $0.order(to: $1) }
            },
            Sorting(text: "$0.\(name).descending.nilsFirst", term: { term($0).descending.nilsFirst }) {
                order(value($0), value($1), nilsFirst: true) { $0.order(to: $1).reversed }
            },
        ]
        return both(name, term, value) + placed
    }

    private static func order<W>(
        _ left: W?, _ right: W?, nilsFirst: Bool, _ order: (W, W) -> NaiveOrder
    ) -> NaiveOrder {
        switch (left, right) {
        case (nil, nil): .same
        case (nil, _): nilsFirst ? .before : .after
        case (_, nil): nilsFirst ? .after : .before
        case (let left?, let right?): order(left, right)
        }
    }
}

/// One property and a value for a partial update.
struct Setting<M: Storable>: Sendable {
    /// The property that is set.
    let name: String
    let text: String
    /// True if it would change a key, which is `invalidQuery` (clause W5).
    var isOfKey = false
    /// Changes a record, given as it was before the call.
    let apply: @Sendable (inout M, M) throws(ExpectedError) -> Void
    let assign: @Sendable (Update<M, Store.Session>) -> Update<M, Store.Session>

    static func maker<V: GeneratedValue & ColumnValue>(
        _ name: String, _ path: FieldPath<M, V>,
        column: ColumnPath<M, V>
    ) -> SettingMaker<M> {
        { generator in
            let value = V.random(&generator)
            return Setting(
                name: name, text: ".set(\\.\(name), to: \(value.swift))",
                apply: { (model, _) in model[keyPath: path] = value },
                assign: { $0.set(column, to: value) })
        }
    }
}

typealias SettingMaker<M: Storable> = @Sendable (inout SeededGenerator) -> Setting<M>
