package import StorageDriver

/// Writes records as keyed archives: one archive for each record, or one for a list of them.
///
/// ```text
/// encoder.begin(sequence: 7)
/// try encoder.add(rows)
/// try encoder.finish(asList: false) { file.append($0) }
/// ```
/// Keeps its memory from archive to archive. Used by one thread at a time.
package struct RecordEncoder: ~Copyable {
    let layout: RecordLayout
    var writer: ObjectWriter
    /// A stack of the keys and values of the current objects, each object's above its owner's.
    var keys = NumberList()
    var values = NumberList()
    /// For each key of the layout its string in this archive.
    private var keyStrings: NumberList
    /// For each table the next row that has no owner yet.
    var next: [Int]
    var nodes = NodeIndex()
    var scratch = OutputBuffer()
    private var records = NumberList()
    private var sequence = PropertyListWriter.none

    package init(_ layout: RecordLayout) {
        self.layout = layout
        writer = ObjectWriter(classCount: layout.tables.count)
        keyStrings = NumberList(repeating: PropertyListWriter.none, count: layout.keys.count)
        next = Array(repeating: 0, count: layout.tables.count)
    }

    /// The approximate size of the archive if it ended here, in bytes.
    var size: Int { writer.list.size }

    /// Bytes of memory that archives have needed so far.
    var memory: Int { writer.list.memory + scratch.capacity }

    /// The number of records added.
    var count: Int { records.count }

    /// Begins an archive whose records all carry this commit number.
    package mutating func begin(sequence number: UInt64?) {
        writer.begin()
        records.removeAll()
        keyStrings.fill(with: PropertyListWriter.none)
        sequence =
            number.map { number in
                Int64(exactly: number).map { writer.list.integer($0) } ?? writer.list.unsigned(number)
            } ?? PropertyListWriter.none
    }

    /// Adds a record. Its cells are not needed afterwards.
    ///
    /// - Throws: `corrupt` if a row has no owner; `limitExceeded` if children nest too deep; `invalidValue` for
    ///   text that is no UTF-8. The archive is then of no further use.
    package mutating func add(_ record: RecordRows) throws(StorageError) {
        guard record.tables.count == layout.tables.count, record.tables[0].count == 1 else {
            throw StorageError(.corrupt, "A record has exactly one root row and rows of every table of its model.")
        }
        keys.removeAll()
        values.removeAll()
        if layout.tables.count > 1 { prepareChildren(record) }
        records.append(try object(of: 0, row: 0, record, depth: 0))
        if layout.tables.count > 1 { try checkOwners(record) }
    }

    /// Adds an object that has only a record's key, for a list of deleted records.
    ///
    /// - Parameter key: one cell for each key column of the root, in the order of its key.
    mutating func addKey(_ key: UnsafePointer<Cell>) throws(StorageError) {
        keys.removeAll()
        values.removeAll()
        for (place, index) in layout.keyColumns.enumerated() {
            let column = layout.root.columns[index]
            keys.append(try self.key(column.key))
            values.append(try scalar(key[place], column.form))
        }
        records.append(try endObject(of: 0, from: (0, 0)))
    }

    /// Ends the archive and calls the body with its bytes, which are valid until it returns.
    ///
    /// - Parameter asList: whether the root is an NSArray of the records; otherwise it is the only record.
    mutating func finish(
        asList: Bool, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard asList else {
            guard records.count == 1 else {
                throw StorageError(.invalidValue, "\(records.count) records need an archive of a list.")
            }
            return try body(writer.finish(root: records[0]))
        }
        values.removeAll()
        for record in records.suffix(from: 0) { values.append(writer.uid(record)) }
        try body(writer.finish(root: writer.array(values.suffix(from: 0))))
    }

    /// Ends the archive and gives a copy of its bytes.
    package mutating func finish(asList: Bool) throws(StorageError) -> [UInt8] {
        var copy: [UInt8] = []
        try finish(asList: asList) { (bytes) throws(StorageError) in copy = Array(bytes) }
        return copy
    }

    // MARK: Objects

    @inline(__always)
    mutating func key(_ index: Int) throws(StorageError) -> UInt32 {
        let known = keyStrings[index]
        if known != PropertyListWriter.none { return known }
        let string = try writer.plainString(layout.keys[index])
        keyStrings[index] = string
        return string
    }

    /// Writes a row with everything that it owns, and returns its entry.
    mutating func object(
        of table: Int, row: Int, _ record: RecordRows, depth: Int
    ) throws(StorageError) -> UInt32 {
        guard depth <= RecordLayout.maximumDepth else {
            throw StorageError(
                .limitExceeded,
                "Children nest deeper than the limit of \(RecordLayout.maximumDepth) levels of an archive.")
        }
        let start = (key: keys.count, value: values.count)
        let cells = record.tables[table].cells + row * layout.tables[table].width
        for column in layout.tables[table].columns {
            keys.append(try key(column.key))
            values.append(try scalar(cells[column.index], column.form))
        }
        if !layout.tables[table].relations.isEmpty {
            try relations(of: table, row: row, record, depth: depth)
        }
        return try endObject(of: table, from: start)
    }

    @inline(__always)
    private mutating func endObject(of table: Int, from start: (key: Int, value: Int)) throws(StorageError) -> UInt32 {
        if table == 0, sequence != PropertyListWriter.none {
            keys.append(writer.name(.sequence))
            values.append(sequence)
        }
        keys.append(writer.name(.objectClass))
        values.append(try writer.classUID(table, name: layout.tables[table].className))
        let object = writer.list.dictionary(
            keys: keys.suffix(from: start.key), values: values.suffix(from: start.value))
        keys.removeSuffix(from: start.key)
        values.removeSuffix(from: start.value)
        return writer.add(object)
    }
}

extension RecordEncoder {
    /// Writes a cell as the value of a key: numbers directly, everything else as a UID.
    ///
    /// The cell's tag decides, and the column's type only between representations that decode to the same cell. So a
    /// cell that does not fit its column is preserved, and reading it is an error.
    @inline(__always)
    mutating func scalar(_ cell: Cell, _ form: ScalarForm) throws(StorageError) -> UInt32 {
        switch cell.tag {
        case .int:
            if form.leaf == .bool, form.arrays == 0, cell.bits <= 1 { return writer.list.boolean(cell.bits == 1) }
            return writer.list.integer(cell.int)
        case .unsigned: return writer.list.unsigned(cell.bits)
        case .double: return double(cell.double, form)
        case .text: return writer.uid(try text(cell, form))
        case .blob: return writer.uid(blob(cell, form))
        default: return writer.null
        }
    }

    /// Writes a cell as an element of an array, and returns its UID.
    @inline(__always)
    private mutating func element(_ cell: Cell, _ form: ScalarForm) throws(StorageError) -> UInt32 {
        switch cell.tag {
        case .text: return writer.uid(try text(cell, form))
        case .blob: return writer.uid(blob(cell, form))
        case .null: return writer.classedNull()
        case .double where form.leaf == .date: return double(cell.double, form)
        default: return writer.uid(writer.add(try scalar(cell, form)))
        }
    }

    private mutating func double(_ value: Double, _ form: ScalarForm) -> UInt32 {
        if form.leaf == .date, form.arrays == 0 {
            return writer.uid(writer.object(.date, .time, value: writer.list.real(value)))
        }
        let narrow = Float(value)
        if form.leaf == .float, Double(narrow).bitPattern == value.bitPattern { return writer.list.real(narrow) }
        return writer.list.real(value)
    }

    @inline(__always)
    private mutating func text(_ cell: Cell, _ form: ScalarForm) throws(StorageError) -> UInt32 {
        if form.arrays > 0 { return try array(cell, form) }
        let entry = try writer.text(cell.bytes)
        return form.leaf == .url ? writer.url(entry) : entry
    }

    @inline(__always)
    private mutating func blob(_ cell: Cell, _ form: ScalarForm) -> UInt32 {
        let data = writer.list.data(cell.bytes)
        guard form.leaf == .uuid, form.arrays == 0, cell.length == 16 else { return writer.add(data) }
        return writer.object(.uuid, .uuid, value: data)
    }

    /// The most bytes of an array's text that becomes objects; a longer one stays a string. Objects may need 12 times
    /// as many bytes, and an entry of a store can have few such arrays.
    private static let maximumArrayLength: UInt32 = 1 << 20

    /// Writes a stored array as an NSArray. Text that JSONWriter has not written stays a string, and so comes back as
    /// it was.
    private mutating func array(_ cell: Cell, _ form: ScalarForm) throws(StorageError) -> UInt32 {
        guard cell.length <= Self.maximumArrayLength else { return try writer.text(cell.bytes) }
        var json = StoredArrayScanner(cell.bytes)
        let start = values.count
        guard json.take(UInt8(ascii: "[")) else { return try writer.text(cell.bytes) }
        var isExact = json.take(UInt8(ascii: "]"))
        while !isExact, let next = json.element(form.element, &scratch) {
            values.append(try element(next, form.element))
            if json.take(UInt8(ascii: "]")) {
                isExact = true
            } else if !json.take(UInt8(ascii: ",")) {
                break
            }
        }
        defer { values.removeSuffix(from: start) }
        return isExact && json.isAtEnd ? writer.array(values.suffix(from: start)) : try writer.text(cell.bytes)
    }
}

extension ObjectWriter {
    /// The UID of the null in an array, where nil cannot be.
    mutating func classedNull() -> UInt32 {
        uid(add(list.dictionary(keys: [name(.objectClass)], values: [classUID(.null)])))
    }
}
