import StorageAPI
import StorageDriver

/// The part of a model's records that a page shows.
///
/// Pages follow each other by key, and not by a number of records to skip: the first page and the last one cost the same.
struct RecordRequest: Sendable {
    var model: String
    var condition: String?
    /// The words of a search, whose records come in the order of their relevance; nil for all records.
    var search: String?
    /// The property to sort by; nil for the order of keys.
    var order: String?
    var isDescending = false
    /// The properties to show, by name; nil for all.
    var columns: [String]?
    var start = Start.beginning
    /// True if the address has no value of the sort property, because it is large: it is read from the record of the key.
    var readsPosition = false
    var size = 100

    /// The start of the page: the values of the sort property, if one exists, and of the key.
    enum Start: Hashable, Sendable {
        case beginning
        case after([Value])
        case before([Value])
        case end
    }
}

/// A page of records.
struct RecordPage: Sendable {
    /// The fields that were asked for, and the fields of the order and the key.
    var rows: [DynamicRecord] = []
    var hasEarlier = false
    var hasLater = false
    /// True if the page is shorter than requested because its records are large.
    var isCut = false
}

extension RecordRequest {
    /// The most bytes of records on one page.
    static let maximumBytes = 8 << 20

    /// Reads the page.
    func page(of store: Store, _ schema: RecordSchema) async throws -> RecordPage {
        guard !readsPosition else { return try await readingPosition(of: store, schema).page(of: store, schema) }
        let isBackward =
            switch start {
            case .before, .end: true
            case .beginning, .after: false
            }
        var columns = sortColumns(schema)
        if isBackward { for index in columns.indices { columns[index].isDescending.toggle() } }
        let wanted = self.columns ?? schema.properties.map(\.name)
        let names = (columns.map(\.name) + wanted).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }

        var page = RecordPage()
        var bytes = 0
        ranges: for range in ranges(columns, schema) {
            var records = range.records(store.records(model), columns)
            if let condition { records = records.where(text: condition) }
            // One more than the page has tells if more records follow.
            for try await fields in records.limit(size + 1 - page.rows.count).only(names).stream() {
                if page.rows.count == size || bytes > Self.maximumBytes {
                    page.hasLater = true
                    page.isCut = page.rows.count < size
                    break ranges
                }
                let record = DynamicRecord(model: model, fields: fields)
                bytes += record.approximateBytes
                page.rows.append(record)
            }
        }
        if isBackward {
            page.rows.reverse()
            (page.hasEarlier, page.hasLater) = (page.hasLater, start != .end)
        } else {
            page.hasEarlier = start != .beginning
        }
        return page
    }

    /// The request with the value of the sort property that the record of the key has now; from the beginning if none exists.
    private func readingPosition(of store: Store, _ schema: RecordSchema) async throws -> RecordRequest {
        var request = self
        request.readsPosition = false
        request.start = .beginning
        guard let position, let order = sortColumns(schema).first?.name else { return request }
        let key = Array(position.dropFirst())
        let tests = schema.keyProperties.map { "\($0.name.queryName) == ?" }.joined(separator: " and ")
        let record = store.records(model).where(text: tests, arguments: key).limit(1).only([order])
        guard let fields = try await record.all().first else { return request }
        let whole = [DynamicRecord(model: model, fields: fields).value(order) ?? .null] + key
        if case .before = start { request.start = .before(whole) } else { request.start = .after(whole) }
        return request
    }

    /// The values that say where a record stands in the order.
    func position(of record: DynamicRecord, _ schema: RecordSchema) -> [Value] {
        sortColumns(schema).map { record.value($0.name) ?? .null }
    }

    private var position: [Value]? {
        switch start {
        case .after(let position), .before(let position): position
        case .beginning, .end: nil
        }
    }

    // MARK: Order

    struct SortColumn: Hashable {
        let name: String
        let type: ColumnType
        let isOptional: Bool
        var isDescending: Bool

        var order: String { name.queryName + (isDescending ? " desc" : " asc") }
    }

    /// The property to sort by and the properties of the key, which make the order of all records unique.
    func sortColumns(_ schema: RecordSchema) -> [SortColumn] {
        let keys = schema.keyProperties
        let sorted = order.flatMap { schema.property($0) }.flatMap { $0.canBeSorted ? $0 : nil }
        // Descending by the key itself is the order of keys, backwards.
        var columns = sorted.map { [SortColumn($0, isDescending: isDescending)] } ?? []
        for key in keys where key.name != sorted?.name { columns.append(SortColumn(key, isDescending: false)) }
        return columns
    }

    /// The parts of the records from the start of the page on. Where no index has the order they are one part, because each
    /// part reads all records.
    private func ranges(_ columns: [SortColumn], _ schema: RecordSchema) -> [Range] {
        let ranges = Self.ranges(columns, after: position)
        let sorted = order.flatMap { schema.property($0) }
        guard let sorted, ranges.count > 1, !sorted.isKey, !sorted.isIndexed, !sorted.isUnique else { return ranges }
        return [Range(anyOf: ranges.reversed())]
    }

    /// A part of the records that an index can find, since it compares columns with values by equality and then one by order.
    private struct Range {
        var conditions: [String] = []
        var arguments: [Value] = []
        /// The first of the columns that still have to be sorted by.
        var unsorted = 0

        init(unsorted: Int = 0) { self.unsorted = unsorted }

        /// The records of several parts, in the order of all columns.
        init(anyOf ranges: [Range]) {
            conditions = [ranges.map { "(" + $0.conditions.joined(separator: " and ") + ")" }.joined(separator: " or ")]
            arguments = ranges.flatMap(\.arguments)
        }

        func records(
            _ records: Select<DynamicRecord, Store>, _ columns: [SortColumn]
        ) -> Select<DynamicRecord, Store> {
            let order = columns[unsorted...].map(\.order).joined(separator: ", ")
            let sorted = order.isEmpty ? records : records.order(text: order)
            guard !conditions.isEmpty else { return sorted }
            return sorted.where(text: conditions.joined(separator: " and "), arguments: arguments)
        }

        func adding(_ condition: String, _ argument: Value?) -> Range {
            var range = self
            range.conditions.append(condition)
            if let argument { range.arguments.append(argument) }
            return range
        }
    }

    /// The parts of the records after a position, one after the other in the order of the columns: the records that agree with
    /// it in all columns but the last, then in all but the last two, and so on.
    private static func ranges(_ columns: [SortColumn], after position: [Value]?) -> [Range] {
        guard let position, position.count == columns.count else { return [Range()] }
        var ranges: [Range] = []
        for place in columns.indices.reversed() {
            var equal = Range(unsorted: place)
            for (column, value) in zip(columns, position).prefix(place) {
                let name = column.name.queryName
                equal = value.isNull ? equal.adding("\(name) is nil", nil) : equal.adding("\(name) == ?", value)
            }
            let (column, value) = (columns[place], position[place])
            let name = column.name.queryName
            // nil comes before all values, and after them if descending.
            switch (value.isNull, column.isDescending) {
            case (true, false): ranges.append(equal.adding("\(name) is not nil", nil))
            case (true, true): break
            case (false, false): ranges.append(equal.adding("\(name) > ?", value))
            case (false, true):
                ranges.append(equal.adding("\(name) < ?", value))
                if column.isOptional { ranges.append(equal.adding("\(name) is nil", nil)) }
            }
        }
        return ranges
    }
}

extension RecordRequest.SortColumn {
    fileprivate init(_ property: RecordSchema.Property, isDescending: Bool) {
        self.init(
            name: property.name, type: property.columnType, isOptional: property.isOptional, isDescending: isDescending)
    }
}

extension DynamicRecord {
    /// The bytes of the texts and blobs, owned records included.
    var approximateBytes: Int {
        fields.reduce(0) { sum, field in
            switch field.content {
            case .value(.text(let text), _): sum + text.utf8.count
            case .value(.blob(let bytes), _): sum + bytes.count
            case .value, .child(nil), .children(nil): sum + 8
            case .child(let child?): sum + child.approximateBytes
            case .children(let children?): sum + children.reduce(0) { $0 + $1.approximateBytes }
            }
        }
    }
}

extension RecordRequest {
    /// The condition and the search as one condition, for pages that have one; nil without both.
    var wholeCondition: String? {
        guard let search else { return condition }
        let matches = "matches \(search.queryLiteral)"
        return condition.map { "(\($0)) and \(matches)" } ?? matches
    }

    /// All records that meet the condition and the search.
    func all(_ store: Store) -> Select<DynamicRecord, Store> {
        var records = store.records(model)
        if let condition { records = records.where(text: condition) }
        if let search { records = records.where(text: "matches ?", arguments: [.text(search)]) }
        return records
    }
}

extension RecordRequest {
    /// Returns the query plan for the records of the page.
    func explanation(in store: Store, _ schema: RecordSchema) async throws -> QueryExplanation {
        let columns = sortColumns(schema)
        let range = ranges(columns, schema).last ?? Range()
        var records = range.records(store.records(model), columns)
        if let condition { records = records.where(text: condition) }
        return try await records.limit(size + 1).only(self.columns ?? schema.properties.map(\.name)).explain()
    }
}
