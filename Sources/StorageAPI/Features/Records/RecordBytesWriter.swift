import StorageDriver

/// Writes records in the portable binary form.
struct RecordBytesWriter {
    private var bytes: [UInt8] = [RecordBytes.version]
    /// A record of each shape: records of one shape have the same properties in one order.
    private var shapes: [DynamicRecord] = []
    /// The shapes by their models, if they are many.
    private var places: [StoredName: [Int]] = [:]
    private var last = 0

    /// The number of shapes up to which they are compared one after the other.
    private static let few = 8

    /// - Parameter count: the number of records.
    init(room count: Int) { bytes.reserveCapacity(min(count, RecordBytes.maximumRoom) * 256) }

    mutating func write(_ records: some Collection<DynamicRecord>) {
        number(UInt64(records.count))
        for record in records { write(record) }
    }

    /// The bytes with their check.
    consuming func finish() -> [UInt8] {
        let check = bytes.withUnsafeBufferPointer { RecordBytes.check($0) }
        for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: check >> shift)) }
        return bytes
    }

    private mutating func write(_ record: DynamicRecord) {
        writeShape(of: record)
        for field in record.fields {
            switch field.content {
            case .value(let value, _): write(value)
            case .child(nil), .children(nil): number(0)
            case .child(let child?):
                number(1)
                write(child)
            case .children(let children?):
                number(UInt64(children.count) + 1)
                for child in children { write(child) }
            }
        }
    }

    /// Writes the number of the record's shape; of a new one 0 and its properties.
    private mutating func writeShape(of record: DynamicRecord) {
        if let known = place(ofShapeOf: record) {
            last = known
            return number(UInt64(known) + 1)
        }
        last = shapes.count
        shapes.append(record)
        if shapes.count > Self.few { addPlaces() }
        number(0)
        string(record.storedModel.text)
        number(UInt64(record.fields.count))
        for field in record.fields {
            string(field.storedName.text)
            switch field.content {
            case .value(_, let type):
                bytes.append(RecordBytes.value)
                write(type)
            case .child: bytes.append(RecordBytes.child)
            case .children: bytes.append(RecordBytes.children)
            }
        }
    }

    private func place(ofShapeOf record: DynamicRecord) -> Int? {
        if shapes.indices.contains(last), record.hasShape(of: shapes[last]) { return last }
        if shapes.count <= Self.few { return shapes.firstIndex(where: record.hasShape) }
        return places[record.storedModel]?.first { record.hasShape(of: shapes[$0]) }
    }

    private mutating func addPlaces() {
        let first = places.isEmpty ? 0 : shapes.count - 1
        for place in first..<shapes.count { places[shapes[place].storedModel, default: []].append(place) }
    }

    private mutating func write(_ type: ColumnType) {
        var type = type
        while case .array(let element) = type {
            bytes.append(RecordBytes.array)
            type = element
        }
        bytes.append(type.byte)
    }

    // MARK: Values

    private mutating func write(_ value: Value) {
        switch value {
        case .null: bytes.append(UInt8(truncatingIfNeeded: Cell.Tag.null.rawValue))
        case .int(let value):
            bytes.append(UInt8(truncatingIfNeeded: Cell.Tag.int.rawValue))
            number(UInt64(bitPattern: value << 1 ^ value >> 63))
        case .unsigned(let value):
            bytes.append(UInt8(truncatingIfNeeded: Cell.Tag.unsigned.rawValue))
            fixed(value)
        case .double(let value):
            bytes.append(UInt8(truncatingIfNeeded: Cell.Tag.double.rawValue))
            fixed(value.bitPattern)
        case .text(let text):
            bytes.append(UInt8(truncatingIfNeeded: Cell.Tag.text.rawValue))
            string(text)
        case .blob(let blob):
            bytes.append(UInt8(truncatingIfNeeded: Cell.Tag.blob.rawValue))
            number(UInt64(blob.count))
            bytes += blob
        }
    }

    private mutating func string(_ text: String) {
        number(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func fixed(_ bits: UInt64) {
        withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

extension DynamicRecord {
    /// Returns whether another record has the same properties in the same order. Records of one query share the storage of their
    /// names.
    fileprivate func hasShape(of other: DynamicRecord) -> Bool {
        guard fields.count == other.fields.count, storedModel == other.storedModel else { return false }
        for index in fields.indices {
            guard fields[index].storedName == other.fields[index].storedName else { return false }
            switch (fields[index].content, other.fields[index].content) {
            case (.value(_, let type), .value(_, let known)): guard type == known else { return false }
            case (.child, .child), (.children, .children): break
            default: return false
            }
        }
        return true
    }
}
