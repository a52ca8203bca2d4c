internal import Foundation
internal import StorageAPI

/// One part in which two values differ, with both values as source.
public struct Difference: Sendable, Codable {
    /// The path to the part: `[3].pens[0].color`; empty for the value itself.
    public let path: String
    /// The expected value.
    public let expected: String
    /// The actual value.
    public let actual: String

    /// The parts in which two values differ, by the contract's equality: text by its bytes, numbers by their bits
    /// except for NaN and the sign of zero. At most `limit`.
    static func between(_ expected: Any, _ actual: Any, limit: Int = 5) -> [Difference] {
        var found: [Difference] = []
        compare(expected, actual, at: "", into: &found, limit: limit)
        return found
    }

    private static func compare(
        _ expected: Any, _ actual: Any, at path: String, into found: inout [Difference], limit: Int
    ) {
        guard found.count < limit else { return }
        if let isSame = Scalars.areSame(expected, actual) {
            if !isSame {
                found.append(Difference(path, expected: Scalars.shown(expected), actual: Scalars.shown(actual)))
            }
            return
        }
        let (left, right) = (Mirror(reflecting: expected), Mirror(reflecting: actual))
        guard left.subjectType == right.subjectType else {
            return found.append(
                Difference(
                    path, expected: "\(shown(expected)) (\(left.subjectType))",
                    actual: "\(shown(actual)) (\(right.subjectType))"))
        }
        switch left.displayStyle {
        case .collection: compareLists(left, right, at: path, into: &found, limit: limit)
        case .set, .dictionary, .enum: compareWhole(expected, actual, at: path, into: &found)
        default:
            guard left.children.count == right.children.count, !left.children.isEmpty else {
                return compareWhole(expected, actual, at: path, into: &found)
            }
            for (child, other) in zip(left.children, right.children) {
                let part = left.displayStyle == .optional ? path : path + "." + (child.label ?? "")
                compare(child.value, other.value, at: part, into: &found, limit: limit)
            }
        }
    }

    private static func compareWhole(_ expected: Any, _ actual: Any, at path: String, into found: inout [Difference]) {
        if shown(expected) != shown(actual) {
            found.append(Difference(path, expected: shown(expected), actual: shown(actual)))
        }
    }

    private static func compareLists(
        _ left: Mirror, _ right: Mirror, at path: String, into found: inout [Difference], limit: Int
    ) {
        if left.children.count != right.children.count {
            found.append(
                Difference("\(path).count", expected: "\(left.children.count)", actual: "\(right.children.count)"))
        }
        for (index, (child, other)) in zip(left.children, right.children).enumerated() {
            compare(child.value, other.value, at: "\(path)[\(index)]", into: &found, limit: limit)
        }
        let common = min(left.children.count, right.children.count)
        for (name, mirror) in [("missing", left), ("too much", right)] {
            for (index, extra) in mirror.children.dropFirst(common).prefix(1).enumerated() {
                let text = shown(extra.value)
                let place = "\(path)[\(common + index)]"
                found.append(
                    Difference(
                        place, expected: name == "missing" ? text : "nothing",
                        actual: name == "missing" ? "nothing" : text))
            }
        }
    }

    private static func shown(_ value: Any) -> String { SwiftSource.text(of: value) }

    private init(_ path: String, expected: String, actual: String) {
        self.path = path.hasPrefix(".") ? String(path.dropFirst()) : path
        self.expected = expected
        self.actual = actual
    }
}

/// The values that are compared as a whole.
private enum Scalars {
    /// Returns whether two scalars are equal by the contract; nil if they are not scalars of one type.
    static func areSame(_ left: Any, _ right: Any) -> Bool? {
        switch (left, right) {
        case (let left as String, let right as String): left.utf8.elementsEqual(right.utf8)
        case (let left as Double, let right as Double): haveSameBits(left, right)
        case (let left as Float, let right as Float):
            left.bitPattern == right.bitPattern || left.isNaN && right.isNaN || left == 0 && right == 0
        case (let left as Date, let right as Date):
            haveSameBits(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
        case (let left as Data, let right as Data): left == right
        case (let left as UUID, let right as UUID): left == right
        case (let left as URL, let right as URL): left.absoluteString == right.absoluteString
        case (let left as Decimal, let right as Decimal): left == right || left.isNaN && right.isNaN
        case (let left as Duration, let right as Duration): left == right
        case (let left as Vector, let right as Vector): left == right
        case (let left as Bool, let right as Bool): left == right
        case (let left as any BinaryInteger, let right as any BinaryInteger):
            type(of: left) == type(of: right) ? "\(left)" == "\(right)" : nil
        default: nil
        }
    }

    private static func haveSameBits(_ left: Double, _ right: Double) -> Bool {
        left.bitPattern == right.bitPattern || left.isNaN && right.isNaN || left == 0 && right == 0
    }

    /// The value as source, with the bits of a number.
    static func shown(_ value: Any) -> String {
        let source = SwiftSource.text(of: value)
        switch value {
        case let number as Double: return "\(source) (bits 0x\(String(number.bitPattern, radix: 16)))"
        case let number as Float: return "\(source) (bits 0x\(String(number.bitPattern, radix: 16)))"
        case let date as Date:
            return "\(source) (bits 0x\(String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16)))"
        default: return source
        }
    }
}
