internal import StorageAPI

// Groups, distinct values, tuples and records without children: folds over what a query chooses.

/// Makes a fold with random conditions and parts.
typealias AggregateMaker<M: Storable> = @Sendable (inout SeededGenerator) -> Aggregate<M>

extension Aggregate {
    /// The values of a property, one of equal ones, in their order.
    static func distinct<V: GeneratedValue & ColumnValue>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) -> AggregateMaker<M> {
        { generator in
            let limit = generator.chance(70) ? nil : generator.below(4)
            let offset = generator.below(3)
            let part = limit.map { ".limit(\($0))" } ?? ""
            return Aggregate(text: "only { $0.\(name) }.distinct()\(part).offset(\(offset)).all()") {
                (select) throws(StorageError) in
                var values = select.only { $0[keyPath: column] }.distinct().offset(offset)
                if let limit { values = values.limit(limit) }
                let distinct: [V] = try values.all()
                return distinct.lines
            } answer: { models in
                classes(models, path).map(\.key).dropFirst(offset).prefix(limit ?? .max).lines
            }
        }
    }

    /// The groups of a property with their counts, those that are large enough, in one of two orders.
    static func groups<V: GeneratedValue & ColumnValue>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) -> AggregateMaker<M> {
        { generator in
            let (minimum, limit, byCount) = (generator.below(3), generator.pick(1000, 2), generator.chance(50))
            let order = byCount ? ".order { $0.count.descending }" : ""
            let text =
                "group { $0.\(name) }.having { $0.count >= \(minimum) }\(order).limit(\(limit)).all { ($0.key, $0.count) }"
            return Aggregate(text: text) { (select) throws(StorageError) in
                var groups = select.group { $0[keyPath: column] }.having { $0.count >= minimum }.limit(limit)
                if byCount { groups = groups.order { $0.count.descending } }
                return try groups.all { ($0.key, $0.count) }
                    .map { "\($0.0.swift(.comparable)): \($0.1)" }.joined(separator: "\n")
            } answer: { models in
                let large = classes(models, path).filter { $0.models.count >= minimum }
                let sorted = large.enumerated().sorted { left, right in
                    let (first, second) = (left.element.models.count, right.element.models.count)
                    return byCount && first != second ? first > second : left.offset < right.offset
                }
                return sorted.prefix(limit).map { "\($0.element.key.swift(.comparable)): \($0.element.models.count)" }
                    .joined(separator: "\n")
            }
        }
    }

    /// A number's sum and minimum for each group of a property.
    static func groups<V: GeneratedValue & ColumnValue, N: NumericValue & FixedWidthInteger & GeneratedValue>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>,
        summing number: String, numberPath: FieldPath<M, N>, numberColumn: ColumnPath<M, N>
    ) -> AggregateMaker<M> where N.Sum: FixedWidthInteger, N.Scalar == N {
        let text = "group { $0.\(name) }.all { ($0.key, $0.sum { $0.\(number) }, $0.min { $0.\(number) }) }"
        let fold = Aggregate(text: text) { (select) throws(StorageError) in
            let groups = select.group { $0[keyPath: column] }
            return try groups.all { group in
                (group.key, group.sum { $0[keyPath: numberColumn] }, group.min { $0[keyPath: numberColumn] })
            }.map { "\($0.0.swift(.comparable)): \($0.1) \($0.2.swift)" }.joined(separator: "\n")
        } answer: { (models) throws(ExpectedError) in
            var lines: [String] = []
            for (key, models) in classes(models, path) {
                let sum = models.reduce(Int128(0)) { $0 + Int128($1[keyPath: numberPath]) }
                guard let fitting = N.Sum(exactly: sum) else { throw ExpectedError(.overflow) }
                let minimum = models.map { $0[keyPath: numberPath] }.min()
                lines.append("\(key.swift(.comparable)): \(fitting) \(minimum.swift)")
            }
            return lines.joined(separator: "\n")
        }
        return { _ in fold }
    }

    /// A property of the records as they come without their children.
    static func loaded<V: GeneratedValue & ColumnValue>(
        _ name: String, _ path: FieldPath<M, V>, column: ColumnPath<M, V>
    ) -> AggregateMaker<M> {
        let fold = Aggregate(text: "withoutChildren().all().map { try $0.\(name) }") { (select) throws(StorageError) in
            var values: [V] = []
            for record in try select.withoutChildren().all() { values.append(try record[dynamicMember: column]) }
            return values.lines
        } answer: { models in
            models.map { $0[keyPath: path] }.lines
        }
        return { _ in fold }
    }

    /// Tuples of two terms.
    static func tuples<A: GeneratedValue, B: GeneratedValue>(
        _ names: String, _ terms: @escaping @Sendable (M.Columns) -> (QueryExpression<A>, QueryExpression<B>),
        _ values: @escaping @Sendable (M) -> (A, B)
    ) -> AggregateMaker<M> {
        let fold = Aggregate(text: "only { (\(names)) }.all()") { (select) throws(StorageError) in
            let tuples = select.only { terms($0) }
            return try tuples.all().map { "\($0.0.swift(.comparable)) \($0.1.swift(.comparable))" }
                .joined(separator: "\n")
        } answer: { models in
            models.map(values).map { "\($0.0.swift(.comparable)) \($0.1.swift(.comparable))" }.joined(separator: "\n")
        }
        return { _ in fold }
    }

    /// The models by the values of a property, in the order of the values.
    private static func classes<V: GeneratedValue>(
        _ models: [M], _ path: FieldPath<M, V>
    ) -> [(key: V, models: [M])] {
        var classes: [(key: V, models: [M])] = []
        for model in models {
            let key = model[keyPath: path]
            if let index = classes.firstIndex(where: { $0.key.isSame(as: key) }) {
                classes[index].models.append(model)
            } else {
                classes.append((key, [model]))
            }
        }
        return classes.sorted { $0.key.order(to: $1.key) == .before }
    }
}
