import Foundation
import StorageDriver
import StorageJSON

/// Counts of numbers or dates between round bounds.
struct Histogram {
    /// The bounds in order: a part has the values from one to below the next.
    private(set) var bounds: [Double]
    private(set) var counts: [Int]
    let type: ColumnType

    /// The most parts.
    private static let parts = 12

    /// Nil for values that are no numbers or dates, that are not finite, and for equal ones.
    init?(from least: Value, to greatest: Value, _ type: ColumnType) {
        guard let low = Self.number(least, type), let high = Self.number(greatest, type), low < high,
            low.isFinite, high.isFinite, (high - low).isFinite
        else { return nil }
        guard let bounds = type == .date ? Self.dates(low, high) : Self.numbers(low, high, of: type) else { return nil }
        self.bounds = bounds
        self.type = type
        counts = Array(repeating: 0, count: bounds.count - 1)
    }

    /// Adds values that are equal. Ones that are not finite have no part.
    mutating func add(_ value: Value, _ count: Int) {
        guard let number = Self.number(value, type), let end = bounds.firstIndex(where: { $0 > number }), end > 0
        else { return }
        counts[end - 1] += count
    }

    private static func number(_ value: Value, _ type: ColumnType) -> Double? {
        switch value {
        case .int(let number): type.row.computing == nil ? nil : Double(number)
        case .unsigned(let number): Double(number)
        case .double(let number): number
        default: type.row.computing == nil ? nil : ValueForm.text(value, type).flatMap(Double.init)
        }
    }

    // MARK: Bounds

    /// Multiples of 1, 2 or 5 of a power of ten.
    private static func numbers(_ low: Double, _ high: Double, of type: ColumnType) -> [Double]? {
        // The twelfth part of the least double is 0, whose logarithm is not finite.
        let exponent = log10((high - low) / Double(parts)).rounded(.down)
        guard exponent.isFinite else { return nil }
        var power = Int(exponent)
        if case .integer? = type.row.computing { power = max(power, 0) }
        guard (-300...300).contains(power) else { return nil }
        for factor in [1.0, 2, 5, 10, 20] {
            // A quotient of whole numbers is the double with the fewest digits.
            func bound(_ place: Double) -> Double {
                power < 0 ? place * factor / pow(10, Double(-power)) : place * factor * pow(10, Double(power))
            }
            var first = (low / bound(1)).rounded(.down)
            guard first.magnitude < 9e15 else { return nil }
            while bound(first) > low { first -= 1 }
            guard bound(first + Double(parts)) > high else { continue }
            var bounds: [Double] = []
            for part in 0...parts {
                bounds.append(bound(first + Double(part)))
                if bounds[part] > high { return bounds }
            }
        }
        return nil
    }

    /// Beginnings of years, months, weeks, days or shorter times, in UTC.
    private static func dates(_ low: Double, _ high: Double) -> [Double]? {
        guard let first = month(low), let last = month(high) else { return nil }
        for step in [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000, 24_000, 60_000, 120_000]
        where last - first > 2 && last / step - first / step < parts {
            return bounds((first / step...last / step + 1).map { beginning(ofMonth: $0 * step) })
        }
        let day = 86_400.0
        for step in [
            1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10_800, 21_600, 43_200, day, 2 * day, 7 * day,
            14 * day,
        ] {
            // 2001 began with a Monday.
            let start = (low / step).rounded(.down)
            guard (high / step).rounded(.down) - start < Double(parts) else { continue }
            return (0...Int((high / step).rounded(.down) - start) + 1).map { (start + Double($0)) * step }
        }
        return nil
    }

    private static func bounds(_ found: [Double?]) -> [Double]? {
        let bounds = found.compactMap(\.self)
        return bounds.count == found.count && bounds.count > 1 ? bounds : nil
    }

    /// The months since the year 0.
    private static func month(_ seconds: Double) -> Int? {
        guard let text = DateText.text(seconds.rounded(.down)) else { return nil }
        let parts = text.split(separator: "-")
        guard parts.count > 1, let year = Int(parts[0]), let month = Int(parts[1]) else { return nil }
        return year * 12 + month - 1
    }

    private static func beginning(ofMonth month: Int) -> Double? {
        func padded(_ number: Int, _ width: Int) -> String {
            String(repeating: "0", count: max(width - String(number).count, 0)) + String(number)
        }
        return DateText.seconds("\(padded(month / 12, 4))-\(padded(month % 12 + 1, 2))-01")
    }

    // MARK: Texts

    /// The bounds as texts: dates without times if all are midnight.
    var titles: [String] {
        let midnight = "T00:00:00Z"
        guard type == .date else {
            return bounds.map { bound in
                let text = ValueForm.text(.double(bound), .double) ?? ""
                return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
            }
        }
        let texts = bounds.map { ValueForm.text(.double($0), .date) ?? "" }
        guard texts.allSatisfy({ $0.hasSuffix(midnight) }) else { return texts }
        return texts.map { String($0.dropLast(midnight.count)) }
    }

    func appendBounds(_ part: Int, to bytes: inout [UInt8]) {
        let form: ColumnType = type == .date ? .date : .double
        bytes += "\"from\":".utf8
        ValueForm.append(.double(bounds[part]), form, to: &bytes)
        bytes += ",\"to\":".utf8
        ValueForm.append(.double(bounds[part + 1]), form, to: &bytes)
    }
}
