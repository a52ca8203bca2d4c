internal import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension OutputBuffer {
    /// Appends an element of a stored array, byte for byte as `JSONWriter` writes it.
    @inline(__always)
    mutating func appendJSON(_ cell: Cell, _ form: ScalarForm) {
        switch cell.tag {
        case .text: if form.arrays > 0 { append(cell.bytes) } else { appendString(cell.bytes) }
        case .int:
            switch form.leaf {
            case .bool where cell.bits <= 1: append(cell.bits == 1 ? "true" : "false")
            case .double, .float, .date: append(JSONFormat.number(Double(cell.int)))
            default: append(String(cell.int))
            }
        case .unsigned: append(String(cell.bits))
        case .double: append(JSONFormat.number(cell.double))
        case .blob: appendBytes(cell, form)
        default: append("null")
        }
    }

    private mutating func appendBytes(_ cell: Cell, _ form: ScalarForm) {
        append(UInt8(ascii: "\""))
        if form.leaf == .uuid, cell.length == 16 {
            append(UUID(uuid: cell.bytes.loadUnaligned(as: uuid_t.self)).uuidString)
        } else {
            append(Data(cell.bytes).base64EncodedString())
        }
        append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private mutating func appendString(_ text: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        JSONFormat.escape(text) { append($0) }
        append(UInt8(ascii: "\""))
    }
}
