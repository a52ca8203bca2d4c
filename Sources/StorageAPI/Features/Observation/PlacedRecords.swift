import StorageDriver

/// The records of a query in its order, each with its place: its values of the sort terms, and then its key.
struct PlacedRecords<Model: Storable> {
    /// A record and its place.
    struct Record {
        let place: [Value]
        let key: [Value]
        var model: Model
    }

    private(set) var models: [Model] = []
    /// Place after place.
    private var places: [Value] = []
    private let order: [Query.SortKey]
    private let keyWidth: Int
    /// The place of each key, if the places have more than the key.
    private var placeOfKey: [[Value]: [Value]] = [:]

    /// - Parameter order: the sort keys of the query, and then the sort keys of the record's key.
    init(order: [Query.SortKey] = [], keyWidth: Int = 0) {
        self.order = order
        self.keyWidth = keyWidth
    }

    private var isSorted: Bool { order.count > keyWidth }

    var count: Int { models.count }

    /// Records in their order.
    init(_ records: [Model], places: [Value], order: [Query.SortKey], keyWidth: Int) {
        self.init(order: order, keyWidth: keyWidth)
        models = records
        self.places = places
        guard isSorted else { return }
        placeOfKey.reserveCapacity(records.count)
        for index in models.indices { placeOfKey[key(at: index)] = Array(place(at: index)) }
    }

    func key(at index: Int) -> [Value] { Array(place(at: index).suffix(keyWidth)) }

    private func place(at index: Int) -> ArraySlice<Value> {
        places[index * order.count..<(index + 1) * order.count]
    }

    /// Returns the index of the record with a key.
    func index(of key: [Value]) -> Int? {
        guard let place = isSorted ? placeOfKey[key] : key else { return nil }
        let index = firstIndex(notBefore: place)
        return index < count && isAt(index, place) ? index : nil
    }

    /// Returns whether the record at an index has this place.
    func isAt(_ index: Int, _ place: [Value]) -> Bool { compare(places, at: index * order.count, to: place) == .same }

    private func firstIndex(notBefore place: [Value]) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if compare(places, at: middle * order.count, to: place) == .before {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Compares the place that begins at an index of a list with another. By indices: slices would take most of the time that
    /// an element takes.
    private func compare(_ list: [Value], at start: Int, to place: [Value]) -> ValueOrder {
        for part in order.indices {
            let order = order[part].order(list[start + part], place[part])
            if order != .same { return order }
        }
        return .same
    }

    // MARK: Changing

    mutating func replace(at index: Int, by model: Model) { models[index] = model }

    /// Removes the record at an index, and returns it.
    @discardableResult
    mutating func remove(at index: Int) -> Model {
        if isSorted { placeOfKey[key(at: index)] = nil }
        places.removeSubrange(index * order.count..<(index + 1) * order.count)
        return models.remove(at: index)
    }

    /// Inserts a record at its place, and returns where that is.
    mutating func insert(_ record: Record) -> Int {
        let index = firstIndex(notBefore: record.place)
        models.insert(record.model, at: index)
        places.insert(contentsOf: record.place, at: index * order.count)
        if isSorted { placeOfKey[record.key] = record.place }
        return index
    }

    /// Returns whether a record comes before another.
    func isBefore(_ left: Record, _ right: Record) -> Bool { compare(left.place, at: 0, to: right.place) == .before }
}

/// Compares records by their stored values.
final class RecordComparison<Model: Storable> {
    private let tables: ModelTables
    private var graphs: (GraphWriter, GraphWriter)?

    init(_ tables: ModelTables) { self.tables = tables }

    func areSame(_ left: Model, _ right: Model) -> Bool {
        // Stored values are within the engine's limits.
        let limits = BackendInfo.Limits()
        let (first, second) = graphs ?? (GraphWriter(tables, limits: limits), GraphWriter(tables, limits: limits))
        // A writer that has failed must not be used again.
        graphs = nil
        do throws(StorageError) {
            try Self.write(left, to: first)
            try Self.write(right, to: second)
        } catch {
            return false
        }
        graphs = (first, second)
        return zip(first.buffers, second.buffers).allSatisfy(Self.areSame)
    }

    private static func write(_ model: Model, to graph: GraphWriter) throws(StorageError) {
        graph.removeAll()
        var rows = RowCollector(graph, replaces: false)
        _ = try Model.write([model], from: 0, into: &rows)
    }

    private static func areSame(_ left: RowBuffer, _ right: RowBuffer) -> Bool {
        let width = left.width
        guard left.count == right.count else { return false }
        return (0..<left.count).allSatisfy { row in
            let (left, right) = (left.row(row), right.row(row))
            return (0..<width).allSatisfy { left[$0].isEqual(to: right[$0]) }
        }
    }
}
