import StorageAPI
import StorageDriver
import StorageJSON

/// The statistics of one property's values.
struct PropertyStatistics {
    /// A value as the engine gives it, with its type.
    typealias Number = (value: Value, type: ColumnType)

    let property: DescribedProperty
    /// The records that have a value.
    private(set) var values = 0
    /// The number of records without a value.
    private(set) var nils = 0
    /// The number of different values; nil for arrays and embedded values.
    private(set) var distinct: Int?
    private(set) var least: Number?
    private(set) var greatest: Number?
    private(set) var mean: Number?
    /// Nil if it is no number, or beyond its type.
    private(set) var sum: Number?
    /// The fewest and the most characters of a text, or elements of an array.
    private(set) var lengths: ClosedRange<Int>?
    /// The most frequent values and their numbers of records, the most frequent first, equal ones in the order of the type.
    private(set) var frequent: [(value: Value, count: Int)] = []
    private(set) var histogram: Histogram?

    /// - Parameter count: the number of the records.
    init(
        _ property: DescribedProperty, of records: Select<DynamicRecord, Store.Session>, count: Int, top: Int
    ) throws {
        self.property = property
        switch property.type {
        case .array, .embedded, .vector, .data:
            try countNils(records, count)
            if case .array = property.type { try measure("\(property.term).@count", of: records) }
        default:
            try computeExtremes(records)
            if property.isDistinct {
                try countNils(records, count)
                distinct = values
            } else {
                try group(records, top: top)
            }
        }
    }

    /// The type of the statistics' values; an array of owned records has the numbers of its records.
    var type: ColumnType { property.type ?? .int64 }

    private var isNumber: Bool { type.row.computing != nil }

    private mutating func countNils(_ records: Select<DynamicRecord, Store.Session>, _ count: Int) throws {
        nils = try records.where(text: "\(property.term) == nil").count()
        values = count - nils
    }

    /// The lengths of arrays.
    private mutating func measure(_ term: String, of records: Select<DynamicRecord, Store.Session>) throws {
        let found = try Self.computed([.min(term), .max(term)], records)
        if case .int(let fewest) = found[0].value, case .int(let most) = found[1].value {
            lengths = Int(fewest)...Int(max(fewest, most))
        }
    }

    private mutating func computeExtremes(_ records: Select<DynamicRecord, Store.Session>) throws {
        guard type != .bool, type != .uuid else { return }
        let term = property.term
        let found = try Self.computed([.min(term), .max(term)], records).map { $0.value.isNull ? nil : $0 }
        (least, greatest) = (found[0], found[1])
        guard isNumber, !property.isReference, least != nil else { return }
        mean = try Self.unlessOverflow { try Self.computed([.average(term)], records).first }
        sum = try Self.unlessOverflow { try Self.computed([.sum(term)], records).first }
    }

    private static func computed(
        _ outputs: [TextGroups.Term], _ records: Select<DynamicRecord, Store.Session>
    ) throws -> [Number] {
        var found: [Number] = []
        try records.forEachGroup(TextGroups(keys: [], outputs: outputs)) { found = zip($1, $0).map { ($0, $1) } }
        return found
    }

    /// Nil if a result is beyond the range of its type.
    private static func unlessOverflow(_ body: () throws -> Number?) throws -> Number? {
        do {
            return try body()
        } catch let error as StorageError where error.code == .overflow {
            return nil
        }
    }

    /// Counts the groups of equal values as the engine passes them on.
    private mutating func group(_ records: Select<DynamicRecord, Store.Session>, top: Int) throws {
        var groups = 0
        var bins = least.flatMap { least in
            greatest.flatMap { Histogram(from: least.value, to: $0.value, type) }
        }
        let isText = type == .string || type == .url
        var found = self
        let kind = type
        try records.forEachGroup(TextGroups(keys: [property.term], outputs: [.count])) { _, row in
            guard case .int(let number) = row[1] else { return }
            let count = Int(number)
            guard !row[0].isNull else { return found.nils += count }
            groups += 1
            found.values += count
            if isText, case .text(let text) = row[0] { found.add(length: text.count) }
            bins?.add(row[0], count)
            found.add(row[0], count: count, type: kind, top: top)
        }
        self = found
        distinct = groups
        if groups > top, !property.isReference { histogram = bins }
    }

    private mutating func add(length: Int) {
        guard let lengths else { return self.lengths = length...length }
        self.lengths = min(lengths.lowerBound, length)...max(lengths.upperBound, length)
    }

    private mutating func add(_ value: Value, count: Int, type: ColumnType, top: Int) {
        func isBefore(_ other: (value: Value, count: Int)) -> Bool {
            count == other.count ? value.order(to: other.value, as: type) == .before : count > other.count
        }
        if frequent.count == top {
            guard let last = frequent.last, isBefore(last) else { return }
            frequent.removeLast()
        }
        frequent.insert((value, count), at: frequent.firstIndex(where: isBefore) ?? frequent.endIndex)
    }
}
