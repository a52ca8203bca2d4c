import Foundation

/// What a command prints, collected into large writes.
struct Output: ~Copyable {
    private var bytes: [UInt8] = []
    private let descriptor: Int32

    init(_ file: FileHandle = .standardOutput) { descriptor = file.fileDescriptor }

    /// Appends to what is to be printed.
    mutating func write(_ body: (inout [UInt8]) throws -> Void) throws {
        try body(&bytes)
        if bytes.count >= 1 << 16 { try flush() }
    }

    mutating func line(_ text: String) throws {
        try write { bytes in
            bytes += text.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    /// - Throws: ``ReaderGone`` where nobody reads any more; where the disk is full or fails.
    mutating func flush() throws {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EPIPE {
                throw ReaderGone()
            } else if errno != EINTR {
                throw ToolError("The output cannot be written: \(String(cString: strerror(errno))).", .io)
            }
        }
        bytes.removeAll(keepingCapacity: true)
    }
}

/// Nobody reads what is printed any more, as after `| head`: the tool ends without a word.
struct ReaderGone: Error {}
