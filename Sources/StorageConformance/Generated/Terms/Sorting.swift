internal import StorageAPI

/// A sort key twice: for queries and as an order in Swift.
struct Sorting<M: Storable>: Sendable {
    let text: String
    let term: @Sendable (M.Columns) -> SortOrder
    let order: @Sendable (M, M) -> NaiveOrder

    /// Ascending and descending. nil comes first ascending, last descending.
    static func both<V: GeneratedValue & SortableValue>(
        _ name: String, _ path: FieldPath<M, V>, _ column: ColumnPath<M, V>
    ) -> [Sorting] {
        [
            Sorting(text: "$0.\(name).ascending", term: { $0[keyPath: column].ascending }) {
                $0[keyPath: path].order(to: $1[keyPath: path])
            },
            Sorting(text: "$0.\(name).descending", term: { $0[keyPath: column].descending }) {
                $0[keyPath: path].order(to: $1[keyPath: path]).reversed
            },
        ]
    }
}

/// One property and a value for a partial update.
struct Setting<M: Storable>: Sendable {
    let text: String
    /// Whether it would change a key, which is `invalidQuery` (clause W5).
    var isOfKey = false
    let apply: @Sendable (inout M) -> Void
    let assign: @Sendable (BlockingUpdate<M>) -> BlockingUpdate<M>

    static func maker<V: GeneratedValue & ColumnValue>(
        _ name: String, _ path: FieldPath<M, V>,
        _ column: ColumnPath<M, V>
    ) -> SettingMaker<M> {
        { generator in
            let value = V.random(&generator)
            return Setting(
                text: ".set(\\.\(name), to: \(value.swift))", apply: { $0[keyPath: path] = value },
                assign: { $0.set(column, to: value) })
        }
    }
}

typealias SettingMaker<M: Storable> = @Sendable (inout SeededGenerator) -> Setting<M>
