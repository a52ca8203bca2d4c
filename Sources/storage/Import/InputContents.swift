/// A file's contents from the first byte on, decompressed where the file is compressed.
protocol InputContents: AnyObject {
    /// Reads up to as many bytes as there is room for; 0 at the end.
    ///
    /// - Throws: where the file cannot be read, or is damaged.
    func read(into bytes: UnsafeMutableRawBufferPointer) throws(ToolError) -> Int
    /// How many bytes of the file have been read.
    var position: Int { get }
}

extension InputFile {
    /// The contents, which can be read as often as is needed, each time anew.
    func contents() throws(ToolError) -> any InputContents {
        let start = UnsafeMutableRawBufferPointer.allocate(byteCount: 6, alignment: 1)
        defer { start.deallocate() }
        let count = try read(at: 0, into: start)
        guard let compression = InputCompression(beginning: start.prefix(count)) else { return PlainContents(self) }
        return try CompressedContents(self, compression)
    }
}

/// A file's bytes as they are.
private final class PlainContents: InputContents {
    private let file: InputFile
    private(set) var position = 0

    init(_ file: InputFile) { self.file = file }

    func read(into bytes: UnsafeMutableRawBufferPointer) throws(ToolError) -> Int {
        let count = try file.read(at: position, into: bytes)
        position += count
        return count
    }
}
