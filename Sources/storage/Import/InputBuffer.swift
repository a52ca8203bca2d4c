import Foundation
import StorageAPI
import StorageDriver

/// The bytes of a file as they are needed, a mebibyte at a time; grows for a record that is larger, up to a limit.
final class InputBuffer {
    /// The most bytes that one record, or line, may have: larger ones are refused before they fill the memory.
    static let recordLimit = 64 << 20
    private static let blockSize = 1 << 20

    let file: InputFile
    private let contents: any InputContents
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
    /// Where the bytes that are not consumed begin and end.
    private var start = 0
    private var end = 0
    /// How many bytes of the contents have been read.
    private var length = 0
    /// The line of the first byte that is not consumed.
    private(set) var line = 1

    init(_ file: InputFile) throws(ToolError) {
        self.file = file
        contents = try file.contents()
        // A byte order mark is no text.
        if try starts(with: [0xEF, 0xBB, 0xBF]) { consume(3) }
    }

    deinit { buffer.deallocate() }

    /// How much of the file is consumed, from 0 to 1.
    var fraction: Double {
        guard file.size > 0, length > 0 else { return 1 }
        return Double(contents.position) / Double(file.size) * Double(length - (end - start)) / Double(length)
    }

    /// The buffered bytes that are not consumed, valid until more are read.
    var available: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[start..<end]) }

    /// The first byte that is not consumed; nil at the end.
    func peek() throws(ToolError) -> UInt8? {
        if start == end, try !readMore() { return nil }
        return buffer[start]
    }

    private func starts(with bytes: [UInt8]) throws(ToolError) -> Bool {
        while end - start < bytes.count { if try !readMore() { return false } }
        return available.starts(with: bytes)
    }

    /// Skips buffered bytes.
    func consume(_ count: Int) {
        var newlines = 0
        for byte in buffer[start..<start + count] { newlines &+= byte == 0x0A ? 1 : 0 }
        line += newlines
        start += count
    }

    /// Passes over white space.
    func skipSpace() throws(ToolError) {
        while let byte = try peek(), byte.isJSONSpace { consume(1) }
    }

    /// How many bytes there are up to the end that the scanner finds; nil if the file ends before.
    ///
    /// - Throws: if that is more than ``recordLimit``.
    func length(_ scanner: inout some FrameScanner) throws(ToolError) -> Int? {
        var looked = 0
        while true {
            let fresh = UnsafeRawBufferPointer(rebasing: buffer[start + looked..<end])
            if let found = scanner.end(in: fresh) { return looked + found }
            looked = end - start
            guard looked < Self.recordLimit else {
                throw ToolError(
                    "\(file.name), line \(line): a record of more than \(Self.recordLimit >> 20) MiB is not read; "
                        + "cut the file into smaller records.")
            }
            guard try readMore() else { return nil }
        }
    }

    /// Reads more bytes into the buffer; returns false at the end of the file.
    private func readMore() throws(ToolError) -> Bool {
        if start > 0 {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
            end -= start
            start = 0
        }
        if end == buffer.count { grow() }
        let count = try contents.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
        end += count
        length += count
        return count > 0
    }

    private func grow() {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
        buffer.deallocate()
        buffer = larger
    }
}

/// Finds where something ends in bytes that come in pieces.
protocol FrameScanner {
    /// How many bytes of the next piece belong to it; nil if it continues.
    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int?
}

/// The end of a line, its newline included.
struct LineScanner: FrameScanner {
    func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, 0x0A, bytes.count) else { return nil }
        return UnsafeRawPointer(found) - start + 1
    }
}

/// The end of a record of comma-separated values: a newline that no quotes enclose.
struct CSVScanner: FrameScanner {
    private var isQuoted = false

    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == 0x0A, !isQuoted { return index + 1 }
        }
        return nil
    }
}

/// The end of a JSON value, knowing no more of it than strings and brackets.
struct JSONValueScanner: FrameScanner {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isWord = false

    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        for index in bytes.indices {
            let byte = bytes[index]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return index + 1 }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // A number or a word ends before the bracket that closes its list or object.
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ","): if depth == 0 { return index }
            default:
                if depth > 0 { continue }
                if byte.isJSONSpace, isWord { return index }
                isWord = true
            }
        }
        return nil
    }
}
