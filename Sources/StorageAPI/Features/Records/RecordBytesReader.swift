import StorageDriver

/// Reads records of the portable binary form, which may come from any program and be damaged.
struct RecordBytesReader {
    private struct Shape {
        let model: StoredName
        let fields: [(name: StoredName, kind: UInt8, type: ColumnType)]
    }

    /// The bytes without their check. Valid while the closure runs to which the caller's array has given them.
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 1
    private var shapes: [Shape] = []

    /// - Throws: `corrupt` if the check does not fit the bytes; `schemaNewer` for another version.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(StorageError) {
        guard let version = bytes.first, bytes.count > RecordBytes.checkCount else { throw Self.damaged }
        guard version <= RecordBytes.version else {
            throw StorageError(
                .schemaNewer,
                "The bytes of records have version \(version), and this library reads up to \(RecordBytes.version); "
                    + "update it.")
        }
        let end = bytes.count - RecordBytes.checkCount
        var check: UInt32 = 0
        for index in 0..<RecordBytes.checkCount { check |= UInt32(bytes[end + index]) << (8 * UInt32(index)) }
        self.bytes = UnsafeBufferPointer(rebasing: bytes[..<end])
        guard version == RecordBytes.version, check == RecordBytes.check(self.bytes) else { throw Self.damaged }
    }

    /// All records.
    mutating func records() throws(StorageError) -> [DynamicRecord] {
        let count = try count()
        var records: [DynamicRecord] = []
        records.reserveCapacity(min(count, RecordBytes.maximumRoom))
        for _ in 0..<count { records.append(try record(depth: 0)) }
        guard position == bytes.count else { throw Self.damaged }
        return records
    }

    private static var damaged: StorageError {
        StorageError(.corrupt, "The bytes are no records, or they are cut or changed; get them again.")
    }

    private mutating func record(depth: Int) throws(StorageError) -> DynamicRecord {
        guard depth < RecordBytes.maximumDepth else { throw Self.damaged }
        let shape = try shape()
        var record = DynamicRecord(model: shape.model.text, fields: [])
        record.fields.reserveCapacity(min(shape.fields.count, RecordBytes.maximumRoom))
        for field in shape.fields {
            let content: DynamicRecord.Content
            switch field.kind {
            case RecordBytes.value: content = .value(try value(), field.type)
            case RecordBytes.child:
                switch try number() {
                case 0: content = .child(nil)
                case 1: content = .child(try self.record(depth: depth + 1))
                default: throw Self.damaged
                }
            default:
                let number = try number()
                // Each record takes a byte.
                guard number <= UInt64(bytes.count - position) + 1 else { throw Self.damaged }
                if number == 0 {
                    content = .children(nil)
                    break
                }
                var children: [DynamicRecord] = []
                children.reserveCapacity(min(Int(number - 1), RecordBytes.maximumRoom))
                for _ in 1..<number { children.append(try self.record(depth: depth + 1)) }
                content = .children(children)
            }
            record.fields.append(DynamicRecord.Field(name: field.name.text, content: content))
        }
        return record
    }

    private mutating func shape() throws(StorageError) -> Shape {
        let number = try number()
        if number > 0 {
            guard number <= UInt64(shapes.count) else { throw Self.damaged }
            return shapes[Int(number - 1)]
        }
        let model = StoredName(try string())
        let count = try count()
        var fields: [(name: StoredName, kind: UInt8, type: ColumnType)] = []
        fields.reserveCapacity(min(count, RecordBytes.maximumRoom))
        for _ in 0..<count {
            let name = StoredName(try string())
            let kind = try byte()
            guard kind <= RecordBytes.children else { throw Self.damaged }
            fields.append((name, kind, kind == RecordBytes.value ? try type() : .embedded))
        }
        let shape = Shape(model: model, fields: fields)
        shapes.append(shape)
        return shape
    }

    private mutating func type() throws(StorageError) -> ColumnType {
        var arrays = 0
        var number = try byte()
        while number == RecordBytes.array, arrays < RecordBytes.maximumArrays {
            arrays += 1
            number = try byte()
        }
        guard RecordBytes.types.indices.contains(Int(number)), let scalar = RecordBytes.types[Int(number)] else {
            throw Self.damaged
        }
        var type = scalar
        for _ in 0..<arrays { type = .array(of: type) }
        return type
    }

    // MARK: Values

    private mutating func value() throws(StorageError) -> Value {
        switch Cell.Tag(rawValue: UInt32(try byte())) {
        case .null: return .null
        case .int:
            let bits = try number()
            return .int(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
        case .double: return .double(Double(bitPattern: try fixed()))
        case .unsigned: return Value(unsigned: try fixed())
        case .text: return .text(try string())
        case .blob: return .blob(Array(try take()))
        default: throw Self.damaged
        }
    }

    private mutating func byte() throws(StorageError) -> UInt8 {
        guard position < bytes.count else { throw Self.damaged }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func number() throws(StorageError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 127) << shift
            if byte < 128 { return value }
        }
        throw Self.damaged
    }

    /// A number of items that take at least a byte each; at first the number of records.
    mutating func count() throws(StorageError) -> Int {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else { throw Self.damaged }
        return Int(count)
    }

    private mutating func take() throws(StorageError) -> UnsafeBufferPointer<UInt8> {
        let count = try count()
        defer { position += count }
        return UnsafeBufferPointer(rebasing: bytes[position..<position + count])
    }

    private mutating func string() throws(StorageError) -> String {
        guard let text = String(validating: try take(), as: UTF8.self) else { throw Self.damaged }
        return text
    }

    private mutating func fixed() throws(StorageError) -> UInt64 {
        guard bytes.count - position >= 8 else { throw Self.damaged }
        var bits: UInt64 = 0
        for index in 0..<8 { bits |= UInt64(bytes[position + index]) << (8 * UInt64(index)) }
        position += 8
        return bits
    }
}
