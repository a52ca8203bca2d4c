internal import Foundation
internal import StorageAPI

extension Bool: GeneratedValue {
    static func random(_ generator: inout SeededGenerator) -> Bool { generator.chance(50) }
    func order(to other: Bool) -> NaiveOrder { NaiveOrder(!self && other, self && !other) }
    func swift(_: LiteralStyle) -> String { String(self) }
}

extension GeneratedValue where Self: FixedWidthInteger {
    static func random(_ generator: inout SeededGenerator) -> Self {
        let beyondDouble: Int64 = 1 << 53
        // Few values, so that programs meet equal ones, and neighbours that a Double cannot tell apart.
        let common = [0, 1, 2, beyondDouble, beyondDouble + 1].compactMap { Self(exactly: $0) }
        if let value = generator.one(of: common), generator.chance(40) { return value }
        let corners: [Self] =
            [0, 1, 2, 10, .min, .max, .max - 1, .min + 1]
            + [-1, -2, beyondDouble - 1, beyondDouble, beyondDouble + 1, .max].compactMap { Self(exactly: $0) }
            + [1 << 63, (1 << 63) + 1].compactMap { (value: UInt64) in Self(exactly: value) }
        if let corner = generator.one(of: corners), generator.chance(60) { return corner }
        return generator.chance(80)
            ? Self(truncatingIfNeeded: generator.below(20)) : Self(truncatingIfNeeded: generator.next())
    }

    func swift(_: LiteralStyle) -> String { String(self) }
}

extension Int: GeneratedValue {}
extension Int8: GeneratedValue {}
extension Int64: GeneratedValue {}
extension UInt8: GeneratedValue {}
extension UInt64: GeneratedValue {}

extension GeneratedValue where Self: BinaryFloatingPoint & LosslessStringConvertible {
    static func random(_ generator: inout SeededGenerator) -> Self {
        // A NaN with a sign is the same NaN, and not every index takes it for that.
        let common: [Self] = [0, -0.0, 1, .nan, -.nan, .infinity]
        if let value = generator.one(of: common), generator.chance(40) { return value }
        let corners: [Self] = [
            0, -0.0, 1, -1, 0.1, 0.5, 1.5, .nan, .infinity, -.infinity, .greatestFiniteMagnitude,
            -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
            Self(1).nextUp, Self(1).nextDown, 9_007_199_254_740_993, 3,
        ]
        if let corner = generator.one(of: corners), generator.chance(60) { return corner }
        return Self(generator.below(40) - 20) / 4
    }

    func order(to other: Self) -> NaiveOrder {
        if isNaN || other.isNaN { return NaiveOrder(!isNaN, !other.isNaN) }
        return NaiveOrder(self < other, self > other)
    }

    func swift(_ style: LiteralStyle) -> String {
        if isNaN { return style == .exact && sign == .minus ? "-.nan" : ".nan" }
        if isInfinite { return self > 0 ? ".infinity" : "-.infinity" }
        return self == 0 && style == .comparable ? "0.0" : String(self)
    }
}

extension Double: GeneratedValue {}
extension Float: GeneratedValue {}

extension Date: GeneratedValue {
    static func random(_ generator: inout SeededGenerator) -> Date {
        let corners = [
            0, -978_307_200, -978_307_200.001, 0.1, 123_456_789.123_456_78, 0.000_000_1, -63_114_076_800,
            252_423_993_599.999, -1,
        ]
        if let corner = generator.one(of: corners), generator.chance(60) {
            return Date(timeIntervalSinceReferenceDate: corner)
        }
        return Date(timeIntervalSinceReferenceDate: Double(generator.below(1000)) / 8)
    }

    func order(to other: Date) -> NaiveOrder {
        timeIntervalSinceReferenceDate.order(to: other.timeIntervalSinceReferenceDate)
    }

    func swift(_ style: LiteralStyle) -> String {
        "Date(timeIntervalSinceReferenceDate: \(timeIntervalSinceReferenceDate.swift(style)))"
    }
}

extension Decimal: GeneratedValue {
    static func random(_ generator: inout SeededGenerator) -> Decimal {
        let corners = [
            "0", "1", "-1", "0.1", "0.10", "9", "10", "100", "-10", "-9", "0.00000000000000000001",
            "99999999999999999999999999999999999999", "-12345678901234567890.123456789012345678", "1000000000",
        ]
        let text = generator.one(of: corners) ?? "0"
        return Decimal(string: generator.chance(60) ? text : String(generator.below(100))) ?? 0
    }

    func order(to other: Decimal) -> NaiveOrder { NaiveOrder(self < other, self > other) }

    /// Equal decimals may be kept with another number of trailing zeros; their text shows none.
    func swift(_: LiteralStyle) -> String {
        var text = Substring(description)
        if text.contains(".") {
            while text.last == "0" { text.removeLast() }
            if text.last == "." { text.removeLast() }
        }
        return "Decimal(string: \"\(text)\")!"
    }
}

extension Duration: GeneratedValue {
    static func random(_ generator: inout SeededGenerator) -> Duration {
        let corners: [Int128] = [
            0, 1, -1, 1_000_000_000_000_000_000, -1_500_000_000_000_000_000, 1 << 64, -(1 << 64), .max, .min, .max - 1,
        ]
        let corner = generator.one(of: corners) ?? 0
        return Duration(
            attoseconds: generator.chance(60) ? corner : Int128(generator.below(20)) * 500_000_000_000_000_000)
    }

    func swift(_: LiteralStyle) -> String { "Duration(attoseconds: \(attoseconds))" }
}

extension Vector: GeneratedValue {
    static func random(_ generator: inout SeededGenerator) -> Vector {
        let count = generator.chance(70) ? 2 : generator.below(7)
        return Vector(
            (0..<count).map { _ in generator.chance(5) ? Float.random(&generator) : Float(generator.below(5)) - 2 })
    }

    /// Vectors are equal or not; the order of unequal vectors does not matter.
    func order(to other: Vector) -> NaiveOrder { self == other ? .same : .before }

    func swift(_: LiteralStyle) -> String {
        "Vector([" + elements.map { $0.swift }.joined(separator: ", ") + "] as [Float])"
    }

    /// The Euclidean distance, in the contract's order of additions.
    func naiveDistance(to other: Vector) -> Double {
        guard elements.count == other.elements.count else { return .nan }
        var sums = [0.0, 0, 0, 0]
        for (index, pair) in zip(elements, other.elements).enumerated() {
            let difference = Double(pair.0) - Double(pair.1)
            sums[index % 4] += difference * difference
        }
        return ((sums[0] + sums[1]) + (sums[2] + sums[3])).squareRoot()
    }
}
