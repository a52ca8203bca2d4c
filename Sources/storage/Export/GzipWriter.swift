import CZlib

/// Compresses output as one member of a gzip file, by zlib.
final class GzipWriter {
    /// Owned by this object. Its input and output are set for each call and used in it alone.
    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// - Throws: if there is no memory for it.
    init() throws(ToolError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 is the largest window, and 16 more stand for gzip's header and trailer.
        let code = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            throw ToolError("The output cannot be compressed: \(String(cString: zError(code))).", .io)
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses bytes, and passes on what comes of it.
    ///
    /// - Parameter isLast: whether the member ends with them.
    func compress(
        _ bytes: [UInt8], isLast: Bool, to write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try bytes.withUnsafeBufferPointer { bytes in
            // zlib does not write to its input.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
            stream.pointee.avail_in = UInt32(clamping: bytes.count)
            var isFull = true
            while isFull {
                try buffer.withUnsafeMutableBufferPointer { buffer in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(clamping: buffer.count)
                    // It can only fail for a stream that is not one.
                    _ = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    isFull = stream.pointee.avail_out == 0
                    let count = buffer.count - Int(stream.pointee.avail_out)
                    if count > 0 {
                        try write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                    }
                }
            }
        }
    }
}
