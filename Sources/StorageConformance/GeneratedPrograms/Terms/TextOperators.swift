internal import StorageAPI

/// Text that may be nil.
protocol MaybeText {
    var maybeText: String? { get }
}
extension String: MaybeText { var maybeText: String? { self } }
extension String?: MaybeText { var maybeText: String? { self } }

/// A test of text: how it is written, built, and what it means over the bytes of both texts.
private struct TextOperator<V: TextValue>: Sendable {
    let name: String
    let written: String
    let build: @Sendable (QueryExpression<V>, String, TextFolding) -> QueryExpression<Bool>
    let holds: @Sendable ([UInt8], [UInt8]) -> Bool

    static var all: [TextOperator] {
        [
            TextOperator(name: "hasPrefix", written: "beginswith", build: { $0.hasPrefix($1, ignoring: $2) }) {
                $0.starts(with: $1)
            },
            TextOperator(name: "hasSuffix", written: "endswith", build: { $0.hasSuffix($1, ignoring: $2) }) {
                $0.reversed().starts(with: $1.reversed())
            },
            TextOperator(name: "contains", written: "contains", build: { $0.contains($1, ignoring: $2) }) {
                bytes, part in part.isEmpty || bytes.indices.contains { bytes[$0...].starts(with: part) }
            },
            TextOperator(name: "like", written: "like", build: { $0.like($1, ignoring: $2) }) {
                let scalars = (String(decoding: $0, as: UTF8.self), String(decoding: $1, as: UTF8.self))
                return isLike(Array(scalars.0.unicodeScalars)[...], Array(scalars.1.unicodeScalars)[...])
            },
        ]
    }
}

/// Returns whether a text is like a pattern, literally as the contract defines it, and slowly.
func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*": return isLike(text, rest) || !text.isEmpty && isLike(text.dropFirst(), pattern)
    case "?": return !text.isEmpty && isLike(text.dropFirst(), rest)
    case "\\" where !rest.isEmpty: return text.first == rest.first && isLike(text.dropFirst(), rest.dropFirst())
    default: return text.first == first && isLike(text.dropFirst(), rest)
    }
}

extension Term where V: TextValue & MaybeText {
    /// Tests of text, which are false for nil. Where something is ignored, both texts are folded first; what folding is
    /// the suite's cases prove.
    var tests: [ConditionMaker<M>] { TextOperator<V>.all.map(test) + [folded] }

    private func test(_ test: TextOperator<V>) -> ConditionMaker<M> {
        { [self] generator, record in
            let whole = record.flatMap { try? value($0).maybeText } ?? String.random(&generator)
            // A part of a stored text, cut between scalars; now and then with wildcards around it.
            let cut = String(whole.unicodeScalars.dropFirst(generator.below(2)).prefix(1 + generator.below(3)))
            let plain = generator.chance(40) ? String.random(&generator) : cut
            let part =
                test.name == "like" && generator.chance(70)
                ? generator.pick("*\(plain)", "*\(plain)*", "?\(plain)*") : plain
            let folding = generator.folding
            let bytes = Array(folding.fold(part).utf8)
            return Condition(
                "\(text).\(test.name)(\(part.swift)\(folding.argument))",
                written: written?.with(test.written + folding.letters, .text(part)),
                { test.build(term($0), part, folding) },
                { (record) throws(ExpectedError) in
                    try value(record).maybeText.map { test.holds(Array(folding.fold($0).utf8), bytes) } ?? false
                })
        }
    }

    /// Equality where case or diacritics are left out.
    private var folded: ConditionMaker<M> {
        { [self] generator, record in
            let operand = record.flatMap { try? value($0).maybeText } ?? String.random(&generator)
            let folding = generator.pick(TextFolding.case, .diacritics, [.case, .diacritics])
            let bytes = Array(folding.fold(operand).utf8)
            return Condition(
                "\(text).equals(\(operand.swift)\(folding.argument))",
                written: written?.with("==" + folding.letters, .text(operand)),
                { term($0).equals(operand, ignoring: folding) },
                { (record) throws(ExpectedError) in
                    try value(record).maybeText.map { Array(folding.fold($0).utf8) == bytes } ?? false
                })
        }
    }
}

extension SeededGenerator {
    /// Nothing, more often than not, and else case, diacritics or both.
    fileprivate var folding: TextFolding {
        mutating get { chance(60) ? [] : pick(.case, .diacritics, [.case, .diacritics]) }
    }
}

extension TextFolding {
    fileprivate var argument: String {
        let names = [contains(.case) ? ".case" : nil, contains(.diacritics) ? ".diacritics" : nil].compactMap(\.self)
        return names.isEmpty ? "" : ", ignoring: [\(names.joined(separator: ", "))]"
    }

    /// As a query's text has it.
    fileprivate var letters: String {
        isEmpty ? "" : "[" + (contains(.case) ? "c" : "") + (contains(.diacritics) ? "d" : "") + "]"
    }
}
