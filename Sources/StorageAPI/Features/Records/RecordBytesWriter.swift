import StorageDriver

/// Writes records in the portable binary form.
struct RecordBytesWriter {
    /// The properties of records that have the same ones in one order.
    private struct Shape {
        let model: StoredName
        let fields: [(name: StoredName, kind: UInt8, type: ColumnType?)]

        /// Compares the names at first by their storage, since records of one query share it.
        func fits(_ record: DynamicRecord) -> Bool {
            guard fields.count == record.fields.count, model == record.storedModel else { return false }
            for index in fields.indices {
                let (known, field) = (fields[index], record.fields[index])
                guard known.name == field.storedName else { return false }
                switch field.content {
                case .value(_, let type):
                    guard let known = known.type, known == type else { return false }
                case .child: guard known.kind == RecordBytes.child else { return false }
                case .children: guard known.kind == RecordBytes.children else { return false }
                }
            }
            return true
        }
    }

    private var bytes: [UInt8] = [RecordBytes.version]
    private var shapes: [Shape] = []
    /// The shapes by their models, since a model has few.
    private var places: [StoredName: [Int]] = [:]
    private var last = 0

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
        if shapes.indices.contains(last), shapes[last].fits(record) { return number(UInt64(last) + 1) }
        for place in places[record.storedModel] ?? [] where shapes[place].fits(record) {
            last = place
            return number(UInt64(place) + 1)
        }
        last = shapes.count
        places[record.storedModel, default: []].append(last)
        number(0)
        string(record.storedModel.text)
        number(UInt64(record.fields.count))
        var fields: [(name: StoredName, kind: UInt8, type: ColumnType?)] = []
        fields.reserveCapacity(record.fields.count)
        for field in record.fields {
            string(field.storedName.text)
            switch field.content {
            case .value(_, let type):
                bytes.append(RecordBytes.value)
                write(type)
                fields.append((field.storedName, RecordBytes.value, type))
            case .child:
                bytes.append(RecordBytes.child)
                fields.append((field.storedName, RecordBytes.child, nil))
            case .children:
                bytes.append(RecordBytes.children)
                fields.append((field.storedName, RecordBytes.children, nil))
            }
        }
        shapes.append(Shape(model: record.storedModel, fields: fields))
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
