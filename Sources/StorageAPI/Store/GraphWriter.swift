/// Lowers models to rows: a root row, and rows of children that carry the root's key and their positions.
///
/// Rows collect in one buffer a table until they are written as batches, so a thousand models cost a few calls of the
/// backend. Used by one thread at a time.
@usableFromInline
final class GraphWriter {
    let model: ModelTables
    let buffers: [RowBuffer]
    private let limits: BackendInfo.Limits
    private let arena: UnsafeMutablePointer<Arena>
    private let rootKey: UnsafeMutablePointer<Cell>
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var failure: StorageError?
    @exclusivity(unchecked) private var lastNode: Int64 = 0
    @exclusivity(unchecked) private var depth = 0
    /// By table, for records that are written without their types.
    @exclusivity(unchecked) private var recordPlaces: [RecordPlaces?] = []
    /// How many rows each buffer had before the last model.
    @exclusivity(unchecked) private var lastStarts: [Int]

    init(_ model: ModelTables, limits: BackendInfo.Limits) {
        self.model = model
        self.limits = limits
        buffers = model.tables.map { RowBuffer(width: $0.columns.count) }
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

    /// Whether the rows so far are better written before more are added.
    var isFull: Bool {
        buffers[0].count >= 256 || arena.pointee.size > 1 << 20
    }

    /// Takes back the model that was added last; its bytes stay in the arena until the rows are written.
    func removeLast() {
        for (buffer, start) in zip(buffers, lastStarts) { buffer.removeAll(from: start) }
    }

    func removeAll() {
        for buffer in buffers { buffer.removeAll() }
        arena.pointee.reset()
    }

    // MARK: Roots

    /// A writer for the next model's key, which its children's rows begin with.
    func beginRootKey() -> RowWriter {
        RowWriter(next: rootKey, count: model.rootKeyCount, arena: arena, graph: self, table: 0, row: 0)
    }

    func endKey(_ row: consuming RowWriter) throws(StorageError) {
        if row.next != row.end { fail(Self.disagreement("writeKey(into:)"), cell: row.next, of: row) }
        if failure != nil { try throwFailure() }
    }

    /// A writer for the next model.
    func beginRoot() -> RowWriter {
        lastNode = 0
        if model.hasChildren {
            for index in buffers.indices { lastStarts[index] = buffers[index].count }
        }
        return begin(table: 0)
    }

    /// Ends the model that ``beginRoot()`` began.
    ///
    /// - Throws: `missingKey`, `invalidValue` or `limitExceeded`. The writer is then of no further use.
    func endRoot(_ row: consuming RowWriter) throws(StorageError) {
        finish(row)
        if failure != nil { try throwFailure() }
        let root = buffers[0]
        try checkKey(root.row(root.count - 1), cells: model.root.keyCells)
    }

    /// The key of the model that was added last.
    var lastKey: [Value] {
        let row = buffers[0].row(buffers[0].count - 1)
        return model.root.keyCells.map { row[$0].value }
    }

    // MARK: Keys

    /// Adds a key alone to a buffer of keys.
    func addKey(to keys: RowBuffer, _ write: (inout RowWriter) -> Void) throws(StorageError) {
        try writeKey(to: keys, write)
        try checkKey(keys.row(keys.count - 1), cells: Array(0..<model.rootKeyCount))
    }

    private func writeKey(to keys: RowBuffer, _ write: (inout RowWriter) -> Void) throws(StorageError) {
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
        for cell in cells {
            if row[cell].isNull {
                throw StorageError(.missingKey, "The record's key is nil; give it one.", model: model.name)
            }
            if row[cell].tag == .text, row[cell].bytes.count > limits.keyBytes {
                throw StorageError(
                    .limitExceeded,
                    "A key of \(row[cell].bytes.count) bytes is longer than the limit of \(limits.keyBytes).",
                    model: model.name)
            }
        }
    }

    // MARK: Rows

    private func begin(table: Int) -> RowWriter {
        let binding = model.tables[table]
        let index = buffers[table].append()
        return RowWriter(
            next: buffers[table].row(index) + binding.prefixCount, count: binding.columns.count - binding.prefixCount,
            arena: arena, graph: self, table: table, row: index)
    }

    private func finish(_ row: borrowing RowWriter) {
        if row.next != row.end || row.relation != model.tables[row.table].relations.count {
            fail(Self.disagreement("write(into:)"), cell: row.next, of: row)
        }
    }

    /// Writes the children of the relation that `owner` has come to.
    func write<C: Collection>(_ children: C, ownedBy owner: inout RowWriter) where C.Element: Storable {
        guard failure == nil, model.tables[owner.table].relations.indices.contains(owner.relation) else {
            return fail(Self.disagreement("write(into:)"), cell: owner.next, of: owner)
        }
        guard depth < limits.depth else {
            return fail(
                StorageError(
                    .limitExceeded, "Children nest deeper than the limit of \(limits.depth) levels.", model: model.name),
                cell: owner.next, of: owner)
        }
        depth += 1
        defer { depth -= 1 }
        let place = owner.next - buffers[owner.table].row(owner.row)
        let target = model.tables[model.tables[owner.table].relations[owner.relation].target]
        for (position, child) in children.enumerated() {
            var row = begin(table: target.index)
            writePrefix(of: target, position: position, ownedBy: owner, into: buffers[target.index].row(row.row))
            child.write(into: &row)
            finish(row)
        }
        // A child in the owner's own table may have moved the owner's row.
        let rest = owner.end - owner.next
        owner.next = buffers[owner.table].row(owner.row) + place
        owner.end = owner.next + rest
    }

    private func writePrefix(
        of target: TableBinding, position: Int, ownedBy owner: borrowing RowWriter, into row: UnsafeMutablePointer<Cell>
    ) {
        let table = model.tables[owner.table]
        let ownerRow = buffers[owner.table].row(owner.row)
        let shared = table.form == .root ? UnsafePointer(rootKey) : UnsafePointer(ownerRow)
        let sharedCount = table.form == .root ? model.rootKeyCount : table.groupCount
        row.update(from: shared, count: sharedCount)
        if target.form == .node {
            lastNode += 1
            row[sharedCount] = .int(lastNode)
            row[sharedCount + 1] = table.form == .node ? ownerRow[table.groupCount] : .int(0)
        } else if sharedCount < target.prefixCount {
            row[sharedCount] = .int(Int64(position))
        }
    }

    /// Where the fields of records stand in a table's rows.
    func recordPlaces(of table: Int) -> RecordPlaces {
        if recordPlaces.isEmpty { recordPlaces = model.tables.map { _ in nil } }
        if let known = recordPlaces[table] { return known }
        let places = RecordPlaces(model.tables[table], of: model)
        recordPlaces[table] = places
        return places
    }

    // MARK: Failures

    /// Remembers the first failure of a model.
    func fail(_ error: StorageError, cell: UnsafeMutablePointer<Cell>, of row: borrowing RowWriter) {
        guard failure == nil else { return }
        let binding = model.tables[row.table]
        // A key that stands alone is not written to a row of the buffer.
        let start = buffers[row.table].row(row.row)
        let isCell = cell >= start && cell < start + binding.columns.count
        failure = error.with {
            $0.model = $0.model ?? model.name
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
