internal import StorageDriver

extension RecordEncoder {
    /// Writes a cell as the value of a key: numbers in place, everything else as a UID.
    ///
    /// The cell's tag decides, and the column's type only between forms that read back to the same cell; so a cell that
    /// does not fit its column comes back as it was, and is an error of whoever reads it.
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
            return writer.uid(writer.object(.date, .time, writer.list.real(value)))
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
        return writer.object(.uuid, .uuid, data)
    }

    /// Bytes of an array's text above which it stays a string. Taken apart it may need 12 times as many, and an entry of
    /// a store has room for few such.
    private static let longestArray: UInt32 = 1 << 20

    /// Writes a stored array as an NSArray. Text that JSONWriter has not written stays a string, and so comes back as
    /// it was.
    private mutating func array(_ cell: Cell, _ form: ScalarForm) throws(StorageError) -> UInt32 {
        guard cell.length <= Self.longestArray else { return try writer.text(cell.bytes) }
        var json = JSONScanner(cell.bytes)
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
    /// The UID of the null that may stand in an array, where nil cannot.
    mutating func classedNull() -> UInt32 {
        uid(add(list.dictionary(keys: [name(.objectClass)], values: [classUID(.null)])))
    }
}
