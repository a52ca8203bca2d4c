import StorageAPI
import StorageDriver
import StorageJSON

/// The request that the address of a page of records expresses.
struct TableRequest {
    var records: RecordRequest
    /// The number of the page's first record among all, counted from 1; nil if it is not known.
    var number: Int?
    /// True if each record is shown vertically.
    var isVertical = false
    /// True if the page shows the query plan.
    var explains = false
    /// The properties whose most frequent values the page shows.
    var facets: [String] = []

    init(_ model: String, parameters: Parameters, schema: RecordSchema) {
        records = RecordRequest(model: model)
        records.condition = parameters["w"]
        records.search = parameters["q"]
        records.order = parameters["o"]
        records.isDescending = parameters["d"] != nil
        let names = parameters.all("c").filter { schema.property($0) != nil }
        records.columns = names.isEmpty ? nil : names
        records.size = min(max(parameters["s"].flatMap { Int($0) } ?? Self.usualSize(records), 1), Self.maximumRecords)
        isVertical = parameters["v"] != nil
        explains = parameters["x"] != nil
        let grouped = GroupRequest.keys(schema)
        for name in parameters.all("y") where facets.count < Facet.most && !facets.contains(name) {
            if grouped.contains(where: { $0.name == name }) { facets.append(name) }
        }
        let columns = records.sortColumns(schema)
        types = columns.map(\.type)
        isOrderedByKey = columns.count == schema.keyProperties.count
        let start = [parameters.all("a"), parameters.all("b")].first { !$0.isEmpty } ?? []
        records.readsPosition = start.first == "r" && !isOrderedByKey
        if records.search != nil {
            // Records by relevance have no position but their number.
            number = min(max(parameters["n"].flatMap { Int($0) } ?? 1, 1), Self.maximumHits)
        } else if let after = Self.position(parameters.all("a"), columns) {
            records.start = .after(after)
            number = parameters["n"].flatMap { Int($0) }
        } else if let before = Self.position(parameters.all("b"), columns) {
            records.start = .before(before)
            number = parameters["n"].flatMap { Int($0) }
        } else if parameters["e"] != nil {
            records.start = .end
        } else {
            number = 1
        }
    }

    /// The most records of a page.
    private static let maximumRecords = 10_000
    /// The most records of a search that pages lead to.
    private static let maximumHits = 1 << 24

    /// The number of records of a page where its address says none: with the parts of their texts fewer.
    private static func usualSize(_ records: RecordRequest) -> Int { records.search == nil ? 100 : 25 }

    /// A link to the same records, perhaps to another page of them.
    var address: Address {
        var address = query
        let columns = records.columns ?? []
        address = address.adding("c", columns).adding("v", isVertical ? "1" : nil).adding("x", explains ? "1" : nil)
        address = address.adding("y", facets)
        if records.size != Self.usualSize(records) { address = address.adding("s", String(records.size)) }
        switch records.start {
        case .beginning where records.search != nil:
            address = address.adding("n", number.flatMap { $0 > 1 ? String($0) : nil })
        case .beginning: break
        case .after(let position):
            address = address.adding("a", texts(position)).adding("n", number.map { String($0) })
        case .before(let position):
            address = address.adding("b", texts(position)).adding("n", number.map { String($0) })
        case .end: address = address.adding("e", "1")
        }
        return address
    }

    /// The model, condition and order.
    private var query: Address { parameters(Address("/records")) }

    func parameters(_ address: Address) -> Address {
        address.adding("m", records.model).adding("q", records.search).adding("w", records.condition).adding(
            "o", records.order
        )
        .adding("d", records.isDescending ? "1" : nil)
    }

    /// A link to a file of all the records.
    func export(_ format: ExportFormat) -> Address {
        parameters(Address("/export")).adding("c", records.columns ?? []).adding("f", format.rawValue)
    }

    func with(_ change: (inout TableRequest) -> Void) -> TableRequest {
        var request = self
        change(&request)
        return request
    }

    func starting(_ start: RecordRequest.Start, at number: Int? = nil) -> TableRequest {
        with { ($0.records.start, $0.number) = (start, number) }
    }

    // A position is a text for each value: "n" for nil, "r" for a value that is too large for an address and is read from the
    // record of the key, and "v" before any other.

    private let isOrderedByKey: Bool

    /// The types of the columns that make the order.
    private let types: [ColumnType]

    private func texts(_ position: [Value]) -> [String] {
        zip(position, types).enumerated().map { place, part in
            let (value, type) = part
            if place == 0, !isOrderedByKey, !value.fitsAddress { return "r" }
            return value.isNull ? "n" : "v" + (value.text(as: type) ?? "")
        }
    }

    private static func position(_ texts: [String], _ columns: [RecordRequest.SortColumn]) -> [Value]? {
        guard texts.count == columns.count, !texts.isEmpty else { return nil }
        var position: [Value] = []
        for (place, (text, column)) in zip(texts, columns).enumerated() {
            if text == "n" || text == "r" && place == 0 {
                position.append(.null)
            } else if text.hasPrefix("v"), let value = Value(text: String(text.dropFirst()), as: column.type) {
                position.append(value)
            } else {
                return nil
            }
        }
        return position
    }
}
