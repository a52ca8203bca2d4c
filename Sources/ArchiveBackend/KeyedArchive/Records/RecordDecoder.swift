package import StorageDriver

/// Reads records from keyed archives into rows, without a step between: cells point into the archive or into memory of
/// the decoder. Keeps its memory from archive to archive. Used by one thread at a time.
package struct RecordDecoder: ~Copyable {
    let layout: RecordLayout
    private let keys: RecordKeys
    /// For each table a row of the values for keys that an archive lacks. Their bytes are in `defaults`.
    private var templates: [CellTemplate] = []
    private var defaults = ByteBlocks()
    /// For each table the shape of the object before.
    private var shapes: [RecordShape?]
    private var tables: RecordTables
    /// The columns of the root's key.
    private let keyColumns: [Int]
    private var sequence: UInt64?
    private var lastNode: Int64 = 0
    var marks = EntryMarks()
    /// The positions of the previous array's keys, by which most arrays of an archive are recognised at once.
    var arrayShape: ArrayShape?
    /// Text that the archive holds in another form: arrays, and strings beyond ASCII.
    var made = ByteBlocks()
    var json = OutputBuffer()

    /// The error code for a record without a key: damage in a store, and elsewhere an archive of something else.
    package var keyless = StorageError.Code.corrupt

    package init(_ layout: RecordLayout) {
        self.layout = layout
        keys = RecordKeys(layout)
        shapes = layout.tables.map { _ in nil }
        tables = RecordTables(layout)
        keyColumns = layout.keyColumns.map { layout.root.columns[$0].index }
        for table in layout.tables { templates.append(CellTemplate(table, &defaults)) }
    }

    /// Reads an archive whose root is a record or an NSArray of records.
    ///
    /// - Parameter each: gets each record in order. Its rows are valid until it returns.
    /// - Throws: `corrupt`, with the byte, for anything but a keyed archive of such records; the errors of `each`.
    package mutating func decode(
        _ bytes: UnsafeRawBufferPointer, each: (RecordRows) throws(StorageError) -> Void
    ) throws(StorageError) {
        let reader = try begin(bytes)
        let root = try reader.head(ofEntry: reader.root)
        guard let list = try elements(root, reader) else { return try record(reader.root, reader, each) }
        for index in 0..<list.count {
            let uid = try reader.list.head(reader.list.reference(list.start, index))
            try record(reader.entry(uid), reader, each)
        }
    }

    /// Reads an archive of keys, as ``RecordEncoder/addKey(_:)`` writes them.
    ///
    /// - Parameter each: gets the cells of each key, in the order of the root's key, and the commit number.
    mutating func decodeKeys(
        _ bytes: UnsafeRawBufferPointer, each: (UnsafePointer<Cell>, UInt64?) throws(StorageError) -> Void
    ) throws(StorageError) {
        let columns = keyColumns
        var key = [Cell](repeating: .null, count: columns.count)
        try decode(bytes) { (record) throws(StorageError) in
            for (place, column) in columns.enumerated() { key[place] = record.tables[0].cells[column] }
            try key.withUnsafeBufferPointer { (cells) throws(StorageError) in
                if let start = cells.baseAddress { try each(start, record.sequence) }
            }
        }
    }

    private mutating func begin(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> KeyedReader {
        let reader = try KeyedReader(bytes)
        marks.begin(reader)
        made.removeAll()
        json.removeAll()
        arrayShape = nil
        for index in shapes.indices { shapes[index] = nil }
        return reader
    }

    // MARK: Objects

    private mutating func record(
        _ entry: Int, _ reader: KeyedReader, _ each: (RecordRows) throws(StorageError) -> Void
    ) throws(StorageError) {
        tables.removeAll()
        lastNode = 0
        sequence = nil
        _ = try object(entry, of: 0, owner: nil, position: 0, depth: 0, reader)
        let root = tables.row(0, of: 0)
        for column in keyColumns where root[column].isNull {
            throw StorageError(keyless, "Object \(entry) of the archive is not a record: its key is missing.")
        }
        if shapes.count > 1 { tables.fillOwners(layout) }
        let sequence = sequence
        try tables.withRows { (rows) throws(StorageError) in
            try each(RecordRows(tables: rows, sequence: sequence))
        }
    }

    /// Reads an object into a row of a table, and its children into rows of theirs.
    private mutating func object(
        _ entry: Int, of table: Int, owner: (table: Int, row: Int)?, position: Int64, depth: Int, _ reader: KeyedReader
    ) throws(StorageError) {
        guard depth <= RecordLayout.maximumDepth else {
            throw StorageError(
                .corrupt, "The archive's objects nest deeper than the limit of \(RecordLayout.maximumDepth) levels.")
        }
        let head = try reader.head(ofEntry: entry)
        guard head.kind == 0xD0 else { throw PropertyListReader.damage("An object is none of a class", at: head.start) }
        if try !marks.enter(entry) { try marks.spend(max(head.count, tables.width(of: table))) }
        let shape = try shape(of: head, table, reader)
        let row = tables.append(templates[table].cells, to: table)
        // Values of columns add no rows, so the row stays where it is.
        let cells = tables.row(row, of: table)
        for slot in shape.slots {
            cells[slot.column] = try cell(
                reader.list.reference(head.start, head.count &+ slot.key), slot.form, reader: reader)
        }
        if let key = shape.sequence, table == 0 {
            let number = try reader.list.head(reader.list.reference(head.start, head.count + key))
            if number.kind == 0x10 { sequence = try reader.list.integer(number).bits }
        }
        if let owner { try place(row, of: table, owner: owner, position: position) }
        for (relation, key) in shape.relations {
            let value = try reader.list.head(reader.list.reference(head.start, head.count + key))
            try children(
                layout.tables[table].relations[relation], value, owner: (table, row), depth: depth, reader: reader)
        }
        marks.leave(entry)
    }

    private mutating func shape(
        of head: PropertyListReader.Head, _ table: Int, _ reader: KeyedReader
    ) throws(StorageError) -> RecordShape {
        if let known = shapes[table], reader.list.hasSameKeys(head, known.head) {
            try checkClass(of: head, known, reader)
            return known
        }
        let shape = try RecordShape(head, of: layout.tables[table], keys: keys, list: reader.list)
        try checkClass(of: head, shape, reader)
        shapes[table] = shape
        return shape
    }

    /// A record may have any class but the classes of Foundation's values.
    private mutating func checkClass(
        of head: PropertyListReader.Head, _ shape: RecordShape, _ reader: KeyedReader
    ) throws(StorageError) {
        let uid = try reader.list.head(reader.list.reference(head.start, head.count &+ shape.classKey))
        guard try marks.classKind(reader.entry(uid), reader) == .other else {
            throw PropertyListReader.damage("A value of Foundation stands where a record is expected", at: head.start)
        }
    }

    /// Sets the columns that say where in its record a row belongs.
    private mutating func place(
        _ row: Int, of table: Int, owner: (table: Int, row: Int), position: Int64
    ) throws(StorageError) {
        let target = layout.tables[table]
        let above = layout.tables[owner.table]
        let cells = tables.row(row, of: table)
        let ownerCells = tables.row(owner.row, of: owner.table)
        for (index, column) in target.positions.enumerated() {
            cells[column] = index < above.positions.count ? ownerCells[above.positions[index]] : .int(position)
        }
        guard let columns = target.nodeColumns else { return }
        let parent = above.nodeColumns.map { ownerCells[$0.node].int } ?? 0
        cells[columns.parent] = .int(parent)
        guard cells[columns.node].tag == .int else {
            // Archives of earlier versions do not say the numbers.
            lastNode += 1
            return cells[columns.node] = .int(lastNode)
        }
        let number = cells[columns.node].int
        guard number > parent else {
            throw StorageError(.corrupt, "The number \(number) of an owned object is not one that a store writes.")
        }
    }

    // MARK: Children

    private mutating func children(
        _ relation: RecordLayout.Relation, _ value: PropertyListReader.Head, owner: (table: Int, row: Int),
        depth: Int, reader: KeyedReader
    ) throws(StorageError) {
        let entry = try reader.entry(value)
        if let presence = relation.presence {
            tables.row(owner.row, of: owner.table)[presence] = .int(entry == 0 ? 0 : 1)
        }
        if entry == 0 { return }
        let head = try reader.head(ofEntry: entry)
        let isNode = layout.tables[relation.target].form != .child
        guard let list = try elements(head, reader) else {
            guard !relation.isMany || isNode else {
                throw PropertyListReader.damage("One child stands where an array is expected", at: head.start)
            }
            return try object(entry, of: relation.target, owner: owner, position: 0, depth: depth + 1, reader)
        }
        // Which properties of a recursion are arrays is not always known here.
        guard relation.isMany || isNode else {
            throw PropertyListReader.damage("An array stands where one child is expected", at: head.start)
        }
        let step = relation.isOfReferences ? ListPositions.step(ofCount: list.count) : 1
        for index in 0..<list.count {
            let uid = try reader.list.head(reader.list.reference(list.start, index))
            try object(
                reader.entry(uid), of: relation.target, owner: owner, position: Int64(index &* step), depth: depth + 1,
                reader)
        }
    }
}
