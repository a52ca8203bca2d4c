internal import StorageAPI

/// A fold over the records of a query, twice.
struct Aggregate<M: Storable>: Sendable {
    let text: String
    let run: @Sendable (Select<M, Store.Session>) throws(StorageError) -> String
    let answer: @Sendable ([M]) throws(ExpectedError) -> String

    static func extremes<V: GeneratedValue & SortableValue & ScalarValue>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) -> [Aggregate] where V.Scalar == V {
        extremes(
            name, { $0[keyPath: path] },
            column: { (select) throws(StorageError) in try select.min { $0[keyPath: column] } },
            { (select) throws(StorageError) in try select.max { $0[keyPath: column] } })
    }

    static func extremes<V: GeneratedValue & SortableValue & ScalarValue>(
        _ name: String, _ path: FieldPath<M, V?>, column: ColumnPath<M, V?>
    ) -> [Aggregate] where V.Scalar == V {
        extremes(
            name, { $0[keyPath: path] },
            column: { (select) throws(StorageError) in try select.min { $0[keyPath: column] } },
            { (select) throws(StorageError) in try select.max { $0[keyPath: column] } })
    }

    private static func extremes<V: GeneratedValue>(
        _ name: String, _ value: @escaping @Sendable (M) -> V?,
        column min: @escaping @Sendable (Select<M, Store.Session>) throws(StorageError) -> V?,
        _ max: @escaping @Sendable (Select<M, Store.Session>) throws(StorageError) -> V?
    ) -> [Aggregate] {
        [
            Aggregate(text: "min { $0.\(name) }") { (select) throws(StorageError) in
                try min(select).swift(.comparable)
            } answer: { models in
                models.compactMap(value).min { $0.order(to: $1) == .before }.swift(.comparable)
            },
            Aggregate(text: "max { $0.\(name) }") { (select) throws(StorageError) in
                try max(select).swift(.comparable)
            } answer: { models in
                models.compactMap(value).max { $0.order(to: $1) == .before }.swift(.comparable)
            },
        ]
    }

    /// The sum of an integer property, in the records' order.
    static func sum<V: NumericValue & FixedWidthInteger>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) -> Aggregate where V.Sum: FixedWidthInteger {
        Aggregate(text: "sum { $0.\(name) }") { (select) throws(StorageError) in
            String(try select.sum { $0[keyPath: column] })
        } answer: { (models) throws(ExpectedError) in
            // Wide enough for any number of 64-bit integers: only the whole sum may overflow.
            let sum = models.reduce(Int128(0)) { $0 + Int128($1[keyPath: path]) }
            guard let fitting = V.Sum(exactly: sum) else { throw ExpectedError(.overflow) }
            return String(fitting)
        }
    }
}
