import Foundation

/// What a command prints, collected into large writes. A reader that has gone away ends the tool by SIGPIPE, quietly.
struct Output: ~Copyable {
    private var bytes: [UInt8] = []
    private let file: FileHandle

    init(_ file: FileHandle = .standardOutput) { self.file = file }

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

    mutating func flush() throws {
        guard !bytes.isEmpty else { return }
        do {
            try file.write(contentsOf: Data(bytes))
        } catch {
            throw ToolError("The output cannot be written: \(error.localizedDescription)", .io)
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
