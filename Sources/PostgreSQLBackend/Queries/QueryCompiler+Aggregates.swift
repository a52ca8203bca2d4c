internal import StorageDriver

// Aggregates with exactly the meaning of ``AggregateState``.
extension QueryCompiler {
    /// An aggregate that does not fail for any input, except a sum of integers beyond its type.
    func aggregate(_ aggregate: Query.Aggregate, of input: String) throws(NotExpressibleInSQL) -> String {
        let type = aggregate.term?.type ?? .int64
        switch aggregate.function {
        case .count: return "count(*)"
        case .min where type == .bool: return "bool_and(\(input))"
        case .max where type == .bool: return "bool_or(\(input))"
        // PostgreSQL has min and max of bytea only from version 18 on.
        case .min where type.storage == .blob: return Self.first(input, "")
        case .max where type.storage == .blob: return Self.first(input, " DESC")
        case .min: return "min(\(input))"
        case .max: return "max(\(input))"
        case .average where type.storage == .integer && type != .bool, .average where type == .decimal && !isForeign:
            return "(sum(\(input))::float8 / nullif(count(\(input)), 0))"
        // A sum beyond the type is the error 22003 of this cast.
        case .sum where type.storage == .integer && type != .bool:
            return "coalesce(sum(\(input)), 0)::\(type.sum == .uint64 ? "numeric" : "bigint")"
        case .sum where type == .decimal && !isForeign: return Self.rounded("coalesce(sum(\(input)), 0)")
        // Sums of other types are rounded at each step, or do not exist.
        case .sum, .average: throw NotExpressibleInSQL()
        }
    }

    private static func first(_ input: String, _ direction: String) -> String {
        "(array_agg(\(input) ORDER BY \(input)\(direction)) FILTER (WHERE \(input) IS NOT NULL))[1]"
    }

    /// An exact sum of decimals in the 38 digits that one has, rounded half to even. The server rounds half away from zero.
    private static func rounded(_ sum: String) -> String {
        let digits = "length(ltrim(replace(abs(trim_scale(\(sum)))::text, '.', ''), '0'))"
        let places = "scale(trim_scale(\(sum))) - \(digits) + 38"
        let isHalfway = "trunc(\(sum) * 2, \(places)) = \(sum) * 2 AND trunc(\(sum), \(places)) <> \(sum)"
        return """
            (CASE WHEN \(digits) <= 38 THEN \(sum) WHEN \(isHalfway) THEN 2 * round(\(sum) * 0.5, \(places)) \
            ELSE round(\(sum), \(places)) END)
            """
    }

    /// An exact sum of doubles, rounded once, or their average. Each is cut into two integers, whose sums are exact: the
    /// multiples of 2^-12 below 2^51, and the rest in units of 2^-74. A value that these don't hold, or that is no number, is
    /// the error 22003 of a cast, and the program then sums by itself.
    static func sliced(_ aggregate: Query.Aggregate, of input: String) -> String {
        // Scaling by a power of two is exact, and so is truncating the digits after the point.
        let scaled = "(\(input)::float8 * 4096)"
        let upper = "sum(trunc(\(scaled))::bigint)"
        // From 2^-22 on, the last bit of a double is a unit or more.
        let isTiny = "abs(\(scaled)) < 0.0009765625 AND \(scaled) <> 0"
        let rest = "(\(scaled) - trunc(\(scaled))) * 4611686018427387904"
        let lower = "sum((CASE WHEN \(isTiny) THEN 'NaN' ELSE \(rest) END)::bigint)"
        // The server's conversion of a numeric is that of its digits, which is exact.
        let sum = "(\(upper) * \(unit(12)) + \(lower) * \(unit(74)))::float8"
        return aggregate.function == .sum
            ? "coalesce(\(sum), 0)" : "(\(sum) / nullif(count(\(input)), 0))"
    }

    /// 2 to the power of -n as digits: 5^n, with n places after the point.
    private static func unit(_ power: Int) -> String {
        var digits: [Int] = [1]
        for _ in 0..<power {
            var carried = 0
            for index in digits.indices {
                let product = digits[index] * 5 + carried
                (carried, digits[index]) = (product / 10, product % 10)
            }
            if carried > 0 { digits.append(carried) }
        }
        let text = digits.reversed().map(String.init).joined()
        return "0." + String(repeating: "0", count: power - text.count) + text
    }
}

extension Query.Aggregate {
    /// True if it is the minimum or the maximum.
    var isEnd: Bool { function == .min || function == .max }

    /// True if it sums Doubles or Floats.
    var isOfDoubles: Bool {
        guard function == .sum || function == .average else { return false }
        return term?.type == .double || term?.type == .float
    }
}
