import StorageDriver

/// Records' root rows in memory, and the records loaded for them.
///
/// Used by the thread that runs the read.
package final class JoinedRows {
    let reading: RecordReader
    private let buffer: BufferedRows
    private let isKeyOrder: Bool
    /// The rows of arrays of references that were read, by their tables: the records themselves have them too.
    private var elements: [Int: BufferedRows] = [:]
    /// The records' keys, numbered like the rows.
    private lazy var owners = {
        var index = KeyIndex(width: reading.root.keyCells.count, most: count)
        for row in 0..<count { _ = index.number(of: buffer.row(row), reading.root.keyCells) }
        return index
    }()

    package init(_ reading: RecordReader, _ buffer: BufferedRows, isKeyOrder: Bool) {
        self.reading = reading
        self.buffer = buffer
        self.isKeyOrder = isKeyOrder
    }

    package var count: Int { buffer.count }

    /// The records, with all owned records.
    package func models<M: Storable>() throws(StorageError) -> [M] {
        try reading.decode(M.self, buffer, of: reading.root, isKeyOrder: isKeyOrder, read: elements)
    }

    func key(of row: Int) -> [Value] { reading.root.keyCells.map { buffer.cell($0, of: row).value } }

    /// For each number of an index the row of the record with its key; nil without such a record.
    private func places(in index: KeyIndex) -> [Int?] {
        var places: [Int?] = Array(repeating: nil, count: index.count)
        for row in 0..<count {
            if let number = index.known(buffer.row(row), reading.root.keyCells) { places[number] = row }
        }
        return places
    }

    // MARK: One

    /// The records that a reference is to, each once, and which each row's is; nil if it is to none.
    package func records<T: Storable, S>(
        of _: T.Type, _ path: PropertyPath?, _ make: any JoinedRowMaking<S>
    ) throws(StorageError) -> (rows: [S], places: [Int?]) {
        let reference = try reference(path)
        var index = KeyIndex(width: reference.cells.count, most: count)
        // Loops, for a generic function's closures are not compiled for its types.
        var numbers: [Int?] = Array(repeating: nil, count: count)
        for row in 0..<count where !isNil(reference, of: row) {
            numbers[row] = index.number(of: buffer.row(row), reference.cells)
        }
        let found = try related(T.self).rows(withKeys: index.sortedKeys)
        let rows = try make.rows(found)
        let places = found.places(in: index)
        for row in 0..<count { if let number = numbers[row] { numbers[row] = places[number] } }
        return (rows, numbers)
    }

    package func isNil(_ path: PropertyPath?, _ row: Int) throws(StorageError) -> Bool {
        isNil(try reference(path), of: row)
    }

    private func isNil(_ reference: ReferenceBinding, of row: Int) -> Bool {
        reference.cells.first.map { buffer.cell($0, of: row).isNull } ?? true
    }

    private func reference(_ path: PropertyPath?) throws(StorageError) -> ReferenceBinding {
        guard let path, path.ordinals.count == 1, path.inverse == nil,
            case .reference(let index) = try reading.model.member(path.ordinals[0], of: reading.model.root)
        else { throw invalid() }
        return reading.model.root.references[index]
    }

    /// The error for a reference of a row to a record that is not stored.
    package func dangling(_ path: PropertyPath?, _ row: Int) throws(StorageError) -> StorageError {
        let reference = try reference(path)
        let wanted = reference.cells.map { buffer.cell($0, of: row).value.description }.joined(separator: ", ")
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
    package func lists<T: Storable, S>(
        of _: T.Type, _ path: PropertyPath?, _ records: RelatedRows<S>
    ) throws(StorageError) -> [[S]] {
        guard let path else { throw invalid() }
        if let inverse = path.inverse {
            guard path.ordinals.isEmpty else { throw invalid() }
            return try referrers(T.self, inverse, records: records)
        }
        guard path.ordinals.count == 1,
            case .relation(let index) = try reading.model.member(path.ordinals[0], of: reading.model.root)
        else { throw invalid() }
        let table = reading.model.tables[reading.model.root.relations[index].target]
        guard let element = table.element else { throw invalid() }
        let rows = try elements(of: table)
        let (pairs, targets) = pairs(rows, in: table, element: element)
        return try lists(pairs, index: targets, of: related(T.self), records: records)
    }

    /// Returns the owner of each element of an array of references, and the number of its key.
    private func pairs(
        _ rows: BufferedRows, in table: TableBinding, element: ReferenceBinding
    ) -> (pairs: [(owner: Int, number: Int)], targets: KeyIndex) {
        var targets = KeyIndex(width: element.cells.count, most: rows.count)
        var pairs: [(owner: Int, number: Int)] = []
        pairs.reserveCapacity(rows.count)
        let owners = owners
        var owner: Int?
        for row in 0..<rows.count {
            // The rows of one owner lie together.
            let isOwnersNext =
                row > 0 && table.keyCells.allSatisfy { rows.cell($0, of: row).isEqual(to: rows.cell($0, of: row - 1)) }
            if !isOwnersNext { owner = owners.known(rows.row(row), table.keyCells) }
            if let owner { pairs.append((owner, targets.number(of: rows.row(row), element.cells))) }
        }
        return (pairs, targets)
    }

    /// The rows of an array of references, of all records and in their order.
    private func elements(of table: TableBinding) throws(StorageError) -> BufferedRows {
        if let known = elements[table.index] { return known }
        let plan = reading.handle.plan(rowsOf: table.index, owners.keys.scope)
        let rows = try reading.session.rows(plan, owners.keys.scopeArguments).buffered(width: table.columns.count)
        elements[table.index] = rows
        return rows
    }

    /// The records with an index's keys, which pairs number: for each owner in the pairs' order or in that which the
    /// records are asked for.
    private func lists<S>(
        _ pairs: [(owner: Int, number: Int)], index: KeyIndex, of target: RecordReader, records: RelatedRows<S>
    ) throws(StorageError) -> [[S]] {
        let found = try target.rows(withKeys: index.sortedKeys, records.selection, isShown: false)
        let places = found.places(in: index)
        var chosen: [(owner: Int, number: Int)] = []
        chosen.reserveCapacity(pairs.count)
        for pair in pairs { if let place = places[pair.number] { chosen.append((pair.owner, place)) } }
        return try lists(chosen, in: found, records: records, isSorted: records.selection.order.isEmpty)
    }

    /// For each owner the records that belong to it. A record that no owner gets is neither decoded nor shown to an observer.
    private func lists<S>(
        _ pairs: [(owner: Int, number: Int)], in found: JoinedRows, records: RelatedRows<S>, isSorted: Bool
    ) throws(StorageError) -> [[S]] {
        let selection = records.selection
        let numbers = OwnedNumbers(pairs, owners: count)
        var chosen: [ArraySlice<Int>] = []
        chosen.reserveCapacity(count)
        for owner in 0..<count {
            let all = isSorted ? numbers[owner] : numbers[owner].sorted()[...]
            chosen.append(all.dropFirst(selection.offset).prefix(selection.limit ?? .max))
        }
        let isCut = selection.limit != nil || selection.offset > 0 || reading.session is any ReadTrackingSession
        let (given, places) = isCut ? found.chosen(chosen) : (found, nil)
        let rows = try records.make.rows(given)
        var lists: [[S]] = []
        lists.reserveCapacity(count)
        for numbers in chosen {
            var list: [S] = []
            list.reserveCapacity(numbers.count)
            for number in numbers { list.append(rows[places?[number] ?? number]) }
            lists.append(list)
        }
        return lists
    }

    /// The rows that some list has, and where each of these is among them; nil if they are all.
    private func chosen(_ lists: [ArraySlice<Int>]) -> (JoinedRows, places: [Int]?) {
        var isWanted = Array(repeating: false, count: count)
        for list in lists { for number in list { isWanted[number] = true } }
        let wanted = isWanted.indices.filter { isWanted[$0] }
        var places = Array(repeating: 0, count: count)
        for (place, row) in wanted.enumerated() { places[row] = place }
        reading.session.showToObserver { digest in
            for row in wanted {
                digest.add(1, UnsafeBufferPointer(start: buffer.row(row), count: reading.root.columns.count))
            }
            for list in lists {
                digest.add(Int64(list.count))
                for number in list { digest.add(Int64(places[number])) }
            }
        }
        guard wanted.count < count else { return (self, nil) }
        let kept = BufferedRows(width: reading.root.columns.count)
        for row in wanted { kept.add(buffer.row(row)) }
        return (JoinedRows(reading, kept, isKeyOrder: isKeyOrder), places)
    }

    /// The records that refer to each.
    private func referrers<T: Storable, S>(
        _: T.Type, _ inverse: PropertyPath.Backlink, records: RelatedRows<S>
    ) throws(StorageError) -> [[S]] {
        let target = try related(T.self)
        let (table, reference) = try target.model.reference(inverse.ordinals)
        guard reference.schema.storedModel == reading.model.name else { throw invalid() }
        if table !== target.model.root {
            let (pairs, index) = try target.rows(of: table, referringBy: reference, to: owners)
            return try lists(pairs, index: index, of: target, records: records)
        }
        let found = try target.rows(referringBy: reference, to: owners.keys, records.selection)
        var pairs: [(owner: Int, number: Int)] = []
        for row in 0..<found.count where !found.isNil(reference, of: row) {
            if let owner = owners.known(found.buffer.row(row), reference.cells) { pairs.append((owner, row)) }
        }
        return try lists(pairs, in: found, records: records, isSorted: true)
    }

    private func related<T: Storable>(_: T.Type) throws(StorageError) -> RecordReader {
        RecordReader(
            handle: try reading.handle.directory.handle(of: .type(T.self), in: reading.session),
            session: reading.session)
    }
}

extension RecordReader {
    /// The records of a selection as rows, and the result of a closure for them.
    package func joined<M: Storable, Row>(
        _: M.Type, _ selection: Selection, make: any JoinedRowMaking<Row>
    ) throws(StorageError) -> [Row] {
        try make.rows(joined(selection))
    }

    /// The rows of a selection, by default of all records.
    ///
    /// - Parameter isShown: whether all rows are a part of the result.
    private func joined(
        _ selection: Selection, among keys: KeyList? = nil, isShown: Bool = true, change: QueryChange = { _, _ in }
    ) throws(StorageError) -> JoinedRows {
        let rows = try rows(selection, root.columns, among: keys, isShown: isShown, change: change)
        return JoinedRows(
            self, try rows.buffered(width: root.columns.count), isKeyOrder: selection.order.isEmpty)
    }

    /// The records with these keys that a selection chooses, in its order.
    fileprivate func rows(
        withKeys keys: KeyList, _ selection: Selection = Selection(), isShown: Bool = true
    ) throws(StorageError) -> JoinedRows {
        guard keys.count > 0 else {
            return JoinedRows(self, BufferedRows(width: root.columns.count), isKeyOrder: true)
        }
        if selection.filter == nil, selection.order.isEmpty {
            let plan = handle.plan(rowsOf: 0, keys.scope)
            let rows = try session.rows(plan, keys.scopeArguments, isShown: isShown)
            return JoinedRows(self, try rows.buffered(width: root.columns.count), isKeyOrder: true)
        }
        return try joined(selection.withoutPage, among: keys, isShown: isShown)
    }

    /// The records that refer directly to one of the keys.
    fileprivate func rows(
        referringBy reference: ReferenceBinding, to keys: KeyList, _ selection: Selection
    ) throws(StorageError) -> JoinedRows {
        try joined(selection.withoutPage, isShown: false) { query, arguments in
            let isWanted = QueryTerm.refers(reference.columns, of: root.schema, list: arguments.lists.count)
            query.filter = query.filter.map { .and([isWanted, $0]) } ?? isWanted
            arguments.lists.append(keys.list)
        }
    }

    /// Returns the records that own a row of a table that refers to one of the keys, each with the key's number once
    /// and in the order of the records' keys.
    fileprivate func rows(
        of table: TableBinding, referringBy reference: ReferenceBinding, to keys: KeyIndex
    ) throws(StorageError) -> (pairs: [(owner: Int, number: Int)], records: KeyIndex) {
        let root = Array(table.keyCells.indices)
        let parts = reference.columns.indices.map { root.count + $0 }
        let filter = QueryTerm.refers(reference.columns, of: table.schema, list: 0)
        let columns = table.keyCells.map { table.columns[$0] } + reference.columns
        let plan = handle.plan(Query(.columns(columns), filter: filter), table: table.index)
        // These rows are not shown to an observer; the relation that they give between records is.
        var cursor = try session.rows(plan, QueryArguments(lists: [keys.keys.list]), isShown: false)
        var records = KeyIndex(width: root.count, most: 0)
        var pairs: [(owner: Int, number: Int)] = []
        var lastRecord: [Int: Int] = [:]
        while try cursor.next() {
            guard let owner = keys.known(cursor.cells, parts) else { continue }
            let record = records.number(of: cursor.cells, root)
            // A record that refers several times is one (clause R6); its rows come one after the other.
            if lastRecord.updateValue(record, forKey: owner) != record { pairs.append((owner, record)) }
        }
        return (pairs, records)
    }
}

/// Makes rows of records and of the records loaded with them.
///
/// A type and not a closure: an optimised closure keeps the address of a pack of types on the stack of the function that
/// made it (Swift 6.3), which is gone when the query runs.
package protocol JoinedRowMaking<Row>: Sendable {
    associatedtype Row: Sendable
    func rows(_ joined: JoinedRows) throws(StorageError) -> [Row]
    /// The same as records without types, which have the loaded records in the place of their keys.
    func records(_ joined: JoinedRows) throws(StorageError) -> [DynamicRecord]
    /// The types of the records that are loaded.
    var types: [any Storable.Type] { get }
}

/// The selection of related records that are loaded for each owner.
package struct RelatedRows<Row: Sendable> {
    let selection: Selection
    let make: any JoinedRowMaking<Row>

    package init(selection: Selection, make: any JoinedRowMaking<Row>) {
        self.selection = selection
        self.make = make
    }
}
