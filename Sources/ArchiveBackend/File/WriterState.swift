internal import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Where a writer stands in a file: behind which commit, and what it has written of the next.
struct WriterState {
    let store: UUID
    let generation: UInt32
    /// The trailer before, or nil at the file's beginning.
    var last: Trailer?
    /// Where the commit begins.
    var begin: Int64
    /// Where the next byte goes.
    var end: Int64
    var durable: Int64
    var frames = 0
    var contents: UInt64 = 0
    var check: UInt32 = 0
    /// Where the record of the file's length is, if it was written.
    var lengthPlace: Int64?
    /// Whether the file has been touched.
    var hasWritten = false

    /// At the beginning of a new file.
    init(store: UUID, generation: UInt32) {
        (self.store, self.generation) = (store, generation)
        (begin, end, durable) = (0, 0, 0)
    }

    /// Behind the last commit of a file.
    init(after last: Trailer, end: Int64, durable: Int64) {
        (store, generation, self.last) = (last.store, last.generation, last)
        (begin, self.end, self.durable) = (end, end, durable)
    }

    /// The number of the commit that begins there.
    var sequence: UInt64 { last.map { $0.sequence &+ 1 } ?? 0 }

    /// The trailer of what was written since ``begin``.
    func trailer(_ codec: ArchiveCodec) -> Trailer {
        Trailer(
            version: last?.version ?? ArchiveFormat.version, codec: codec, store: store, sequence: sequence,
            offset: UInt64(begin),
            length: UInt64(end - begin), contents: contents, durable: UInt64(durable), generation: generation,
            framesCheck: check
        ).chained(to: last)
    }

    mutating func beginCommit(after trailer: Trailer) {
        last = trailer
        begin = end
        (frames, contents, check) = (0, 0, 0)
    }
}

/// The memory of a writer, kept from commit to commit.
final class WriteBuffers {
    /// Entries of the frame that is being made.
    let contents = ByteBuffer()
    /// Frames and trailers that are not yet written.
    let output = ByteBuffer()

    func removeAll() {
        contents.removeAll()
        output.removeAll()
    }
}
