import StorageDriver

/// Identifies one record's array of references.
package struct StoredList: Sendable {
    let property: QueryNode
    let owner: [Value]

    package init(property: QueryNode, owner: [Value]) {
        self.property = property
        self.owner = owner
    }
}

/// The elements of one record's array of references, by their places in it.
///
/// A row has the record's key, a position and the key of the referenced record. Positions ascend and have gaps, so a
/// place is found by skipping rows in the engine.
struct ListRows {
    /// An element as it is stored.
    struct Element {
        let position: Int64
        let key: [Value]
    }

    let handle: ModelHandle
    let session: any StorageSession
    let table: TableBinding
    let reference: ReferenceBinding
    /// The record's key.
    let owner: [Value]
    /// The table's column of positions.
    private let position: Int

    /// - Throws: `invalidQuery` for anything but an array of references of the record itself; `unsupported` for one of
    ///   a type that owns itself.
    init(_ list: StoredList, _ handle: ModelHandle, in session: any StorageSession) throws(StorageError) {
        let model = handle.tables
        guard case .property(let path) = list.property, path.ordinals.count == 1, path.inverse == nil,
            case .relation(let index) = try model.member(path.ordinals[0], of: model.root)
        else {
            throw StorageError(
                .invalidQuery, "list(_:of:) names an array of references of the record itself.", model: model.name)
        }
        table = model.tables[model.root.relations[index].target]
        guard let element = table.element, let position = table.schema.key.last else {
            throw StorageError(.invalidQuery, "list(_:of:) names an array of references.", model: model.name)
        }
        guard table.form == .child else {
            throw StorageError(
                .unsupported, "Arrays of references of a model that owns itself are read and saved with their records.",
                model: model.name, property: model.root.relations[index].property)
        }
        guard list.owner.count == model.rootKeyCount else { throw Self.disagreement(model.name) }
        self.handle = handle
        self.session = session
        self.position = position
        reference = element
        owner = list.owner
    }

    private static func disagreement(_ model: StoredName) -> StorageError {
        StorageError(
            .configuration, "values(of:) does not give one value for each key property; make them agree.", model: model)
    }

    var property: String { table.schema.path.dropFirst().joined(separator: ".") }

    /// The record's key, for calls that take several.
    var keys: KeyList { KeyList(width: owner.count, [owner]) }

    // MARK: Reading

    /// Some elements in their order, from a place on.
    func elements(from first: Int = 0, most: Int? = nil) throws(StorageError) -> [Element] {
        try elements(Query(columns, scope: scope), QueryArguments(owner, limit: most, offset: first))
    }

    /// The last element.
    func last() throws(StorageError) -> Element? {
        let order = Query.SortKey(term: .column(position), type: .int64, isDescending: true)
        return try elements(Query(columns, scope: scope, order: [order]), QueryArguments(owner, limit: 1)).first
    }

    /// The elements that name a record.
    func elements(naming key: [Value], most: Int? = nil) throws(StorageError) -> [Element] {
        guard key.count == reference.columns.count else { throw Self.disagreement(handle.name) }
        let parts = reference.columns.enumerated().map { part, column in
            QueryTerm.comparison(
                .equal, .column(column), .argument(owner.count + part), table.schema.columns[column].type)
        }
        return try elements(Query(columns, scope: scope, filter: .and(parts)), QueryArguments(owner + key, limit: most))
    }

    func count() throws(StorageError) -> Int {
        var cursor = try session.rows(
            handle.plan(Query(.count, scope: scope), table: table.index), QueryArguments(owner))
        return try cursor.next() ? Int(clamping: cursor.cells[0].int) : 0
    }

    private var scope: Query.Scope { .key(columns: owner.count) }
    private var columns: Query.Result { .columns([position] + reference.columns) }

    private func elements(_ query: Query, _ arguments: QueryArguments) throws(StorageError) -> [Element] {
        var query = query
        query.isLimited = true
        var cursor = try session.rows(handle.plan(query, table: table.index), arguments)
        var found: [Element] = []
        while try cursor.next() {
            let key = reference.columns.indices.map { cursor.cells[$0 + 1].value }
            found.append(Element(position: cursor.cells[0].int, key: key))
        }
        return found
    }

    /// - Throws: `notFound` if the record is not stored.
    func requireOwner() throws(StorageError) {
        guard try !handle.missing(keys, in: session).isEmpty else { return }
        throw StorageError(
            .notFound, "No record has this key, so it has no \(property); store the record before.", model: handle.name,
            key: owner)
    }

    func outside(_ index: Int) -> StorageError {
        StorageError(
            .invalidQuery,
            "\(property) has no place \(index) to which this could be done; count() says how long it is.",
            model: handle.name, key: owner, property: property)
    }

    // MARK: Places

    /// The rows to write, and their positions.
    struct Change {
        var removed: [Int64] = []
        var added: [Element] = []
    }

    /// Returns the change that inserts elements before the one at an index, or appends them without an index.
    ///
    /// - Throws: `invalidQuery` for a place beyond the end.
    func placing(_ keys: [[Value]], at index: Int?) throws(StorageError) -> Change {
        var low: Int64?
        var high: Int64?
        if let index {
            guard index >= 0 else { throw outside(index) }
            let around = try elements(from: max(index - 1, 0), most: index > 0 ? 2 : 1)
            if index > 0, around.isEmpty { throw outside(index) }
            low = index > 0 ? around.first?.position : nil
            high = index > 0 ? around.dropFirst().first?.position : around.first?.position
        } else {
            low = try last()?.position
        }
        if let positions = ListPositions.between(low, high, count: keys.count) {
            return Change(added: zip(positions, keys).map(Element.init))
        }
        if let index { return try spreading(keys, at: index) }
        return try spreading(keys, at: count())
    }

    /// Makes room by moving the elements around a place apart. Moves twice as many each time, until the room is enough.
    private func spreading(_ keys: [[Value]], at index: Int) throws(StorageError) -> Change {
        var half = 32
        while true {
            let start = max(index - half, 0)
            // Include one more element on each side, if it exists. It stays in place.
            let first = max(start - 1, 0)
            let most = index + half + 1 - first
            var moved = try elements(from: first, most: most)
            let high = moved.count == most ? moved.removeLast().position : nil
            let low = start > 0 && !moved.isEmpty ? moved.removeFirst().position : nil
            var all = moved.map(\.key)
            all.insert(contentsOf: keys, at: min(index - start, all.count))
            if let positions = ListPositions.between(low, high, count: all.count, least: ListPositions.minimumGap) {
                return Change(removed: moved.map(\.position), added: zip(positions, all).map(Element.init))
            }
            half *= 2
        }
    }
}
