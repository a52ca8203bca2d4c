internal import StorageAPI

// Texts that are joined with others, and what programs do with them.

/// A text next to the stored one: before it or after it.
private struct Joint: Sendable {
    let operand: String
    let isBehind: Bool

    init(_ generator: inout SeededGenerator) {
        operand = String.random(&generator)
        isBehind = generator.chance(50)
    }

    func joined(_ text: String) -> String { isBehind ? text + operand : operand + text }
    func swift(_ term: String) -> String { isBehind ? "(\(term) + \(operand.swift))" : "(\(operand.swift) + \(term))" }

    func joined(_ term: QueryExpression<String>) -> QueryExpression<String> {
        isBehind ? term + operand : operand + term
    }
    func joined(_ term: QueryExpression<String?>) -> QueryExpression<String?> {
        isBehind ? term + operand : operand + term
    }

    /// In a query's text; nil where the operand comes first, for which a question mark has no place.
    func joined(_ written: Written?) -> Written? {
        isBehind ? written.map { Written.joined([$0.with("+", .text(operand))], "", open: "(", close: ")") } : nil
    }
}

extension Term where V == String {
    /// Comparisons and tests of the text joined with another.
    var joining: [ConditionMaker<M>] {
        [
            { [self] generator, record in
                let joint = Joint(&generator)
                let joined = Term(
                    joint.swift(text), written: joint.joined(written), { joint.joined(term($0)) },
                    { (record) throws(ExpectedError) in joint.joined(try value(record)) })
                return generator.one(of: joined.comparison + joined.equality + joined.tests)?(&generator, record)
            }
        ]
    }
}

extension Term where V == String? {
    /// The same of a text that may be nil, and then stays nil.
    var joining: [ConditionMaker<M>] {
        [
            { [self] generator, record in
                let joint = Joint(&generator)
                let joined = Term(
                    joint.swift(text), written: joint.joined(written), { joint.joined(term($0)) },
                    { (record) throws(ExpectedError) in try value(record).map(joint.joined) })
                let conditions = joined.optionalComparison() + joined.equality + joined.absence() + joined.tests
                return generator.one(of: conditions)?(&generator, record)
            }
        ]
    }
}

extension Setting {
    /// Sets a text to itself joined with another.
    static func joining(_ name: String, _ path: FieldPath<M, String>, column: ColumnPath<M, String>) -> SettingMaker<
        M
    > {
        { generator in
            let joint = Joint(&generator)
            return Setting(
                name: name, text: ".set(\\.\(name)) { \(joint.swift("$0.\(name)")) }",
                apply: { (model, before) throws(ExpectedError) in
                    model[keyPath: path] = joint.joined(before[keyPath: path])
                },
                assign: { $0.set(column) { joint.joined($0[keyPath: column]) } })
        }
    }

    /// The same of a text that may be nil.
    static func joining(
        _ name: String, _ path: FieldPath<M, String?>, column: ColumnPath<M, String?>
    ) -> SettingMaker<M> {
        { generator in
            let joint = Joint(&generator)
            return Setting(
                name: name, text: ".set(\\.\(name)) { \(joint.swift("$0.\(name)")) }",
                apply: { (model, before) throws(ExpectedError) in
                    model[keyPath: path] = before[keyPath: path].map(joint.joined)
                },
                assign: { $0.set(column) { joint.joined($0[keyPath: column]) } })
        }
    }
}
