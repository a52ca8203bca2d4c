import Foundation
import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// V4: equality and order.
    static let comparisons: [Mutant] = [
        Mutant("equal-ignoring-case", breaking: [.v4], "\"a\" equals \"A\".") {
            $0.equality { value in
                guard case .text(let text) = value else { return nil }
                return [value, .text(text.lowercased()), .text(text.uppercased())]
            }
        },
        Mutant("equal-by-normal-form", breaking: [.v4], "Composed and decomposed text are equal.") {
            $0.equality { value in
                guard case .text(let text) = value else { return nil }
                return [
                    .text(text.precomposedStringWithCanonicalMapping), .text(text.decomposedStringWithCanonicalMapping),
                ]
            }
        },
        Mutant("equal-up-to-nul", breaking: [.v2, .v4], "Text is compared up to the first NUL.") {
            $0.equality { value in
                guard case .text(let text) = value, text.utf8.contains(0) else { return nil }
                return [.text(String(text.unicodeScalars.prefix { $0 != "\0" }))]
            }
        },
        Mutant("equal-through-double", breaking: [.v4, .q9, .k3], "2^53 equals 2^53 + 1.") {
            $0.equality { value in
                guard case .int(let number) = value, number.magnitude >= 1 << 53, number.magnitude < 1 << 62 else {
                    return nil
                }
                return [.int(number &- 1), value, .int(number &+ 1)]
            }
        },
        Mutant("nan-equals-nothing", breaking: [.v4], "NaN is equal to nothing.") {
            $0.equality { value in
                guard case .double(let number) = value, number.isNaN else { return nil }
                return []
            }
        },
        Mutant("negative-zero-differs", breaking: [.v4, .v2], "0.0 is not equal to -0.0.") {
            $0.equality { value in
                guard case .double(let number) = value, number == 0, number.sign == .minus else { return nil }
                return []
            }
        },
        Mutant("list-by-bits", breaking: [.v4, .q4], "`in` looks for 0.0 by its bits, so -0.0 finds nothing.") {
            $0.rewrite { term, question in
                guard case .isIn(_, let list, _) = term else { return term }
                question.arguments.lists[list].values.removeAll { $0.isNegativeZero }
                return term
            }
        },
        Mutant("less-ignoring-case", breaking: [.v4, .q3], "Texts are compared by < and > without regard to case.") {
            $0.rewrite { term, _ in
                guard case .comparison(let comparison, let left, let right, .string) = term,
                    comparison != .equal, comparison != .notEqual
                else { return term }
                return .comparison(comparison, .folded(left, .case), .folded(right, .case), .string)
            }
        },
        Mutant("operands-through-float", breaking: [.q9], "Numbers with fractions are compared as Floats are.") {
            $0.operands { value in
                guard case .double(let number) = value, number.isFinite else { return value }
                return .double(Double(Float(number)))
            }
        },
        Mutant("operands-of-six-digits", breaking: [.q9], "Numbers with fractions are compared by six digits.") {
            $0.operands { value in
                guard case .double(let number) = value, number.isFinite else { return value }
                return .double(Double(String(format: "%.6g", number)) ?? number)
            }
        },
        Mutant(
            "decimal-operands-through-float", breaking: [.q9],
            "A Decimal is compared with the Float nearest to a number."
        ) {
            $0.rewrite { term, question in
                switch term {
                case .comparison(let comparison, let left, .argument(let index), .decimal):
                    let rounded = question.arguments.values[index].decimalThroughFloat
                    return .comparison(comparison, left, question.argument(rounded), .decimal)
                case .isIn(_, let list, .decimal):
                    let values = question.arguments.lists[list].values
                    question.arguments.lists[list].values = values.map(\.decimalThroughFloat)
                    return term
                default: return term
                }
            }
        },
        Mutant("nan-is-least", breaking: [.v4], "NaN sorts before every number.") {
            $0.order { order, question in
                order = order.flatMap { key in
                    guard key.type == .double || key.type == .float else { return [key] }
                    let isNaN = QueryTerm.comparison(.equal, key.term, question.argument(.double(.nan)), key.type)
                    return [
                        Query.SortKey(term: isNaN, type: .bool, isDescending: !key.isDescending), key,
                    ]
                }
            }
        },
        Mutant("nil-sorts-last", breaking: [.v4], "nil sorts last ascending and first descending.") {
            $0.order { order, _ in
                order = order.flatMap { key in
                    [Query.SortKey(term: .isNull(key.term), type: .bool, isDescending: key.isDescending), key]
                }
            }
        },
        Mutant("nil-always-first", breaking: [.v4], "nil sorts first descending too.") {
            $0.order { order, _ in
                order = order.flatMap { key in
                    [Query.SortKey(term: .isNull(key.term), type: .bool, isDescending: true), key]
                }
            }
        },
        Mutant("decimal-sorts-as-text", breaking: [.v4], "Decimals sort by their digits, 10 before 9.") {
            $0.order { order, _ in
                order = order.map {
                    Query.SortKey(
                        term: $0.term, type: $0.type == .decimal ? .string : $0.type, isDescending: $0.isDescending)
                }
            }
        },
        Mutant("decimal-compares-as-text", breaking: [.v4], "Decimals compare by their digits.") {
            $0.rewrite { term, _ in
                guard case .comparison(let comparison, let left, let right, .decimal) = term else { return term }
                return .comparison(comparison, left, right, .string)
            }
        },
        sorted("text-sorts-ignoring-case", "\"b\" sorts before \"C\".") { $0.lowercased() < $1.lowercased() },
        sorted("text-sorts-as-swift", "Text sorts by Swift's canonical equivalence.") { $0 < $1 },
        sorted("text-sorts-by-utf16", "Text sorts by UTF-16 units, U+FFFF after an emoji.") {
            $0.utf16.lexicographicallyPrecedes($1.utf16)
        },
        Mutant("unsigned-compares-signed", breaking: [.v4], "Comparisons take UInt64 above Int64.max for negative.") {
            $0.rewrite { term, question in
                guard case .comparison(let comparison, let left, .argument(let index), let type) = term,
                    case .unsigned(let number) = question.arguments.values[index]
                else { return term }
                return .comparison(comparison, left, question.argument(.int(Int64(bitPattern: number))), type)
            }
        },
        Mutant("data-compares-by-length", breaking: [.v4], "Shorter Data is less.") {
            $0.precedes = { column, left, right in
                guard column.type == .data, case .blob(let left) = left, case .blob(let right) = right,
                    left.count != right.count
                else { return nil }
                return left.count < right.count
            }
        },
    ]

    private static func sorted(
        _ id: String, _ sentence: String, _ precedes: @escaping @Sendable (String, String) -> Bool
    ) -> Mutant {
        Mutant(id, breaking: [.v4], sentence) { fault in
            fault.precedes = { column, left, right in
                guard column.type == .string, case .text(let left) = left, case .text(let right) = right else {
                    return nil
                }
                return precedes(left, right) ? true : precedes(right, left) ? false : nil
            }
        }
    }
}

extension Value {
    fileprivate var isNegativeZero: Bool {
        if case .double(let number) = self { number == 0 && number.sign == .minus } else { false }
    }

    fileprivate var decimalThroughFloat: Value {
        guard case .text(let text) = self, let number = Float(text) else { return self }
        return .text(DecimalText.canonical(Decimal(Double(number)).description) ?? text)
    }
}

extension Fault {
    /// Changes every value that a condition has.
    fileprivate mutating func operands(_ change: @escaping @Sendable (Value) -> Value) {
        query = { question in
            question.arguments.values = question.arguments.values.map(change)
            for list in question.arguments.lists.indices {
                question.arguments.lists[list].values = question.arguments.lists[list].values.map(change)
            }
        }
    }
}
