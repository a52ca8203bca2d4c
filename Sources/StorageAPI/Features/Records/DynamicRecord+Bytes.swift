public import StorageDriver

extension DynamicRecord {
    /// The record, with everything that it owns, in a portable binary form, which <doc:RecordBytes> describes.
    ///
    /// Made for programs: to send records to other stores and to keep them. Equal records have equal bytes in one version of the
    /// library; other versions may write others. Compare records instead. Costs a small part of writing JSON.
    public var bytes: [UInt8] { CollectionOfOne(self).recordBytes }

    /// The record of a portable binary form, which may come from any program.
    ///
    /// It is read as it was written, whatever models a store has; a store judges it when it is saved.
    ///
    /// - Throws: `corrupt` for bytes that are cut, changed or no record; `schemaNewer` for a form that a newer version of the
    ///   library has written; `invalidValue` for the bytes of several records or none.
    public init(bytes: [UInt8]) throws(StorageError) {
        let records = try [DynamicRecord](recordBytes: bytes)
        guard records.count == 1, let record = records.first else {
            throw StorageError(
                .invalidValue, "The bytes hold \(records.count) records; read them by [DynamicRecord](recordBytes:).")
        }
        self = record
    }
}

extension Collection where Element == DynamicRecord {
    /// Records of any models in a portable binary form. The names of properties are written once for all records with the same
    /// ones.
    public var recordBytes: [UInt8] {
        var writer = RecordBytesWriter(room: count)
        writer.write(self)
        return writer.finish()
    }
}

extension DynamicRecord {
    /// The number of records in a portable binary form, without making them. The bytes are checked by their check sum alone.
    ///
    /// - Throws: as `init(bytes:)`.
    public static func count(inRecordBytes bytes: [UInt8]) throws(StorageError) -> Int {
        try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
            var reader = try RecordBytesReader(bytes)
            return try reader.count()
        }
    }
}

extension Array where Element == DynamicRecord {
    /// The records of a portable binary form.
    ///
    /// - Throws: as `DynamicRecord(bytes:)`.
    public init(recordBytes bytes: [UInt8]) throws(StorageError) {
        self = try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
            var reader = try RecordBytesReader(bytes)
            return try reader.records()
        }
    }
}

/// The parts of the binary form that its writer and its reader share.
enum RecordBytes {
    static let version: UInt8 = 1
    /// The number of bytes of the check at the end.
    static let checkCount = 4
    /// The greatest depth of owned records that is read: far more than a model can have, and little for a stack.
    static let maximumDepth = 200
    /// The greatest number of elements for which room is made before they are read: a number may be a lie.
    static let maximumRoom = 256
    /// The greatest depth of arrays in arrays.
    static let maximumArrays = 128

    /// The kinds of a field.
    static let value: UInt8 = 0
    static let child: UInt8 = 1
    static let children: UInt8 = 2

    /// The number of an array's type, which its element's follows.
    static let array: UInt8 = 21

    /// The types by their numbers; nil for a number that none has.
    static let types: [ColumnType?] = {
        var types = [ColumnType?](repeating: nil, count: 32)
        for type in ColumnType.scalars { types[Int(type.byte)] = type }
        return types
    }()

    /// CRC-32 as zlib computes it, eight bytes at a time ("slicing-by-8", Kounavis and Berry 2005).
    static func check(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        checks.withUnsafeBufferPointer { checks in
            var state = UInt32.max
            var rest = bytes[...]
            while rest.count >= 8 {
                let start = rest.startIndex
                var next: UInt32 = 0
                for place in 0..<8 {
                    var byte = UInt32(bytes[start + place])
                    if place < 4 { byte ^= state >> (8 * UInt32(place)) & 0xFF }
                    // A byte is the index in one of eight tables of 256 numbers.
                    next ^= checks[(7 - place) * 256 + Int(byte)]
                }
                state = next
                rest = rest.dropFirst(8)
            }
            for byte in rest { state = checks[Int((state ^ UInt32(byte)) & 0xFF)] ^ state >> 8 }
            return ~state
        }
    }

    /// The check's part of each byte, for each number of bytes that follow, 0 to 7.
    private static let checks: [UInt32] = {
        var tables: [UInt32] = (0..<256).map { index in
            (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
        }
        for place in 256..<8 * 256 {
            let before = tables[place - 256]
            tables.append(tables[Int(before & 0xFF)] ^ before >> 8)
        }
        return tables
    }()
}

extension ColumnType {
    /// The type's number in the binary form.
    var byte: UInt8 {
        switch self {
        case .bool: 1
        case .int8: 2
        case .int16: 3
        case .int32: 4
        case .int64: 5
        case .uint8: 6
        case .uint16: 7
        case .uint32: 8
        case .uint64: 9
        case .float: 10
        case .double: 11
        case .string: 12
        case .data: 13
        case .date: 14
        case .uuid: 15
        case .url: 16
        case .decimal: 17
        case .duration: 18
        case .vector: 19
        case .embedded: 20
        case .array: RecordBytes.array
        }
    }
}
