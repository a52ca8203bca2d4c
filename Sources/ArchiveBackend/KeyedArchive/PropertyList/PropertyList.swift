internal import StorageDriver

/// The objects of a property list side by side, containers by the numbers of their elements. Takes no more space than
/// the list, regardless of the references between its objects.
struct PropertyList {
    enum Object {
        case null
        case bool(Bool)
        case int(Int64)
        case unsigned(UInt64)
        case real(Double)
        case date(Double)
        case string(String)
        case data([UInt8])
        case uid(UInt64)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private(set) var objects: [Object] = []
    private(set) var top = 0

    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        let reader = try PropertyListReader(bytes)
        top = reader.top
        objects.reserveCapacity(reader.count)
        // Objects that lie over each other could make a small file many large ones.
        var left = reader.bytes.count
        for index in 0..<reader.count {
            let head = try reader.head(UInt64(index))
            let unit = head.kind == 0xD0 ? reader.referenceWidth * 2 : head.kind == 0xA0 ? reader.referenceWidth : 1
            left -= head.count * unit
            guard left >= 0 else { throw PropertyListReader.damage("Objects lie over each other", at: head.start) }
            objects.append(try Self.object(head, reader))
        }
    }

    private static func object(
        _ head: PropertyListReader.Head, _ reader: PropertyListReader
    ) throws(StorageError) -> Object {
        switch head.kind {
        case 0x00 where head.marker == 0x00: return .null
        case 0x00 where head.marker == 0x08 || head.marker == 0x09: return .bool(head.marker == 0x09)
        case 0x10:
            let cell = try reader.integer(head)
            return cell.tag == .unsigned ? .unsigned(cell.bits) : .int(cell.int)
        case 0x20: return .real(try reader.real(head))
        case 0x30: return .date(Double(bitPattern: reader.uid(head)))
        case 0x40: return .data(Array(reader.content(head)))
        case 0x50:
            guard ObjectWriter.isASCII(reader.content(head)) else {
                throw PropertyListReader.damage("An ASCII string has a byte above 0x7F", at: head.start)
            }
            return .string(String(decoding: reader.content(head), as: UTF8.self))
        case 0x60: return .string(String(decoding: try reader.utf8(head), as: UTF8.self))
        case 0x80: return .uid(reader.uid(head))
        case 0xA0: return .array(try references(reader, start: head.start, range: 0..<head.count))
        case 0xD0:
            return .dictionary(
                keys: try references(reader, start: head.start, range: 0..<head.count),
                values: try references(reader, start: head.start, range: head.count..<head.count * 2))
        default: throw PropertyListReader.damage("An object of an unknown kind", at: head.start - 1)
        }
    }

    private static func references(
        _ reader: PropertyListReader, start: Int, range: Range<Int>
    ) throws(StorageError) -> [Int] {
        var references: [Int] = []
        references.reserveCapacity(range.count)
        for index in range {
            let reference = reader.reference(start, index)
            guard reference < UInt64(reader.count) else {
                throw PropertyListReader.damage("A container refers to no object", at: start)
            }
            references.append(Int(reference))
        }
        return references
    }
}
