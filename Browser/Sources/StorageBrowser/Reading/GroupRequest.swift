import Foundation
import StorageAPI
import StorageDriver
import StorageJSON

/// Groups of a model's records by one property, with one number for each.
struct GroupRequest: Sendable {
    enum Function: String, CaseIterable, Sendable {
        case count, sum, average, min, max
    }

    let model: String
    let condition: String?
    /// The property to group by; nil if the model has no suitable property.
    let key: RecordSchema.Property?
    let function: Function
    /// The property to compute of; nil for the number of records.
    let term: RecordSchema.Property?
    /// True if the groups are sorted by their key, and not by their number.
    let isByKey: Bool

    /// The most bars, and the most groups that a line is made of.
    static let maximumBars = 40
    private static let maximumGroups = 200_000

    init(_ parameters: Parameters, _ schema: RecordSchema) {
        model = schema.name
        condition = parameters["w"]
        let keys = Self.keys(schema)
        key = keys.first { $0.name == parameters["g"] } ?? Self.preferred(keys)
        let function = parameters["f"].flatMap(Function.init) ?? .count
        let terms = Self.terms(schema)
        term = function == .count ? nil : terms.first { $0.name == parameters["p"] } ?? terms.first
        self.function = term == nil ? .count : function
        isByKey = parameters["k"] != nil
    }

    /// The properties that records can be grouped by.
    static func keys(_ schema: RecordSchema) -> [RecordSchema.Property] {
        schema.properties.filter { property in
            guard property.canBeSorted, property.kind != .column(.data) else { return false }
            return !(property.isKey && schema.keyProperties.count == 1)
        }
    }

    /// The properties that can be summed.
    static func terms(_ schema: RecordSchema) -> [RecordSchema.Property] {
        schema.properties.filter { $0.columnType.isNumber && $0.isColumn && $0.reference == nil && !$0.isKey }
    }

    /// The key that a person most likely wants first: a reference, a word that repeats, or a date.
    private static func preferred(_ keys: [RecordSchema.Property]) -> RecordSchema.Property? {
        let words = ["country", "category", "kind", "type", "status", "state", "city"]
        return keys.first { property in
            words.contains { property.name.lowercased().contains($0) } && property.reference == nil
        }
            ?? keys.first { $0.reference != nil } ?? keys.first { $0.kind == .column(.bool) } ?? keys.first
    }

    private var output: Store.RecordGroups.Output {
        let term = term?.name.queryName ?? ""
        return switch function {
        case .count: .count
        case .sum: .sum(term)
        case .average: .average(term)
        case .min: .min(term)
        case .max: .max(term)
        }
    }

    func result(in store: Store) async throws -> GroupResult {
        guard let key else { return GroupResult() }
        var records = store.records(model)
        if let condition { records = records.where(text: condition) }
        if key.kind == .column(.date) { return try await overTime(key, records) }
        let order = Store.RecordGroups.Order(column: isByKey ? 0 : 1, isDescending: !isByKey)
        let groups = try await records.groups(
            by: [key.name.queryName], computing: [output], order: [order], limit: Self.maximumBars + 1)
        var result = GroupResult()
        result.isCut = groups.rows.count > Self.maximumBars
        result.bars = groups.rows.prefix(Self.maximumBars).map { row in
            GroupResult.Bar(key: row[0], value: row[1], amount: row[1].amount)
        }
        result.type = groups.types.last ?? .int64
        return result
    }

    /// The numbers of days, months or years, whichever are at most some hundred.
    private func overTime(
        _ key: RecordSchema.Property, _ records: Select<DynamicRecord, Store>
    ) async throws -> GroupResult {
        let name = key.name.queryName
        // The mean of a month is that of its records, and not of its days.
        let outputs: [Store.RecordGroups.Output] =
            function == .average ? [.sum(term?.name.queryName ?? ""), .count] : [output]
        let groups = try await records.where(text: "\(name) is not nil").groups(
            by: [name], computing: outputs, order: [.init(column: 0)], limit: Self.maximumGroups + 1)
        var result = GroupResult()
        result.isCut = groups.rows.count > Self.maximumGroups
        result.type = function == .count ? .int64 : .double
        let rows = groups.rows.prefix(Self.maximumGroups)
        guard case .double(let first)? = rows.first?[0], case .double(let last)? = rows.last?[0] else { return result }
        let unit = TimeUnit.fitting(first, last)
        var buckets: [Double: (sum: Double, count: Double)] = [:]
        for row in rows {
            guard case .double(let time) = row[0], let amount = row[1].amount else { continue }
            let start = unit.start(of: time)
            let old = buckets[start]
            let value =
                switch function {
                case .count, .sum, .average: (old?.sum ?? 0) + amount
                case .min: Swift.min(old?.sum ?? amount, amount)
                case .max: Swift.max(old?.sum ?? amount, amount)
                }
            buckets[start] = (value, (old?.count ?? 0) + (function == .average ? row[2].amount ?? 0 : 1))
        }
        result.points = unit.starts(from: first, to: last).map { start in
            let bucket = buckets[start]
            let isEmpty: Double? = function == .count || function == .sum ? 0 : nil
            let amount = bucket.map { function == .average ? $0.sum / Swift.max($0.count, 1) : $0.sum } ?? isEmpty
            return GroupResult.Point(title: unit.title(of: start), amount: amount)
        }
        result.unit = unit
        return result
    }
}

/// The content of a page of groups: bars, or a line over time.
struct GroupResult: Sendable {
    struct Bar: Sendable {
        let key: Value
        let value: Value
        /// The number as the length of a bar; nil if none exists.
        let amount: Double?
    }

    struct Point: Sendable {
        let title: String
        let amount: Double?
    }

    var bars: [Bar] = []
    var points: [Point] = []
    /// The type of the bars' values.
    var type = ColumnType.int64
    var unit: TimeUnit?
    /// True if the result lacks some groups.
    var isCut = false
}

/// A part of time that dates are counted by, in UTC.
enum TimeUnit: String, Sendable, CaseIterable {
    case minute, hour, day, month, year

    /// The smallest unit of which a span has at most some hundred.
    static func fitting(_ first: Double, _ last: Double) -> TimeUnit {
        let span = last - first
        return allCases.first { span / $0.seconds <= 130 } ?? .year
    }

    private var seconds: Double {
        switch self {
        case .minute: 60
        case .hour: 3600
        case .day: 86_400
        case .month: 86_400 * 30.4
        case .year: 86_400 * 365.25
        }
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private var component: Calendar.Component {
        switch self {
        case .minute: .minute
        case .hour: .hour
        case .day: .day
        case .month: .month
        case .year: .year
        }
    }

    func start(of time: Double) -> Double {
        let date = Date(timeIntervalSinceReferenceDate: time)
        return Self.calendar.dateInterval(of: component, for: date)?.start.timeIntervalSinceReferenceDate ?? time
    }

    /// The beginnings of all units of a span, at most a thousand.
    func starts(from first: Double, to last: Double) -> [Double] {
        var starts: [Double] = []
        var next = start(of: first)
        while next <= last, starts.count < 1000 {
            starts.append(next)
            let date = Date(timeIntervalSinceReferenceDate: next)
            guard let later = Self.calendar.date(byAdding: component, value: 1, to: date) else { break }
            next = later.timeIntervalSinceReferenceDate
        }
        return starts
    }

    /// `2026`, `2026-11`, `2026-11-25`, `2026-11-25 04:00`.
    func title(of start: Double) -> String {
        let text = Value.double(start).text(as: .date) ?? ""
        let length = [TimeUnit.year: 4, .month: 7, .day: 10][self] ?? 16
        return String(text.prefix(length)).replacing("T", with: " ")
    }
}

extension Value {
    /// The number as a double, for drawing.
    var amount: Double? {
        switch self {
        case .int(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value.isFinite ? value : nil
        case .text(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        case .blob: text(as: .duration).flatMap { Double($0) }
        case .null: nil
        }
    }
}
