package import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Collects the entries of one commit, divides them into frames, and appends the frames that do not fit in memory to
/// the file, where they do not count until the trailer is written.
package struct CommitWriter: ~Copyable {
    private let file: OpenFile
    private let compressor: FrameCompressor
    private let buffers: WriteBuffers
    private let modified: Int64
    /// True if a commit ends after some frames, because only the whole file counts.
    private let isRewriting: Bool
    private(set) var state: CommitProgress
    private(set) var preallocated: PreallocatedSpace
    /// The offset of the bytes that are not yet written.
    private var place: Int64

    init(
        _ file: OpenFile, compressor: FrameCompressor, buffers: WriteBuffers, state: CommitProgress,
        preallocated: PreallocatedSpace, modified: Int64, isRewriting: Bool = false
    ) {
        (self.file, self.compressor, self.buffers, self.state) = (file, compressor, buffers, state)
        (self.preallocated, self.modified, self.isRewriting, place) = (preallocated, modified, isRewriting, state.end)
        buffers.removeAll()
    }

    /// Adds a file with these contents. Throws `invalidValue` for a name that a store cannot have, `limitExceeded` for
    /// contents of more than 128 MiB, and errors of writing.
    package mutating func add(name: String, contents: UnsafeRawBufferPointer) throws(StorageError) {
        try EntryName.require(name)
        try Self.requireSize(of: contents.count, name)
        let pending = buffers.contents
        if pending.count > 0, pending.count + contents.count > StoreFormat.frameTarget { try endFrame() }
        TarHeader(name: name, size: contents.count, modified: modified).append(to: pending)
        pending.append(contents)
        pending.appendZeros(TarHeader.entrySize(contents.count) - TarHeader.size - contents.count)
        if pending.count >= StoreFormat.frameTarget { try endFrame() }
    }

    /// Throws `limitExceeded` if an entry of so many bytes is too large.
    static func requireSize(of bytes: Int, _ name: String) throws(StorageError) {
        guard bytes > StoreFormat.largestEntry else { return }
        throw StorageError(
            .limitExceeded,
            "\(name) has \(bytes) bytes; an entry of a store file has at most \(StoreFormat.largestEntry).")
    }

    /// The number of the commit that is being written.
    var sequence: UInt64 { state.sequence }

    /// Ends the last commit and writes all that is left.
    mutating func finish() throws(StorageError) {
        try endFrame()
        if state.frames > 0 { try seal() } else { try spill() }
    }

    /// Ends the last commit, which may have no entries, and writes it.
    mutating func seal() throws(StorageError) {
        let begin = state.begin
        endCommit()
        try spill()
        try preallocated.renew(behind: begin..<state.end, file, buffers.output)
    }

    private mutating func endFrame() throws(StorageError) {
        let (contents, output) = (buffers.contents, buffers.output)
        guard contents.count > 0 else { return }
        let start = output.count
        try compressor.compress(contents.bytes, to: output)
        let frame = output.bytes.part(start, output.count - start)
        state.check = CyclicRedundancyCheck.crc32c(frame, after: state.check)
        state.end += Int64(frame.count)
        state.contents += UInt64(contents.count)
        state.frames += 1
        contents.removeAll(keepingAtMost: 2 * StoreFormat.frameTarget)
        if isRewriting, state.frames >= StoreFormat.framesOfRewrittenCommit { endCommit() }
        if output.count >= StoreFormat.frameTarget { try spill() }
    }

    private mutating func endCommit() {
        // A rewritten file counts only once all of it is on the disk.
        if isRewriting { state.durable = state.begin }
        let trailer = state.trailer(compressor.codec)
        compressor.codec.append(trailer, to: buffers.output)
        state.end += Int64(compressor.codec.trailerSize)
        if trailer.hasLengthBehind { appendLength(behind: trailer) }
        preallocated.append(behind: state.end, to: buffers.output)
        state.beginCommit(after: trailer)
    }

    /// Adds the record of the file's length, which has no meaning before the file is whole.
    private mutating func appendLength(behind trailer: Trailer) {
        state.lengthPlace = state.end
        LengthRecord(of: trailer, length: 0).append(to: buffers.output, compressor.codec)
        state.end += Int64(compressor.codec.trailerSize)
    }

    private mutating func spill() throws(StorageError) {
        let output = buffers.output
        guard output.count > 0 else { return }
        state.hasWritten = true
        try file.write(at: place, output.bytes)
        place += Int64(output.count)
        output.removeAll(keepingAtMost: 2 * StoreFormat.frameTarget)
    }
}

/// The progress of a writer in a file: the last commit, and the written part of the next.
struct CommitProgress {
    let store: UUID
    let generation: UInt32
    /// The trailer before, or nil at the file's beginning.
    var last: Trailer?
    /// The offset at which the commit begins.
    var begin: Int64
    /// The offset of the next byte.
    var end: Int64
    var durable: Int64
    var frames = 0
    var contents: UInt64 = 0
    var check: UInt32 = 0
    /// The offset of the record of the file's length, if it was written.
    var lengthPlace: Int64?
    /// True if the file has been touched.
    var hasWritten = false

    /// At the beginning of a new file.
    init(store: UUID, generation: UInt32) {
        (self.store, self.generation) = (store, generation)
        (begin, end, durable) = (0, 0, 0)
    }

    /// The end of a file's last commit.
    init(after last: Trailer, end: Int64, durable: Int64) {
        (store, generation, self.last) = (last.store, last.generation, last)
        (begin, self.end, self.durable) = (end, end, durable)
    }

    /// The number of the commit that begins at the end.
    var sequence: UInt64 { last.map { $0.sequence &+ 1 } ?? 0 }

    /// The trailer of the bytes written since ``begin``.
    func trailer(_ codec: ArchiveCodec) -> Trailer {
        Trailer(
            version: last?.version ?? StoreFormat.version, codec: codec, store: store, sequence: sequence,
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
