import StorageDriver

/// Records' own rows in memory, and what is loaded for them.
///
/// Used by the thread that runs the read.
final class JoinedRows {
    let reading: Reading
    private let buffer: BufferedRows
    private let isKeyOrder: Bool

    init(_ reading: Reading, _ buffer: BufferedRows, isKeyOrder: Bool) {
        self.reading = reading
        self.buffer = buffer
        self.isKeyOrder = isKeyOrder
    }

    var count: Int { buffer.count }

    /// The records, with all that they own.
    func models<M: Storable>() throws(StorageError) -> [M] {
        try reading.decode(M.self, buffer, of: reading.root, isKeyOrder: isKeyOrder)
    }

    func key(of row: Int) -> [Value] { reading.root.keyCells.map { buffer.cell($0, of: row).value } }

    /// The records' keys, each once.
    private var keys: ValueList {
        var list = ValueList(width: reading.model.rootKeyCount, values: [])
        for row in 0..<count { list.values += key(of: row) }
        return list
    }

    // MARK: One

    /// The records that a reference is to, each once, and which each row's is; nil if it is to none.
    func records<T: Storable, S>(
        _ path: PropertyPath?, _ record: Ref<T>.Loading<S>
    ) throws(StorageError) -> (rows: [S], places: [Int?]) {
        let reference = try reference(path)
        var index = KeyIndex()
        var wanted = ValueList(width: reference.cells.count, values: [])
        let places = (0..<count).map { row -> Int? in
            guard let key = key(reference, of: row) else { return nil }
            let place = index.place(of: key)
            if place.isNew { wanted.values += key }
            return place.index
        }
        let target = try related(T.self)
        let found = try target.rows(withKeys: wanted)
        let rows = try record.make.rows(found)
        var order: [Int?] = Array(repeating: nil, count: wanted.count)
        for row in 0..<found.count { order[index.place(of: found.key(of: row)).index] = row }
        return (rows, places.map { $0.flatMap { order[$0] } })
    }

    func isNil(_ path: PropertyPath?, _ row: Int) throws(StorageError) -> Bool {
        key(try reference(path), of: row) == nil
    }

    private func key(_ reference: ReferenceBinding, of row: Int) -> [Value]? {
        guard let first = reference.cells.first, !buffer.cell(first, of: row).isNull else { return nil }
        return reference.cells.map { buffer.cell($0, of: row).value }
    }

    private func reference(_ path: PropertyPath?) throws(StorageError) -> ReferenceBinding {
        guard let path, path.ordinals.count == 1, path.inverse == nil,
            case .reference(let index) = try reading.model.member(path.ordinals[0], of: reading.model.root)
        else { throw invalid() }
        return reading.model.root.references[index]
    }

    /// The error for a reference of a row to a record that is not there.
    func dangling(_ path: PropertyPath?, _ row: Int) throws(StorageError) -> StorageError {
        let reference = try reference(path)
        let wanted = key(reference, of: row)?.map(\.description).joined(separator: ", ") ?? "nil"
        return StorageError(
            .notFound,
            "\(reference.schema.model) \(wanted), to which the record refers, is not stored: another program has left the "
                + "reference. Store the record, or set the reference to another.",
            model: reading.model.name, key: key(of: row), property: reference.property)
    }

    private func invalid() -> StorageError {
        StorageError(
            .invalidQuery,
            "with names a reference, an array of references or an inverse of the model itself; for those of "
                + "what it refers to give a closure.", model: reading.model.name)
    }

    // MARK: Many

    /// The records that belong to each.
    func lists<T: Storable, S>(
        _ path: PropertyPath?, _ records: Referrers<T>.Loading<S>
    ) throws(StorageError) -> [[S]] {
        guard let path else { throw invalid() }
        if let inverse = path.inverse {
            guard path.ordinals.isEmpty else { throw invalid() }
            return try referrers(inverse, records)
        }
        guard path.ordinals.count == 1,
            case .relation(let index) = try reading.model.member(path.ordinals[0], of: reading.model.root)
        else { throw invalid() }
        let table = reading.model.tables[reading.model.root.relations[index].target]
        guard let element = table.element else { throw invalid() }
        return try lists(elements(table, element), of: related(T.self), records)
    }

    /// For each owner the keys of an array of references, in its order.
    private func elements(
        _ table: TableBinding, _ element: ReferenceBinding
    ) throws(StorageError) -> [(owner: Int, key: [Value])] {
        let keys = keys
        var owners = KeyIndex(keys)
        let scope = Query.Scope.keys(columns: keys.width, list: 0)
        var cursor = try reading.session.rows(
            reading.handle.plan(rowsOf: table.index, scope), QueryArguments(lists: [keys]))
        var pairs: [(owner: Int, key: [Value])] = []
        while try cursor.next() {
            let owner = table.keyCells.map { cursor.cells[$0].value }
            pairs.append((owners.place(of: owner).index, element.cells.map { cursor.cells[$0].value }))
        }
        return pairs
    }

    /// The records of pairs, for each owner in the pairs' order or in that which the records are asked for.
    private func lists<T: Storable, S>(
        _ pairs: [(owner: Int, key: [Value])], of target: Reading, _ records: Referrers<T>.Loading<S>
    ) throws(StorageError) -> [[S]] {
        var index = KeyIndex()
        var wanted = ValueList(width: target.model.rootKeyCount, values: [])
        for pair in pairs where index.place(of: pair.key).isNew { wanted.values += pair.key }
        let found = try target.rows(withKeys: wanted, records.selection)
        let rows = try records.make.rows(found)
        var places: [Int?] = Array(repeating: nil, count: wanted.count)
        for row in 0..<found.count { places[index.place(of: found.key(of: row)).index] = row }
        var lists: [[Int]] = Array(repeating: [], count: count)
        for pair in pairs {
            if let place = places[index.place(of: pair.key).index] { lists[pair.owner].append(place) }
        }
        return lists.map { list in
            let sorted = records.selection.order.isEmpty ? list : list.sorted()
            return part(of: sorted, records.selection).map { rows[$0] }
        }
    }

    private func part(of list: [Int], _ selection: Selection) -> ArraySlice<Int> {
        list.dropFirst(selection.offset).prefix(selection.limit ?? .max)
    }

    /// The records that refer to each.
    private func referrers<T: Storable, S>(
        _ inverse: PropertyPath.Inverse, _ records: Referrers<T>.Loading<S>
    ) throws(StorageError) -> [[S]] {
        let target = try related(T.self)
        let keys = keys
        var owners = KeyIndex(keys)
        let (table, reference) = try target.model.reference(inverse.ordinals)
        guard reference.schema.model.isSame(as: reading.model.name) else { throw invalid() }
        if table !== target.model.root {
            var pairs: [(owner: Int, key: [Value])] = []
            var seen: Set<[Value]> = []
            for (owner, row) in try target.rows(of: table, referringBy: reference, to: keys, owners) {
                // A record that refers several times is one (clause R6).
                if seen.insert([.int(Int64(owner))] + row).inserted { pairs.append((owner, row)) }
            }
            pairs.sort {
                $0.owner == $1.owner ? $0.key.lexicographicallyPrecedes($1.key) : $0.owner < $1.owner
            }
            return try lists(pairs, of: target, records)
        }
        let found = try target.rows(referringBy: reference, to: keys, records.selection)
        let rows = try records.make.rows(found)
        var lists: [[Int]] = Array(repeating: [], count: count)
        for row in 0..<found.count {
            guard let key = found.key(reference, of: row) else { continue }
            let place = owners.place(of: key)
            if !place.isNew { lists[place.index].append(row) }
        }
        return lists.map { part(of: $0, records.selection).map { rows[$0] } }
    }

    private func related<T: Storable>(_: T.Type) throws(StorageError) -> Reading {
        Reading(
            handle: try reading.handle.directory.handle(of: .type(T.self), in: reading.session),
            session: reading.session)
    }
}

/// Numbers keys in the order in which they come.
struct KeyIndex {
    private var integers: [Int64: Int] = [:]
    private var others: [[Value]: Int] = [:]
    private var count = 0

    init() {}

    /// The keys by their places in a list that has each once.
    init(_ keys: ValueList) {
        for index in 0..<keys.count { _ = place(of: Array(keys[index])) }
    }

    mutating func place(of key: [Value]) -> (index: Int, isNew: Bool) {
        if key.count == 1, case .int(let number) = key[0] {
            if let known = integers[number] { return (known, false) }
            integers[number] = count
        } else {
            if let known = others[key] { return (known, false) }
            others[key] = count
        }
        defer { count += 1 }
        return (count, true)
    }
}

extension Reading {
    /// The records of a selection as rows, and what a closure makes of them.
    func joined<M: Storable, Row>(
        _: M.Type, _ selection: Selection, _ make: any JoinedRowMaking<Row>
    ) throws(StorageError) -> [Row] {
        let (plan, arguments) = try handle.plan(selection, .columns(root.columns))
        return try make.rows(JoinedRows(self, try buffered(plan, arguments), isKeyOrder: selection.order.isEmpty))
    }

    func buffered(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> BufferedRows {
        let buffer = BufferedRows(width: root.columns.count)
        var cursor = try session.rows(plan, arguments)
        while try cursor.next() { buffer.add(cursor.cells) }
        return buffer
    }

    /// The records with these keys that a selection chooses, in its order.
    fileprivate func rows(withKeys keys: ValueList, _ selection: Selection = Selection()) throws(StorageError)
        -> JoinedRows
    {
        guard keys.count > 0 else {
            return JoinedRows(self, BufferedRows(width: root.columns.count), isKeyOrder: true)
        }
        if selection.filter == nil, selection.order.isEmpty {
            let plan = handle.plan(rowsOf: 0, .keys(columns: keys.width, list: 0))
            return JoinedRows(self, try buffered(plan, QueryArguments(lists: [keys])), isKeyOrder: true)
        }
        let (plan, arguments) = try handle.plan(selection.withoutPage, .columns(root.columns)) { query, arguments in
            query.scope = .keys(columns: keys.width, list: arguments.lists.count)
            arguments.lists.append(keys)
        }
        return JoinedRows(self, try buffered(plan, arguments), isKeyOrder: selection.order.isEmpty)
    }

    /// The records that refer by a property of their own to one of the keys.
    fileprivate func rows(
        referringBy reference: ReferenceBinding, to keys: ValueList, _ selection: Selection
    ) throws(StorageError) -> JoinedRows {
        let column = reference.columns[0]
        let (plan, arguments) = try handle.plan(selection.withoutPage, .columns(root.columns)) { query, arguments in
            let isWanted = QueryTerm.isIn(
                .column(column), list: arguments.lists.count, root.schema.columns[column].type)
            query.filter = query.filter.map { .and([isWanted, $0]) } ?? isWanted
            arguments.lists.append(keys.firstParts)
        }
        return JoinedRows(self, try buffered(plan, arguments), isKeyOrder: selection.order.isEmpty)
    }

    /// For each row of an owned table that refers to one of the keys: the place of the key, and the key of the row's
    /// record.
    fileprivate func rows(
        of table: TableBinding, referringBy reference: ReferenceBinding, to keys: ValueList, _ owners: KeyIndex
    ) throws(StorageError) -> [(owner: Int, root: [Value])] {
        let column = reference.columns[0]
        let rootColumns = table.keyCells.map { table.columns[$0] }
        let filter = QueryTerm.isIn(.column(column), list: 0, table.schema.columns[column].type)
        let plan = handle.plan(
            Query(.columns(rootColumns + reference.columns), filter: filter), table: table.index)
        var cursor = try session.rows(plan, QueryArguments(lists: [keys.firstParts]))
        var found: [(owner: Int, root: [Value])] = []
        var owners = owners
        while try cursor.next() {
            let key = reference.columns.indices.map { cursor.cells[rootColumns.count + $0].value }
            let place = owners.place(of: key)
            if !place.isNew, place.index < keys.count {
                found.append((place.index, rootColumns.indices.map { cursor.cells[$0].value }))
            }
        }
        return found
    }
}

extension ValueList {
    /// The first value of each row.
    fileprivate var firstParts: ValueList {
        width == 1 ? self : ValueList(width: 1, values: (0..<count).map { values[$0 * width] })
    }
}

extension ModelTables {
    /// The reference at the end of a path, and its table.
    func reference(_ ordinals: [Int]) throws(StorageError) -> (TableBinding, ReferenceBinding) {
        var table = root
        for ordinal in ordinals {
            switch try member(ordinal, of: table) {
            case .column: break
            case .reference(let index): return (table, table.references[index])
            case .relation(let index):
                table = tables[table.relations[index].target]
                if let element = table.element { return (table, element) }
            }
        }
        throw StorageError(
            .invalidQuery, "An inverse is that of a reference in the model or in what it owns.", model: name)
    }
}
