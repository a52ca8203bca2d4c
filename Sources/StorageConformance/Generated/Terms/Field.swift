internal import StorageAPI

/// The way to a property of a struct.
typealias FieldPath<M, V> = any WritableKeyPath<M, V> & Sendable
/// The way to the same property as a term of queries.
typealias ColumnPath<M: Storable, V> = any KeyPath<M.Columns, QueryExpression<V>> & Sendable

/// A property of a generated model: how to make, show and reset it, and what can be asked about it and done with it.
struct Field<M: GeneratedRecord>: Sendable {
    let name: String
    let randomize: @Sendable (inout M, inout SeededGenerator) -> Void
    /// Gives the property its value in `M()`.
    let reset: @Sendable (inout M) -> Void
    let swift: @Sendable (M, LiteralStyle) -> String
    /// Records in which the property is simpler.
    let simpler: @Sendable (M) -> [M]
    var conditions: [ConditionMaker<M>] = []
    var sortings: [Sorting<M>] = []
    var settings: [SettingMaker<M>] = []
    var aggregates: [Aggregate<M>] = []
    /// Whether two records have the same value, which is not nil: for a unique property.
    var collides: (@Sendable (M, M) -> Bool)?

    /// A property that nothing can be asked about.
    init<V: GeneratedValue>(_ name: String, _ path: FieldPath<M, V>) {
        self.name = name
        randomize = { $0[keyPath: path] = V.random(&$1) }
        reset = { $0[keyPath: path] = M()[keyPath: path] }
        swift = { $0[keyPath: path].swift($1) }
        simpler = { record in
            record[keyPath: path].simpler.map { value in
                var simpler = record
                simpler[keyPath: path] = value
                return simpler
            }
        }
    }

    /// A column: it can be compared whole, and set.
    init<V: GeneratedValue & ColumnValue & Equatable>(
        _ name: String, _ path: FieldPath<M, V>, _ column: ColumnPath<M, V>
    ) {
        self.init(name, path)
        conditions = Term(name, path, column).equality
        settings = [Setting.maker(name, path, column)]
    }
}

extension Term {
    init(
        _ name: String, _ path: FieldPath<M, V>, _ column: ColumnPath<M, V>
    ) {
        self.init("$0.\(name)", { $0[keyPath: column] }, { $0[keyPath: path] })
    }
}

extension Field {
    /// A scalar that can be sorted by and has no order in Swift, or an Optional of one.
    static func scalar<V: GeneratedValue & SortableValue & Equatable>(
        _ name: String, _ path: FieldPath<M, V>, _ column: ColumnPath<M, V>
    ) -> Field {
        var field = Field(name, path, column)
        field.sortings = Sorting.both(name, path, column)
        return field
    }

    static func ordered<V: GeneratedValue & ScalarValue & SortableValue & Comparable>(
        _ name: String, _ path: FieldPath<M, V>, _ column: ColumnPath<M, V>
    ) -> Field where V.Scalar == V {
        var field = scalar(name, path, column)
        field.conditions += Term(name, path, column).comparison
        field.aggregates = Aggregate.extremes(name, path, column)
        return field
    }

    static func optional<W: GeneratedValue & ScalarValue & SortableValue & Comparable>(
        _ name: String, _ path: FieldPath<M, W?>, _ column: ColumnPath<M, W?>
    ) -> Field where W.Scalar == W {
        var field = scalar(name, path, column)
        let term = Term(name, path, column)
        field.conditions += term.optionalComparison() + term.absence()
        field.aggregates = Aggregate.extremes(name, path, column)
        return field
    }

    static func text(_ name: String, _ path: FieldPath<M, String>, _ column: ColumnPath<M, String>) -> Field {
        var field = ordered(name, path, column)
        field.conditions += Term(name, path, column).tests
        return field
    }

    static func text(_ name: String, _ path: FieldPath<M, String?>, _ column: ColumnPath<M, String?>) -> Field {
        var field = optional(name, path, column)
        field.conditions += Term(name, path, column).tests
        return field
    }

    /// An integer that can be summed.
    static func number<V: GeneratedValue & NumericValue & FixedWidthInteger>(
        _ name: String, _ path: FieldPath<M, V>, _ column: ColumnPath<M, V>
    ) -> Field where V.Sum: FixedWidthInteger, V.Scalar == V {
        var field = ordered(name, path, column)
        field.aggregates.append(Aggregate.sum(name, path, column))
        return field
    }

    /// The property is unique: no two records have equal values, nil excepted.
    func unique<V: GeneratedValue>(_ path: FieldPath<M, V?>) -> Field {
        var field = self
        field.collides = { left, right in
            left[keyPath: path] != nil && left[keyPath: path].isSame(as: right[keyPath: path])
        }
        return field
    }

    /// The property is a key, or a part of one.
    var key: Field {
        var field = self
        field.settings = settings.map { maker in
            { generator in
                var setting = maker(&generator)
                setting.isOfKey = true
                return setting
            }
        }
        return field
    }

    // MARK: Owned children

    /// Children that conditions look into.
    static func children<C: GeneratedRecord>(_ name: String, _ path: FieldPath<M, [C]>, _ column: ColumnPath<M, [C]>)
        -> Field
    {
        var field = Field(name, path)
        field.conditions = Quantified.makers("$0.\(name)", { $0[keyPath: column] }, { $0[keyPath: path] })
        return field
    }

    static func children<C: GeneratedRecord>(_ name: String, _ path: FieldPath<M, [C]?>, _ column: ColumnPath<M, [C]?>)
        -> Field
    {
        var field = Field(name, path)
        field.conditions =
            Quantified.makers("$0.\(name)", { $0[keyPath: column] }, { $0[keyPath: path] ?? [] })
            + Term(name, path, column).absence()
        return field
    }

    static func child<C: GeneratedRecord>(_ name: String, _ path: FieldPath<M, C?>, _ column: ColumnPath<M, C?>)
        -> Field
    {
        var field = Field(name, path)
        field.conditions = Term(name, path, column).absence()
        return field
    }
}
