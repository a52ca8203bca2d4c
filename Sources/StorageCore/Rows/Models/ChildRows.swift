public import StorageDriver

/// The rows of one owned property, read together with their owners' rows.
///
/// Both are ordered by the root's key and the positions, so the rows of the current owner are next: a graph loads with
/// one query for each property, for any number of owners.
@usableFromInline
final class ChildRows {
    private let context: RowContext
    private let open: () throws(StorageError) -> Cursor
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var opened: OpenRows?
    /// Rows of a recursive type, by the number of their owner; only for tables of nodes.
    @usableFromInline let nodes: NodeRows?
    /// The number of children of the last owner, to reserve memory for the next.
    @usableFromInline @exclusivity(unchecked) var usualCount = 0

    /// - Parameter open: runs the query, when the first owner asks for children.
    init(_ context: RowContext, open: @escaping () throws(StorageError) -> Cursor) {
        self.context = context
        self.open = open
        nodes = context.table.form == .node ? NodeRows(context) : nil
    }

    // Compiled into the model's module, where decoding costs no generic call per row.
    @inlinable
    func first<M: Storable>(_: M.Type, ownedBy owner: borrowing RowReader) throws(StorageError) -> M? {
        if nodes != nil { return try firstNode(M.self, ownedBy: owner) }
        guard let cells = try next(ownedBy: owner) else { return nil }
        var row = reader(cells)
        let model = try M(reading: &row)
        try row.finish()
        // Any further row of the same owner was not written by a store.
        while try next(ownedBy: owner) != nil {}
        return model
    }

    @inlinable
    func all<M: Storable>(_: M.Type, ownedBy owner: borrowing RowReader) throws(StorageError) -> [M] {
        if nodes != nil { return try allNodes(M.self, ownedBy: owner) }
        var models: [M] = []
        while let cells = try next(ownedBy: owner) {
            if models.isEmpty { models.reserveCapacity(usualCount) }
            var row = reader(cells)
            models.append(try M(reading: &row))
            try row.finish()
        }
        usualCount = Swift.min(models.count, 64)
        return models
    }

    /// The cells of the owner's next child; nil if it has no more.
    @usableFromInline
    func next(ownedBy owner: borrowing RowReader) throws(StorageError) -> UnsafePointer<Cell>? {
        let rows = try openRows()
        return try rows.advance(toChildOf: owner) ? rows.cells : nil
    }

    @usableFromInline
    func reader(_ cells: UnsafePointer<Cell>) -> RowReader {
        RowReader(
            cells, from: context.table.prefixCount, to: context.table.columns.count,
            context: .passUnretained(context))
    }

    private func openRows() throws(StorageError) -> OpenRows {
        if let opened { return opened }
        let rows = OpenRows(try open())
        opened = rows
        return rows
    }

    // MARK: Types that own themselves

    @usableFromInline
    func firstNode<M: Storable>(_: M.Type, ownedBy owner: borrowing RowReader) throws(StorageError) -> M? {
        guard let nodes else { return nil }
        try load(nodes, from: openRows(), of: owner)
        return try nodes.first(M.self, ownedBy: owner)
    }

    @usableFromInline
    func allNodes<M: Storable>(_: M.Type, ownedBy owner: borrowing RowReader) throws(StorageError) -> [M] {
        guard let nodes else { return [] }
        try load(nodes, from: openRows(), of: owner)
        return try nodes.all(M.self, ownedBy: owner)
    }

    /// Reads all rows of the owner's group, unless they are loaded already.
    private func load(
        _ nodes: NodeRows, from rows: OpenRows, of owner: borrowing RowReader
    ) throws(StorageError) {
        let binding = owner.context.takeUnretainedValue().table
        if nodes.holdsGroup(of: owner, binding) { return }
        nodes.begin(groupOf: owner, binding)
        while try rows.advance(toChildOf: owner) { nodes.add(rows.cells) }
    }

    /// The order of the first cells of a child's row and its owner's.
    static func order(
        _ child: UnsafePointer<Cell>, to owner: UnsafePointer<Cell>, of binding: TableBinding
    ) -> ValueOrder {
        let isRoot = binding.form == .root
        let count = isRoot ? binding.keyCells.count : binding.groupCount
        for index in 0..<count {
            let order = child[index].keyOrder(to: owner[isRoot ? binding.keyCells[index] : index])
            if order != .same { return order }
        }
        return .same
    }
}

/// A cursor over the children of one owner after another.
private final class OpenRows {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var cursor: Cursor
    @exclusivity(unchecked) private var state = State.beforeRow

    private enum State { case beforeRow, onRow, atEnd }

    init(_ cursor: consuming Cursor) { self.cursor = cursor }

    var cells: UnsafePointer<Cell> { cursor.cells }

    /// Moves to the next row if it belongs to the owner. Skips rows whose owners are missing.
    func advance(toChildOf owner: borrowing RowReader) throws(StorageError) -> Bool {
        let binding = owner.context.takeUnretainedValue().table
        while state != .atEnd {
            if state == .beforeRow {
                state = try cursor.next() ? .onRow : .atEnd
                continue
            }
            switch ChildRows.order(cursor.cells, to: owner.cells, of: binding) {
            case .before: state = .beforeRow
            case .after: return false
            case .same:
                state = .beforeRow
                return true
            }
        }
        return false
    }
}

/// The rows of a recursive type within one group: one root, or one position within it.
///
/// They stay in memory while the group is read, because a tree with several recursive properties does not visit its
/// tables in key order. Costs the memory of one root's rows.
@usableFromInline
final class NodeRows {
    private let context: RowContext
    private var rows: RowBuffer
    private var arena = Arena()
    private var children: [Int64: [Int]] = [:]
    private var group: [Cell]?
    private var depth = 0

    init(_ context: RowContext) {
        self.context = context
        rows = RowBuffer(width: context.table.columns.count)
    }

    func holdsGroup(of owner: borrowing RowReader, _ binding: TableBinding) -> Bool {
        guard let group else { return false }
        return group.withUnsafeBufferPointer { cells in
            // A root has a key, so the group has cells.
            guard let start = cells.baseAddress else { return false }
            return ChildRows.order(start, to: owner.cells, of: binding) == .same
        }
    }

    func begin(groupOf owner: borrowing RowReader, _ binding: TableBinding) {
        arena.reset()
        rows.removeAll()
        children = [:]
        let cells = binding.form == .root ? binding.keyCells : Array(0..<binding.groupCount)
        var copies: [Cell] = []
        for cell in cells { copies.append(arena.copy(owner.cells[cell])) }
        group = copies
    }

    func add(_ cells: UnsafePointer<Cell>) {
        let index = rows.append()
        let row = rows.row(index)
        for cell in 0..<rows.width { row[cell] = arena.copy(cells[cell]) }
        children[row[context.table.prefixCount - 1].int, default: []].append(index)
    }

    func first<M: Storable>(_: M.Type, ownedBy owner: borrowing RowReader) throws(StorageError) -> M? {
        guard let index = children[number(of: owner)]?.first else { return nil }
        return try decode(index)
    }

    func all<M: Storable>(_: M.Type, ownedBy owner: borrowing RowReader) throws(StorageError) -> [M] {
        var models: [M] = []
        for index in children[number(of: owner)] ?? [] { models.append(try decode(index)) }
        return models
    }

    /// The number by which children name their owner.
    private func number(of owner: borrowing RowReader) -> Int64 {
        let binding = owner.context.takeUnretainedValue().table
        return binding.form == .node ? owner.cells[binding.groupCount].int : 0
    }

    private func decode<M: Storable>(_ index: Int) throws(StorageError) -> M {
        // Rows that another program wrote may form a cycle of ownership.
        guard depth <= Self.maximumDepth else {
            throw StorageError(
                .corrupt, "The rows of \(context.table.schema.name) nest without end.", model: context.modelName)
        }
        depth += 1
        defer { depth -= 1 }
        var row = RowReader(
            UnsafePointer(rows.row(index)), from: context.table.prefixCount, to: context.table.columns.count,
            context: .passUnretained(context))
        let model = try M(reading: &row)
        try row.finish()
        return model
    }

    private static let maximumDepth = 256
}
