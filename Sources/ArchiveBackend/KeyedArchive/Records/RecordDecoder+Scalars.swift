internal import StorageDriver

extension RecordDecoder {
    /// The cell for the value of a key, or for an element of an array.
    @inline(__always)
    mutating func cell(
        _ object: UInt64, _ form: ScalarForm, reader: KeyedReader
    ) throws(StorageError) -> Cell {
        let head = try reader.list.head(object)
        if head.kind == 0x80 {
            let entry = try reader.entry(head)
            return entry == 0 ? .null : try cell(ofEntry: entry, form, reader)
        }
        return try plain(head, reader)
    }

    @inline(__always)
    private mutating func cell(
        ofEntry entry: Int, _ form: ScalarForm, _ reader: KeyedReader
    ) throws(StorageError) -> Cell {
        let head = try reader.head(ofEntry: entry)
        switch head.kind {
        case 0x60: return try wideText(entry, head, reader: reader)
        case 0xD0: return try wrapped(entry, head, form: form, reader: reader)
        default: return try plain(head, reader)
        }
    }

    /// A value that is stored directly.
    @inline(__always)
    private func plain(_ head: PropertyListReader.Head, _ reader: KeyedReader) throws(StorageError) -> Cell {
        switch head.kind {
        case 0x10: return try reader.list.integer(head)
        case 0x20: return .double(try reader.list.real(head))
        case 0x50:
            let text = reader.list.content(head)
            guard ObjectWriter.isASCII(text) else {
                throw PropertyListReader.damage("An ASCII string has a byte above 0x7F", at: head.start)
            }
            return .bytes(text, .text)
        case 0x40: return .bytes(reader.list.content(head), .blob)
        case 0x00 where head.marker == 0x08 || head.marker == 0x09: return .int(head.marker == 0x09 ? 1 : 0)
        default: throw PropertyListReader.damage("A value of an unexpected kind", at: head.start)
        }
    }

    private mutating func wideText(
        _ entry: Int, _ head: PropertyListReader.Head, reader: KeyedReader
    ) throws(StorageError) -> Cell {
        var form = ScalarForm(.string)
        form.arrays = 0
        if let known = marks.value(entry, form) { return known }
        let cell = Cell.bytes(try reader.list.utf8(head).withUnsafeBytes { made.copy($0) }, .text)
        marks.set(cell, of: entry, form)
        return cell
    }

    // MARK: Wrapped values

    /// A value that an object of one of Foundation's classes holds.
    private mutating func wrapped(
        _ entry: Int, _ head: PropertyListReader.Head, form: ScalarForm, reader: KeyedReader
    ) throws(StorageError) -> Cell {
        if form.arrays > 0, let known = marks.value(entry, form) { return known }
        if form.arrays > 0, let list = try elements(head, reader) {
            return try array(entry, list, form: form, reader: reader)
        }
        switch try classKind(of: head, reader) {
        case .string: return try content("NS.string", of: head, tag: .text, reader: reader)
        case .data: return try content("NS.data", of: head, tag: .blob, reader: reader)
        case .uuid: return try content("NS.uuidbytes", of: head, tag: .blob, reader: reader)
        case .date: return try content("NS.time", of: head, tag: .double, reader: reader)
        case .url: return try url(head, reader)
        case .null: return .null
        default: throw PropertyListReader.damage("An object of a class that no property here can hold", at: head.start)
        }
    }

    private mutating func classKind(
        of head: PropertyListReader.Head, _ reader: KeyedReader
    ) throws(StorageError) -> KeyedReader.ClassKind {
        guard head.count <= 8, let value = try reader.list.value(of: "$class", in: head) else {
            throw PropertyListReader.damage("An object has no class", at: head.start)
        }
        return try marks.classKind(reader.entry(try reader.list.head(value)), reader)
    }

    /// The value of a key, stored directly or by a UID, which must be of one kind.
    private mutating func content(
        _ key: StaticString, of head: PropertyListReader.Head, tag: Cell.Tag, reader: KeyedReader
    ) throws(StorageError) -> Cell {
        guard let value = try reader.list.value(of: key, in: head) else {
            throw PropertyListReader.damage("An object has no \(key)", at: head.start)
        }
        var inner = try reader.list.head(value)
        if inner.kind == 0x80 { inner = try reader.head(ofEntry: reader.entry(inner)) }
        let cell =
            inner.kind == 0x60
            ? Cell.bytes(try reader.list.utf8(inner).withUnsafeBytes { made.copy($0) }, .text)
            : try plain(inner, reader)
        try marks.spend(Int(cell.length))
        guard cell.tag == tag else {
            throw PropertyListReader.damage("The \(key) of an object is of an unexpected kind", at: inner.start)
        }
        return cell
    }

    /// A URL is kept as its text. A URL that is relative to another cannot be kept, because it has no such text.
    private mutating func url(
        _ head: PropertyListReader.Head, _ reader: KeyedReader
    ) throws(StorageError) -> Cell {
        if let base = try reader.list.value(of: "NS.base", in: head) {
            guard try reader.entry(try reader.list.head(base)) == 0 else {
                throw PropertyListReader.damage("A URL that is relative to another cannot be kept", at: head.start)
            }
        }
        return try content("NS.relative", of: head, tag: .text, reader: reader)
    }

    // MARK: Arrays

    /// The positions of the elements of an array; nil if the object is not an array.
    mutating func elements(
        _ head: PropertyListReader.Head, _ reader: KeyedReader
    ) throws(StorageError) -> PropertyListReader.Head? {
        guard head.kind == 0xD0, head.count <= 4, let shape = try arrayShape(of: head, reader) else { return nil }
        let uid = try reader.list.head(reader.list.reference(head.start, head.count &+ shape.classKey))
        guard try marks.classKind(reader.entry(uid), reader) == .array else { return nil }
        let value = reader.list.reference(head.start, head.count &+ shape.objectsKey)
        let list = try reader.list.head(value)
        guard list.kind == 0xA0 else { throw PropertyListReader.damage("An array's elements are none", at: list.start) }
        try marks.spend(list.count)
        return list
    }

    /// The keys of an object's class and elements; nil if it has no elements.
    private mutating func arrayShape(
        of head: PropertyListReader.Head, _ reader: KeyedReader
    ) throws(StorageError) -> ArrayShape? {
        if let known = arrayShape, reader.list.hasSameKeys(head, known.head) { return known }
        guard let objects = try reader.list.place(of: "NS.objects", in: head),
            let objectClass = try reader.list.place(of: "$class", in: head)
        else { return nil }
        let shape = ArrayShape(head: head, classKey: objectClass, objectsKey: objects)
        arrayShape = shape
        return shape
    }

    /// The JSON text of an array, as `JSONWriter` writes it.
    private mutating func array(
        _ entry: Int, _ list: PropertyListReader.Head, form: ScalarForm, reader: KeyedReader
    ) throws(StorageError) -> Cell {
        let start = json.count
        json.append(UInt8(ascii: "["))
        for index in 0..<list.count {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            let element = try cell(reader.list.reference(list.start, index), form.element, reader: reader)
            json.appendJSON(element, form.element)
            try checkSize(reader)
        }
        json.append(UInt8(ascii: "]"))
        let text = UnsafeRawBufferPointer(rebasing: json.bytes[start...])
        let cell = Cell.bytes(made.copy(text), .text)
        json.removeLast(text.count)
        marks.set(cell, of: entry, form)
        return cell
    }

    /// No honest archive makes more text: long strings are not shared, and an escaped character takes six for one.
    private func checkSize(_ reader: KeyedReader) throws(StorageError) {
        if json.count + made.size > reader.list.bytes.count * 400 + 65536 {
            throw StorageError(.corrupt, "The archive's arrays repeat their elements beyond all measure.")
        }
    }
}

/// An array's keys and their positions.
struct ArrayShape {
    let head: PropertyListReader.Head
    let classKey: Int
    let objectsKey: Int
}
