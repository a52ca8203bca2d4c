import StorageDriver

/// Writes the children of one relation of one owner. Made for one call, during which the graph writer is alive.
@usableFromInline
package struct ChildWriter {
    fileprivate unowned(unsafe) let graph: GraphWriter
    fileprivate let table: TableBinding
    fileprivate let rows: RowBuffer
    fileprivate let owner: TableBinding
    fileprivate let ownerRows: RowBuffer
    fileprivate let ownerRow: Int
    /// The number of the owner's cells that are written.
    fileprivate let written: Int

    @usableFromInline
    package func beginChild(_ position: Int) -> RowWriter { graph.beginChild(position, in: self) }

    @usableFromInline
    func endChild(_ row: consuming RowWriter) { graph.endChild(row) }

    /// Ends the children. A child in the owner's table may have moved the owner's row.
    @usableFromInline
    package func end(_ owner: inout RowWriter) {
        graph.endChildren()
        let rest = owner.end - owner.next
        owner.next = ownerRows.row(ownerRow) + written
        owner.end = owner.next + rest
    }
}

/// Encodes models as rows: a root row, and rows of children with the root's key and their positions.
///
/// Rows collect in one buffer for each table until they are written as batches, so a thousand models cost a few calls
/// of the backend.
///
/// Unchecked: used by one thread at a time, to which ``ModelHandle`` hands it out under its lock.
@usableFromInline
package final class GraphWriter: @unchecked Sendable {
    package let model: ModelTables
    package let buffers: [RowBuffer]
    // Data that every model needs, kept here to avoid a lookup in the tables.
    private let root: TableBinding
    private let rootRows: RowBuffer
    private let hasChildren: Bool
    private let limits: BackendInfo.Limits
    private let arena: UnsafeMutablePointer<Arena>
    private let rootKey: UnsafeMutablePointer<Cell>
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var failure: StorageError?
    @exclusivity(unchecked) private var lastNode: Int64 = 0
    @exclusivity(unchecked) private var depth = 0
    /// The field positions of each table, for records that are written without their types.
    @exclusivity(unchecked) private var fieldPositions: [FieldPositions?] = []
    /// Keys that replace the models' keys, in their order; nil to keep them.
    @exclusivity(unchecked) var keys: ValueCells?
    /// The number of models written since the keys were set.
    @exclusivity(unchecked) private var written = 0
    /// The number of rows in each buffer before the last model.
    @exclusivity(unchecked) private var lastStarts: [Int]

    package init(_ model: ModelTables, limits: BackendInfo.Limits) {
        self.model = model
        self.limits = limits
        buffers = model.tables.map { RowBuffer(width: $0.columns.count) }
        root = model.root
        rootRows = buffers[0]
        hasChildren = model.hasChildren
        lastStarts = buffers.map { _ in 0 }
        arena = .allocate(capacity: 1)
        arena.initialize(to: Arena(limit: limits.valueBytes))
        rootKey = .allocate(capacity: max(model.rootKeyCount, 1))
        rootKey.initialize(repeating: .null, count: max(model.rootKeyCount, 1))
    }

    deinit {
        arena.deinitialize(count: 1)
        arena.deallocate()
        rootKey.deallocate()
    }

    /// True if the rows should be written before more are added.
    var isFull: Bool {
        rootRows.count >= 256 || arena.pointee.size > 1 << 20
    }

    /// Removes the model that was added last, or failed to be. Its bytes stay in the arena until the rows are written.
    package func removeLast() {
        written -= 1
        (failure, depth) = (nil, 0)
        guard hasChildren else { return rootRows.removeAll(from: rootRows.count - 1) }
        for (buffer, start) in zip(buffers, lastStarts) { buffer.removeAll(from: start) }
    }

    package func removeAll() {
        for buffer in buffers { buffer.removeAll() }
        arena.pointee.reset()
    }

    /// True if its memory is worth keeping for the next write.
    var isSmall: Bool { buffers.allSatisfy { $0.capacity * $0.width <= 4096 } }

    /// The key of the model that was added last, if it is one integer.
    var lastIntegerKey: Int64? {
        let (cells, root) = (model.root.keyCells, buffers[0])
        guard cells.count == 1 else { return nil }
        let cell = root.row(root.count - 1)[cells[0]]
        return cell.tag == .int ? cell.int : nil
    }

    // MARK: Roots

    /// A writer for the next model's key, which its children's rows begin with.
    func beginRootKey() -> RowWriter {
        RowWriter(next: rootKey, count: model.rootKeyCount, arena: arena, graph: self, table: 0, row: 0)
    }

    func endRootKey(_ row: consuming RowWriter) throws(StorageError) {
        try endKey(row)
        if let keys { for part in 0..<keys.width { rootKey[part] = keys.rows.row(written)[part] } }
    }

    func endKey(_ row: consuming RowWriter) throws(StorageError) {
        if row.next != row.end { fail(Self.disagreement("writeKey(into:)"), cell: row.next, of: row) }
        if failure != nil { try throwFailure() }
    }

    /// A writer for the next model.
    func beginRoot() -> RowWriter {
        lastNode = 0
        if hasChildren {
            for index in buffers.indices { lastStarts[index] = buffers[index].count }
        }
        let index = rootRows.append()
        return RowWriter(
            next: rootRows.row(index), count: root.columns.count, arena: arena, graph: self, table: 0, row: index)
    }

    /// A writer for the next model where rows have a number in place of the key.
    package func beginRoot(number: Int) -> RowWriter {
        var row = beginRoot()
        row.put(.int(Int64(number)))
        rootKey[0] = .int(Int64(number))
        return row
    }

    /// Ends the model that ``beginRoot()`` began.
    ///
    /// - Throws: `missingKey`, `invalidValue` or `limitExceeded`. The writer must not be used afterwards.
    func endRoot(_ row: consuming RowWriter) throws(StorageError) {
        if row.next != row.end || row.relation != root.relations.count { finish(row) }
        if failure != nil { try throwFailure() }
        let row = rootRows.row(rootRows.count - 1)
        if let keys {
            for (part, cell) in root.keyCells.enumerated() { row[cell] = keys.rows.row(written)[part] }
            written += 1
        }
        try checkKey(row, cells: root.keyCells)
    }

    /// Ends a model that is not stored, and may have no key.
    func endUnstored(_ row: consuming RowWriter) throws(StorageError) {
        finish(row)
        try throwFailure()
    }

    /// True if something of the model that was added last cannot be stored.
    package var hasFailed: Bool { failure != nil }

    /// The key of the model that was added last.
    var lastKey: [Value] { key(of: buffers[0].count - 1) }

    /// The key of one of the models.
    func key(of index: Int) -> [Value] {
        let row = buffers[0].row(index)
        return model.root.keyCells.map { row[$0].value }
    }

    // MARK: Keys

    /// Adds a key alone to a buffer of keys.
    func addKey(to keys: RowBuffer, _ write: (inout RowWriter) -> Void) throws(StorageError) {
        try writeKey(to: keys, write)
        try checkKey(keys.row(keys.count - 1), cells: Array(0..<model.rootKeyCount))
    }

    func writeKey(to keys: RowBuffer, _ write: (inout RowWriter) -> Void) throws(StorageError) {
        try writeKey(to: keys.row(keys.append()), write)
    }

    private func writeKey(
        to cells: UnsafeMutablePointer<Cell>, _ write: (inout RowWriter) -> Void
    ) throws(StorageError) {
        var row = RowWriter(next: cells, count: model.rootKeyCount, arena: arena, graph: self, table: 0, row: 0)
        write(&row)
        try endKey(row)
    }

    private func checkKey(_ row: UnsafeMutablePointer<Cell>, cells: [Int]) throws(StorageError) {
        var size = 0
        for (index, cell) in cells.enumerated() {
            if row[cell].isNull {
                throw keyError(.missingKey, "The record's key is nil; give it one.", part: index)
            }
            guard row[cell].tag == .text else { continue }
            size += row[cell].bytes.count
            if row[cell].bytes.count > limits.keyBytes {
                throw keyError(
                    .limitExceeded,
                    "A key of \(row[cell].bytes.count) bytes is longer than the limit of \(limits.keyBytes).",
                    part: index)
            }
            if size > limits.wholeKeyBytes {
                throw keyError(
                    .limitExceeded,
                    "The key's texts have \(size) bytes, more than the limit of \(limits.wholeKeyBytes).", part: index)
            }
        }
    }

    private func keyError(_ code: StorageError.Code, _ message: String, part index: Int) -> StorageError {
        let schema = model.root.schema
        return StorageError(code, message, model: model.name, property: schema.columns[schema.key[index]].property)
    }

    // MARK: Rows

    private func finish(_ row: borrowing RowWriter) {
        if row.next != row.end || row.relation != model.tables[row.table].relations.count {
            fail(Self.disagreement("write(into:)"), cell: row.next, of: row)
        }
    }

    /// Begins the children of the relation that `owner` writes next. Returns nil if they cannot be written, and
    /// remembers the error.
    @usableFromInline
    package func beginChildren(of owner: borrowing RowWriter) -> ChildWriter? {
        let table = model.tables[owner.table]
        guard failure == nil, table.relations.indices.contains(owner.relation) else {
            fail(Self.disagreement("write(into:)"), cell: owner.next, of: owner)
            return nil
        }
        guard depth < limits.depth else {
            fail(
                StorageError(
                    .limitExceeded, "Children nest deeper than the limit of \(limits.depth) levels.", model: model.name),
                cell: owner.next, of: owner)
            return nil
        }
        depth += 1
        let target = model.tables[table.relations[owner.relation].target]
        let ownerRows = buffers[owner.table]
        return ChildWriter(
            graph: self, table: target, rows: buffers[target.index], owner: table, ownerRows: ownerRows,
            ownerRow: owner.row, written: owner.next - ownerRows.row(owner.row))
    }

    fileprivate func beginChild(_ position: Int, in place: borrowing ChildWriter) -> RowWriter {
        let (table, rows) = (place.table, place.rows)
        let index = rows.append()
        let row = rows.row(index)
        writePrefix(of: place, position, into: row)
        return RowWriter(
            next: row + table.prefixCount, count: table.columns.count - table.prefixCount, arena: arena, graph: self,
            table: table.index, row: index)
    }

    fileprivate func endChild(_ row: borrowing RowWriter) { finish(row) }

    fileprivate func endChildren() { depth -= 1 }

    private func writePrefix(of place: borrowing ChildWriter, _ position: Int, into row: UnsafeMutablePointer<Cell>) {
        let (owner, isRoot) = (place.owner, place.owner.form == .root)
        let ownerRow = place.ownerRows.row(place.ownerRow)
        let sharedCount = isRoot ? model.rootKeyCount : owner.groupCount
        row.update(from: isRoot ? rootKey : ownerRow, count: sharedCount)
        if place.table.form == .node {
            lastNode += 1
            row[sharedCount] = .int(lastNode)
            row[sharedCount + 1] = owner.form == .node ? ownerRow[owner.groupCount] : .int(0)
        } else if sharedCount < place.table.prefixCount {
            row[sharedCount] = .int(Int64(position))
        }
    }

    /// Returns the fields of records that the columns of a table's rows hold.
    func fieldPositions(of table: Int) -> FieldPositions {
        if fieldPositions.isEmpty { fieldPositions = model.tables.map { _ in nil } }
        if let known = fieldPositions[table] { return known }
        let places = FieldPositions(model.tables[table], of: model)
        fieldPositions[table] = places
        return places
    }

    // MARK: Failures

    /// Remembers the first failure of a model.
    func fail(_ error: StorageError, cell: UnsafeMutablePointer<Cell>, of row: borrowing RowWriter) {
        guard failure == nil else { return }
        let binding = model.tables[row.table]
        // A single key is not written to a row of the buffer.
        let start = buffers[row.table].row(row.row)
        let isCell = cell >= start && cell < start + binding.columns.count
        failure = error.with {
            $0.model = $0.model ?? model.name.text
            guard isCell else { return }
            let column = binding.schema.columns[binding.columns[cell - start]].property
            $0.property = $0.property ?? (binding.schema.path.dropFirst() + [column]).joined(separator: ".")
        }
    }

    private func throwFailure() throws(StorageError) {
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    private static func disagreement(_ function: String) -> StorageError {
        StorageError(
            .configuration, "\(function) does not write one value for each property of the schema; make them agree.")
    }
}

extension GraphWriter {
    /// A model's only key cell, which may be null.
    func keyCell<M: Storable>(of value: M, in keys: RowBuffer) throws(StorageError) -> Cell {
        keys.removeAll()
        try writeKey(to: keys) { value.writeKey(into: &$0) }
        return keys.row(0)[0]
    }
}

extension RowWriter {
    /// Goes to one of the row's cells, which is written next.
    package mutating func move(to cell: Int) {
        next = graph.takeUnretainedValue().buffers[table].row(row) + cell
        end = next + 1
    }

    /// Writes the default of an owned property, wherever in the row the writer is.
    ///
    /// - Parameter presence: the cell that says whether an array exists.
    package mutating func writeDefault(_ relation: Int, at presence: Int?, _ write: OwnedDefault) {
        let rows = graph.takeUnretainedValue().buffers[table]
        let (written, left) = (next - rows.row(row), end - next)
        if let presence { move(to: presence) }
        self.relation = relation
        write(&self)
        // Owned records may be in the same table, whose rows have moved then.
        next = rows.row(row) + written
        end = next + left
    }
}
