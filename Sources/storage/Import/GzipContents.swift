import CZlib
import StorageAPI
import StorageJSON

/// Decompresses a gzip file as it is read, by zlib, which compares the checksum and the length of each member.
///
/// libarchive compares neither, and does not tell where one member ends and the next begins.
final class GzipContents: InputContents {
    private let source: CompressedSource
    /// Owned by this object. Its input is the source's block, which stays until the next one is asked for.
    private let stream: UnsafeMutablePointer<z_stream>
    /// True if a member has ended, and no further one begun.
    private var isBetween = false

    init(_ file: InputFile) throws(ToolError) {
        source = CompressedSource(file)
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 is the largest window, and 16 more stand for gzip's header and trailer.
        let code = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw damage(String(cString: zError(code))) }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    var name: String { source.file.name }
    var size: Int { source.file.size }
    var position: Int { source.offset - Int(stream.pointee.avail_in) }

    func read(into bytes: UnsafeMutableRawBufferPointer) throws(ToolError) -> Int {
        while true {
            if stream.pointee.avail_in == 0, try !readBlock() {
                guard isBetween else { throw damage("truncated gzip input") }
                return 0
            }
            if isBetween {
                inflateReset(stream)
                isBetween = false
            }
            let start = position
            stream.pointee.next_out = bytes.baseAddress?.assumingMemoryBound(to: Bytef.self)
            stream.pointee.avail_out = UInt32(clamping: bytes.count)
            let code = inflate(stream, Z_NO_FLUSH)
            switch code {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: isBetween = true
            default:
                throw damage(stream.pointee.msg.map { String(cString: $0) } ?? String(cString: zError(code)), start)
            }
            let count = min(bytes.count, Int(UInt32.max)) - Int(stream.pointee.avail_out)
            if count > 0 { return count }
        }
    }

    private func readBlock() throws(ToolError) -> Bool {
        let block = try source.next()
        // zlib does not write to its input.
        stream.pointee.next_in = UnsafeMutableRawPointer(mutating: block.baseAddress)?.assumingMemoryBound(
            to: Bytef.self)
        stream.pointee.avail_in = UInt32(clamping: block.count)
        return !block.isEmpty
    }

    private func damage(_ reason: String, _ place: Int? = nil) -> ToolError {
        let place = place.map { ", at byte \($0.grouped) or later" } ?? ""
        return source.damage(.gzip, reason + place)
    }
}
