import Foundation

extension URL {
    /// The file's contents, decompressed where they are compressed.
    func contents() throws(ToolError) -> Data {
        let contents = try InputFile(path).contents()
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { block.deallocate() }
        var data = Data()
        while case let count = try contents.read(into: block), count > 0 {
            data.append(contentsOf: block.prefix(count))
        }
        return data
    }
}
