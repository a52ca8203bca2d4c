import StorageAPI
import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// An input's bytes from the first on, decompressed if it is compressed.
package protocol InputContents: AnyObject {
    /// The name for messages.
    var name: String { get }
    /// The number of bytes of the input as it is stored.
    var size: Int { get }
    /// The number of these that have been read.
    var position: Int { get }
    /// Reads at most as many bytes as fit; 0 at the end.
    ///
    /// - Throws: if the input cannot be read, or is damaged.
    func read(into bytes: UnsafeMutableRawBufferPointer) throws -> Int
}

/// The reason why the ends of records cannot be found, so that nothing after it can be read.
package struct InputProblem: Error {
    package let message: String
    /// True if a limit is the reason.
    package let isLimit: Bool

    package init(_ message: String, isLimit: Bool = false) { (self.message, self.isLimit) = (message, isLimit) }
}

/// The bytes of a file as they are needed, a mebibyte at a time; grows for a record that is larger, up to a limit.
package final class InputBuffer {
    /// The most bytes that one record, or line, may have: larger ones are refused before they fill the memory.
    package static let recordLimit = 64 << 20
    private static let blockSize = 1 << 20

    private let contents: any InputContents
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
    /// The range of the bytes that are not consumed.
    private var start = 0
    private var end = 0
    /// The number of bytes of the contents that have been read.
    private var length = 0
    /// The line of the first byte that is not consumed.
    package private(set) var line = 1

    package init(_ contents: any InputContents) throws {
        self.contents = contents
        // A byte order mark is no text.
        if try starts(with: [0xEF, 0xBB, 0xBF]) { consume(3) }
    }

    deinit { buffer.deallocate() }

    /// The input's name for messages.
    package var name: String { contents.name }

    /// The consumed part of the file, from 0 to 1.
    package var fraction: Double {
        guard contents.size > 0, length > 0 else { return 1 }
        return Double(contents.position) / Double(contents.size) * Double(length - (end - start)) / Double(length)
    }

    /// The buffered bytes that are not consumed, valid until more are read.
    package var available: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[start..<end]) }

    /// The first byte that is not consumed; nil at the end.
    package func peek() throws -> UInt8? {
        if start == end, try !readMore() { return nil }
        return buffer[start]
    }

    private func starts(with bytes: [UInt8]) throws -> Bool {
        while end - start < bytes.count { if try !readMore() { return false } }
        return available.starts(with: bytes)
    }

    /// Skips buffered bytes.
    package func consume(_ count: Int) {
        // Not a slice, whose every index is checked.
        line += Self.newlines(in: UnsafeRawBufferPointer(rebasing: buffer[start..<start + count]))
        start += count
    }

    /// The number of line feeds, eight bytes at a time.
    private static func newlines(in bytes: UnsafeRawBufferPointer) -> Int {
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        var (index, count) = (0, 0)
        while index &+ 8 <= bytes.count {
            let others = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ 0x0A0A_0A0A_0A0A_0A0A
            // The highest bit of each byte that is no line feed: the sum of its lower bits carries into it, or it is set already.
            count &+= 8 &- ((((others & low) &+ low) | others) & ~low).nonzeroBitCount
            index &+= 8
        }
        while index < bytes.count {
            count &+= bytes[index] == 0x0A ? 1 : 0
            index &+= 1
        }
        return count
    }

    /// Skips input up to the end that the scanner finds, however long it is.
    package func pass(_ scanner: inout some FrameScanner) throws {
        while try peek() != nil {
            let bytes = available
            guard let end = scanner.end(in: bytes) else {
                consume(bytes.count)
                continue
            }
            return consume(end)
        }
    }

    /// Passes over white space.
    package func skipSpace() throws {
        while let byte = try peek(), byte.isJSONSpace { consume(1) }
    }

    /// Returns the number of bytes up to the end that the scanner finds; nil if the file ends before.
    ///
    /// - Throws: if that is more than `recordLimit`.
    package func length(_ scanner: inout some FrameScanner) throws -> Int? {
        var looked = 0
        while true {
            let fresh = UnsafeRawBufferPointer(rebasing: buffer[start + looked..<end])
            if let found = scanner.end(in: fresh) { return looked + found }
            looked = end - start
            guard looked < Self.recordLimit else {
                throw InputProblem(
                    "\(name), line \(line): a record of more than \(Self.recordLimit >> 20) MiB is not read; "
                        + "cut the file into smaller records.", isLimit: true)
            }
            guard try readMore() else { return nil }
        }
    }

    /// Reads more bytes into the buffer; returns false at the end of the file.
    private func readMore() throws -> Bool {
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
package protocol FrameScanner {
    /// Returns the number of bytes of the next piece that belong to it; nil if it continues.
    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int?
}

/// The end of a line, its newline included.
package struct LineScanner: FrameScanner {
    package init() {}

    package func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, 0x0A, bytes.count) else { return nil }
        return UnsafeRawPointer(found) - start + 1
    }
}

/// The end of a JSON value, knowing no more of it than strings and brackets.
package struct JSONValueScanner: FrameScanner {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isWord = false

    package init() {}

    package mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
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
