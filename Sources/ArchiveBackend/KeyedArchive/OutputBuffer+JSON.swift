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
            case .double, .float, .date: appendNumber(Double(cell.int))
            default: append(String(cell.int))
            }
        case .unsigned: append(String(cell.bits))
        case .double: appendNumber(cell.double)
        case .blob: appendBytes(cell, form)
        default: append("null")
        }
    }

    private mutating func appendNumber(_ number: Double) {
        if number.isFinite {
            append(number == 0 ? "0.0" : number.description)
        } else {
            append(number.isNaN ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\"")
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
        var start = 0
        for index in 0..<text.count {
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
            appendEscape(byte)
            start = index &+ 1
        }
        append(UnsafeRawBufferPointer(rebasing: text[start...]))
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case 0..<0x20:
            append(byte < 0x10 ? "\\u000" : "\\u00")
            append(String(byte, radix: 16))
        default:
            append(UInt8(ascii: "\\"))
            append(byte)
        }
    }
}
