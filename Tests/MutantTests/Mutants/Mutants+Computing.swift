import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// Q3: arithmetic, patterns, folding, arrays and counts.
    static let computing: [Mutant] = [
        arithmetic("narrow-integers-widen", "A result beyond an Int8 is a number.") { operation, left, right, type, _ in
            type == .int8 || type == .uint8 ? .arithmetic(operation, left, right, .int64) : nil
        },
        arithmetic("integers-computed-as-doubles", breaking: [.q3, .q9], "Integers are computed as Doubles.") {
            operation, left, right, type, _ in
            [.double, .float, .decimal, .string].contains(type) ? nil : .arithmetic(operation, left, right, .double)
        },
        arithmetic("floats-computed-as-doubles", "A Float's result has a Double's digits.") {
            operation, left, right, type, _ in
            type == .float ? .arithmetic(operation, left, right, .double) : nil
        },
        Mutant(
            "left-operand-decides", breaking: [.q9],
            "A result has the type of the property on the left, if that is an integer."
        ) {
            $0.rewrite { term, question in
                guard case .arithmetic(let operation, .column(let column), let right, let type) = term,
                    question.table.columns.indices.contains(column)
                else { return term }
                let own = question.table.columns[column].type
                guard own.storage == .integer, own != type else { return term }
                return .arithmetic(operation, .column(column), right, own)
            }
        },
        arithmetic("doubles-computed-as-integers", breaking: [.q9], "What has a fraction is computed without it.") {
            operation, left, right, type, _ in
            type == .double ? .arithmetic(operation, left, right, .int64) : nil
        },
        arithmetic("decimals-computed-as-doubles", breaking: [.q9], "Decimals are computed as Doubles.") {
            operation, left, right, type, _ in
            type == .decimal ? .arithmetic(operation, left, right, .double) : nil
        },
        arithmetic(
            "integers-beside-decimals-of-32-bits", breaking: [.q9], "An integer beside a decimal keeps 32 bits."
        ) { operation, left, right, type, question in
            guard type == .decimal, case .column(let column) = left,
                question.table.columns[column].type.storage == .integer
            else { return nil }
            let modulus = question.argument(.int(1 << 32))
            return .arithmetic(operation, .arithmetic(.remainder, left, modulus, .int64), right, type)
        },
        arithmetic("nil-minuend-is-zero", breaking: [.w11, .q3], "nil less a number is that number's negative.") {
            operation, left, right, type, question in
            guard operation == .subtract, type == .int64 else { return nil }
            let negative = QueryTerm.arithmetic(.subtract, question.argument(.int(0)), right, type)
            return .choice(.isNull(left), negative, .arithmetic(operation, left, right, type))
        },
        arithmetic("division-by-zero-is-nil", "A division by zero is nil.") { operation, left, right, type, question in
            guard operation == .divide || operation == .remainder else { return nil }
            let isZero = QueryTerm.comparison(
                .equal, right, question.argument(type == .decimal ? .text("0") : .int(0)), type)
            return .choice(isZero, .null, .arithmetic(operation, left, right, type))
        },
        arithmetic("remainder-is-quotient", "% gives what / gives.") { operation, left, right, type, _ in
            operation == .remainder ? .arithmetic(.divide, left, right, type) : nil
        },
        arithmetic("subtraction-swapped", "a - b is b - a.") { operation, left, right, type, _ in
            operation == .subtract ? .arithmetic(.subtract, right, left, type) : nil
        },
        arithmetic("texts-joined-backwards", "The right one of two joined texts comes first.") {
            operation, left, right, type, _ in
            type == .string ? .arithmetic(operation, right, left, type) : nil
        },
        arithmetic("nil-operand-is-zero", "nil in a sum is 0.") { operation, left, right, type, _ in
            operation == .add ? .choice(.isNull(right), left, .arithmetic(operation, left, right, type)) : nil
        },
        Mutant(
            "overflow-gives-nothing", breaking: [.q3, .q7], "Where a computation overflows, the query finds nothing."
        ) {
            $0.queryFailure = { (error, plan) throws(StorageError) in
                guard error.code == .overflow else { throw error }
                if case .columns = plan.query.result { return [] }
                return [Array(repeating: .int(0), count: plan.query.width)]
            }
        },
        Mutant("conditions-from-the-right", breaking: [.q3], "The last condition is looked at first.") {
            $0.rewrite { term, _ in
                switch term {
                case .and(let terms): .and(terms.reversed())
                case .or(let terms): .or(terms.reversed())
                default: term
                }
            }
        },
        pattern("like-is-plain", "like has no wildcards.") { .comparison(.equal, $0, $1, .string) },
        pattern("like-anywhere", "A pattern is looked for inside the text.") { text, pattern in
            .or([.text(.like, text, pattern), .text(.contains, text, pattern)])
        },
        patternText("like-question-is-star", "? stands for any characters.") { $0.replacing("?", with: "*") },
        patternText("like-question-is-itself", "? stands for itself.") { $0.replacing("?", with: "\\?") },
        patternText("like-star-is-one", "* stands for one character.") { $0.replacing("*", with: "?") },
        patternText("like-star-is-not-none", "* stands for at least one character.") {
            $0.replacing("*", with: "?*")
        },
        patternText("like-escape-is-itself", "\\ in a pattern stands for itself.") {
            $0.replacing("\\", with: "\\\\")
        },
        folding("folding-ignored", "Nothing is folded.") { term, _ in term },
        folding("case-not-folded", "Case counts.") { .folded($0, $1.subtracting(.case)) },
        folding("diacritics-not-folded", "Diacritics count.") { .folded($0, $1.subtracting(.diacritics)) },
        folding("diacritics-folded-with-case", "Whoever ignores case ignores diacritics.") {
            .folded($0, $1.union(.diacritics))
        },
        Mutant("folding-of-ascii-alone", breaking: [.q3], "Only ASCII letters are folded.") {
            $0.rewrite { term, question in
                guard case .text(let test, .folded(let text, _), .argument(let index)) = term,
                    case .text(let pattern) = question.arguments.values[index],
                    pattern.utf8.contains(where: { $0 > 127 })
                else { return term }
                return .text(test, text, .argument(index))
            }
        },
        Mutant("element-is-part-of-text", breaking: [.q3], "An array contains what its text contains.") {
            $0.rewrite { term, _ in
                guard case .hasElement(let array, let element) = term else { return term }
                return .or([term, .text(.contains, array, element)])
            }
        },
        Mutant("nil-is-no-element", breaking: [.q3], "No array contains nil.") {
            $0.rewrite { term, question in
                guard case .hasElement(_, .argument(let index)) = term,
                    question.arguments.values[index] == .text("null")
                else { return term }
                return .constant(false)
            }
        },
        Mutant("nil-array-has-count-0", breaking: [.q3, .v3], "The count of a nil array is 0.") {
            $0.rewrite { term, question in
                guard case .elementCount(let array) = term else { return term }
                return .choice(.isNull(array), question.argument(.int(0)), term)
            }
        },
        Mutant("measures-cosine-for-euclidean", breaking: [.q3], "Every distance is that of directions.") {
            $0.rewrite { term, _ in
                guard case .distance(_, let left, let right) = term else { return term }
                return .distance(.cosine, left, right)
            }
        },
        Mutant("distance-of-others-is-null", breaking: [.q3], "Vectors of different lengths have no distance at all.") {
            $0.rewrite { term, question in
                guard case .distance(_, .column(let column), .argument(let index)) = term,
                    case .blob(let bytes) = question.arguments.values[index]
                else { return term }
                let isOther = QueryTerm.comparison(
                    .notEqual, .elementCount(.column(column)), question.argument(.int(Int64(bytes.count))), .int64)
                return .choice(isOther, .null, term)
            }
        },
        Mutant("counts-one-more", breaking: [.q3], "An array of two has a count of three.") {
            $0.rewrite { term, question in
                guard case .elementCount = term else { return term }
                let two = QueryTerm.comparison(.equal, term, question.argument(.int(2)), .int64)
                return .choice(two, question.argument(.int(3)), term)
            }
        },
        Mutant("counts-all-children", breaking: [.q3], "The condition on counted children is ignored.") {
            $0.rewrite { term, _ in
                guard case .relatedCount(let edge, _) = term else { return term }
                return .relatedCount(edge, .constant(true))
            }
        },
    ]

    private typealias Computation =
        @Sendable (
            Arithmetic, QueryTerm, QueryTerm, ColumnType, inout Question
        ) -> QueryTerm?

    /// Computes otherwise, where the change gives another term.
    private static func arithmetic(
        _ id: String, breaking clauses: [Contract] = [.q3], _ sentence: String, _ change: @escaping Computation
    ) -> Mutant {
        Mutant(id, breaking: clauses, sentence) {
            $0.rewrite { term, question in
                guard case .arithmetic(let operation, let left, let right, let type) = term else { return term }
                return change(operation, left, right, type, &question) ?? term
            }
        }
    }

    private static func pattern(
        _ id: String, _ sentence: String, _ change: @escaping @Sendable (QueryTerm, QueryTerm) -> QueryTerm
    ) -> Mutant {
        Mutant(id, breaking: [.q3], sentence) {
            $0.rewrite { term, _ in
                guard case .text(.like, let text, let pattern) = term else { return term }
                return change(text, pattern)
            }
        }
    }

    /// Takes another pattern than the given one.
    private static func patternText(
        _ id: String, _ sentence: String, _ change: @escaping @Sendable (String) -> String
    ) -> Mutant {
        Mutant(id, breaking: [.q3], sentence) {
            $0.rewrite { term, question in
                guard case .text(.like, let text, .argument(let index)) = term,
                    case .text(let pattern) = question.arguments.values[index]
                else { return term }
                return .text(.like, text, question.argument(.text(change(pattern))))
            }
        }
    }

    /// Folds stored text otherwise.
    private static func folding(
        _ id: String, _ sentence: String, _ change: @escaping @Sendable (QueryTerm, TextFolding) -> QueryTerm
    ) -> Mutant {
        Mutant(id, breaking: [.q3], sentence) {
            $0.rewrite { term, _ in
                guard case .folded(let text, let folding) = term else { return term }
                return change(text, folding)
            }
        }
    }
}
