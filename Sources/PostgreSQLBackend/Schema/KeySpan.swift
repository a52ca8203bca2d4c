internal import Foundation
internal import StorageDriver

extension PostgreSQLBackend {
    /// The size of a table's partitions by ranges of the key.
    public enum KeySpan: Hashable, Sendable {
        /// As many values of the first part of a key, which is a whole number.
        case keys(Int64)
        /// As many milliseconds of the time in the first part of a key, which is a UUID of version 7.
        case milliseconds(Int64)

        /// `1000000` keys; a time as `12h`, `1d` or `30d`. Nil for any other text.
        init?(_ text: Substring) {
            func number(_ digits: Substring, _ unit: Int64) -> Int64? {
                guard let count = Int64(digits), count > 0 else { return nil }
                let (product, isTooGreat) = count.multipliedReportingOverflow(by: unit)
                return isTooGreat ? nil : product
            }
            let unit: Int64? =
                switch text.last {
                case "h": 3_600_000
                case "d": 86_400_000
                default: nil
                }
            if let unit {
                guard let time = number(text.dropLast(), unit) else { return nil }
                self = .milliseconds(time)
            } else {
                guard let count = number(text, 1) else { return nil }
                self = .keys(count)
            }
        }

        /// The spans of models: `Reading:1000000,Event:1d`. Nil for any other text.
        static func spans(_ text: String) -> [String: KeySpan]? {
            var spans: [String: KeySpan] = [:]
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let colon = part.lastIndex(of: ":"), colon > part.startIndex,
                    let span = KeySpan(part[part.index(after: colon)...]),
                    spans.updateValue(span, forKey: String(part[..<colon])) == nil
                else { return nil }
            }
            return spans
        }
    }
}

/// The values by which a table has partitions: whole numbers, or the milliseconds since 1970 with which UUIDs of version 7 begin.
enum RangedKey {
    case number(ClosedRange<Int64>)
    case time

    /// Nil if a column of the type has no ranges.
    init?(_ type: ColumnType) {
        switch type.sql.declared {
        case SQLType.smallint.declared: self = .number(Int64(Int16.min)...Int64(Int16.max))
        case SQLType.integer.declared: self = .number(Int64(Int32.min)...Int64(Int32.max))
        case SQLType.bigint.declared: self = .number(Int64.min...Int64.max)
        case SQLType.uuid.declared: self = .time
        default: return nil
        }
    }

    private static let endOfTime: Int64 = 1 << 48

    /// All values.
    private var all: ClosedRange<Int64> {
        switch self {
        case .number(let numbers): numbers
        case .time: 0...Self.endOfTime - 1
        }
    }

    /// A value of the first range that a table has.
    var first: Int64 {
        switch self {
        case .number: 0
        case .time: Int64(Date().timeIntervalSince1970 * 1000)
        }
    }

    /// The size of ranges; nil if the key cannot have ranges of this kind and size.
    func size(_ span: PostgreSQLBackend.KeySpan) -> Int64? {
        switch (self, span) {
        case (.number, .keys(let size)), (.time, .milliseconds(let size)):
            size > 0 && size <= all.upperBound / 2 ? size : nil
        default: nil
        }
    }

    /// The value of a key; nil for a UUID of another version.
    func value(of cell: Cell) -> Int64? {
        switch self {
        case .number: return cell.tag == .int ? cell.int : nil
        case .time:
            let bytes = cell.bytes
            guard bytes.count == 16, bytes[6] >> 4 == 7 else { return nil }
            return bytes.prefix(6).reduce(0) { $0 << 8 | Int64($1) }
        }
    }

    /// The range of a size that has a value.
    func range(of value: Int64, size: Int64) -> KeyRange {
        let place = value / size - (value % size < 0 ? 1 : 0)
        let (lower, isLow) = place.multipliedReportingOverflow(by: size)
        let (upper, isHigh) = lower.addingReportingOverflow(size)
        return KeyRange(
            lower: isLow || lower < all.lowerBound ? nil : lower,
            upper: !isLow && (isHigh || upper > all.upperBound) ? nil : upper)
    }

    /// A bound of a range in SQL.
    private func literal(_ bound: Int64?, _ none: String) -> String {
        guard let bound else { return none }
        switch self {
        case .number: return "'\(bound)'"
        case .time:
            let digits = String(bound, radix: 16)
            let time = String(repeating: "0", count: max(12 - digits.count, 0)) + digits
            return "'\(time.prefix(8))-\(time.dropFirst(8))-0000-0000-000000000000'"
        }
    }

    func bounds(_ range: KeyRange) -> String {
        "FOR VALUES FROM (\(literal(range.lower, "MINVALUE"))) TO (\(literal(range.upper, "MAXVALUE")))"
    }

    /// The range of a partition's bounds, as the server writes them; nil for others.
    func range(_ bounds: String) -> KeyRange? {
        // FOR VALUES FROM ('0') TO (MAXVALUE)
        let texts = bounds.split(separator: "(").dropFirst().compactMap { $0.split(separator: ")").first }
        guard texts.count == 2 else { return nil }
        var values: [Int64?] = []
        for text in texts {
            let value = text.filter { $0 != "'" }
            switch (self, value) {
            case (_, "MINVALUE"), (_, "MAXVALUE"): values.append(nil)
            case (.number, _):
                guard let number = Int64(value) else { return nil }
                values.append(number)
            case (.time, _):
                guard let time = Int64(value.filter { $0 != "-" }.prefix(12), radix: 16) else { return nil }
                values.append(time)
            }
        }
        return KeyRange(lower: values[0], upper: values[1])
    }
}

/// The keys of one partition: from the lower bound, and below the upper one. Nil for none.
struct KeyRange: Hashable {
    let lower: Int64?
    let upper: Int64?

    func contains(_ value: Int64) -> Bool { (lower ?? .min) <= value && upper.map { value < $0 } != false }

    /// Nil without bounds.
    var size: Int64? {
        guard let lower, let upper else { return nil }
        let (size, isTooGreat) = upper.subtractingReportingOverflow(lower)
        return isTooGreat || size <= 0 ? nil : size
    }
}
