internal import Foundation
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
    var aggregates: [AggregateMaker<M>] = []
    /// Returns whether two records have the same value, which is not nil, for a unique property.
    var collides: (@Sendable (M, M) -> Bool)?
    /// The way in which records are found by the property; nil for one by which nothing is found.
    var match: Match?

    /// A property that a record may be saved by.
    struct Match: Sendable {
        let name: String
        let path: any PartialKeyPath<M> & Sendable
        /// Returns whether two records have the same value, which is not nil.
        let isSame: @Sendable (M, M) -> Bool
    }

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
    init<V: AskedValue>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) {
        self.init(name, path)
        conditions = Term(name, path, column: column).equality
        aggregates = [Aggregate.loaded(name, path, column: column)]
        settings = [Setting.maker(name, path, column: column)]
    }
}

extension Term {
    init(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) {
        self.init("$0.\(name)", written: Written(name), { $0[keyPath: column] }, { $0[keyPath: path] })
        predicate = { PredicateExpressions.build_KeyPath(root: $0, keyPath: path) }
    }
}

extension Field {
    /// A scalar that can be sorted by and has no order in Swift, or an Optional of one.
    static func scalar<V: AskedValue & SortableValue>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) -> Field {
        var field = Field(name, path, column: column)
        field.sortings = Sorting.both(name, { $0[keyPath: column] }, { $0[keyPath: path] })
        field.match = Match(name: name, path: path) { left, right in
            let value = left[keyPath: path]
            return value.swift != "nil" && value.isSame(as: right[keyPath: path])
        }
        field.aggregates += [
            Aggregate.distinct(name, path, column: column), Aggregate.groups(name, path, column: column),
        ]
        return field
    }

    static func ordered<V: AskedValue & ScalarValue & SortableValue & Comparable>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) -> Field where V.Scalar == V {
        var field = scalar(name, path, column: column)
        field.conditions += Term(name, path, column: column).comparison
        field.aggregates += Aggregate.extremes(name, path, column: column).map { fold in { _ in fold } }
        return field
    }

    static func optional<W: AskedValue & ScalarValue & SortableValue & Comparable>(
        _ name: String, _ path: FieldPath<M, W?>, column: ColumnPath<M, W?>
    ) -> Field where W.Scalar == W {
        var field = scalar(name, path, column: column)
        let term = Term(name, path, column: column)
        field.conditions += term.optionalComparison() + term.absence()
        field.sortings = Sorting.everyWay(name, { $0[keyPath: column] }, { $0[keyPath: path] })
        field.aggregates += Aggregate.extremes(name, path, column: column).map { fold in { _ in fold } }
        return field
    }

    static func text(_ name: String, _ path: FieldPath<M, String>, column: ColumnPath<M, String>) -> Field {
        var field = ordered(name, path, column: column)
        let term = Term(name, path, column: column)
        field.conditions += term.tests + term.joining
        field.settings.append(Setting.joining(name, path, column: column))
        return field
    }

    static func text(_ name: String, _ path: FieldPath<M, String?>, column: ColumnPath<M, String?>) -> Field {
        var field = optional(name, path, column: column)
        let term = Term(name, path, column: column)
        field.conditions += term.tests + term.joining
        field.settings.append(Setting.joining(name, path, column: column))
        return field
    }

    /// An integer that can be computed with and summed.
    static func number<V: ComputedValue & FixedWidthInteger>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) -> Field where V.Sum: FixedWidthInteger, V.Scalar == V {
        var field = ordered(name, path, column: column)
        field.conditions += Term(name, path, column: column).computation
        field.settings.append(Setting.computing(name, path, column: column))
        let sum = Aggregate.sum(name, path, column: column)
        field.aggregates.append { _ in sum }
        return field
    }

    /// A number that can be computed with.
    static func computed<V: ComputedValue>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) -> Field where V.Scalar == V {
        var field = ordered(name, path, column: column)
        field.conditions += Term(name, path, column: column).computation
        field.settings.append(Setting.computing(name, path, column: column))
        return field
    }

    static func optionalNumber<W: ComputedValue>(
        _ name: String, _ path: FieldPath<M, W?>, column: ColumnPath<M, W?>
    ) -> Field where W.Scalar == W {
        var field = optional(name, path, column: column)
        field.conditions += Term(name, path, column: column).optionalComputation()
        field.settings.append(Setting.optionalComputing(name, path, column: column))
        return field
    }

    /// An array of values, which is asked for its elements and their number.
    static func array<E: AskedValue>(
        _ name: String, _ path: FieldPath<M, [E]>, column: ColumnPath<M, [E]>
    ) -> Field {
        var field = Field(name, path)
        field.conditions = Term(name, path, column: column).arrayTests()
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
        field.match = nil
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
    static func children<C: GeneratedRecord>(_ name: String, _ path: FieldPath<M, [C]>, column: ColumnPath<M, [C]>)
        -> Field
    {
        var field = Field(name, path)
        field.conditions = Quantified.makers(name, { $0[keyPath: column] }, { $0[keyPath: path] })
        field.sortings = Sorting.both("\(name).count", { $0[keyPath: column].count }, { $0[keyPath: path].count })
        return field
    }

    static func children<C: GeneratedRecord>(_ name: String, _ path: FieldPath<M, [C]?>, column: ColumnPath<M, [C]?>)
        -> Field
    {
        var field = Field(name, path)
        field.conditions =
            Quantified.makers(name, { $0[keyPath: column] }, { $0[keyPath: path] ?? [] })
            + Term(name, path, column: column).absence()
        field.sortings = Sorting.everyWay("\(name).count", { $0[keyPath: column].count }, { $0[keyPath: path]?.count })
        return field
    }

    static func child<C: GeneratedRecord>(_ name: String, _ path: FieldPath<M, C?>, column: ColumnPath<M, C?>)
        -> Field
    {
        var field = Field(name, path)
        field.conditions = Term(name, path, column: column).absence()
        return field
    }
}
