internal import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What ends a commit: which one it is, what it covers, and the checks that make it count.
///
/// The 80 bytes of its payload are the same with every codec; ``ArchiveCodec`` says how they are wrapped.
struct Trailer: Equatable, Sendable {
    static let payloadSize = 80
    static let magic: [UInt8] = Array("KARC".utf8)

    var version = ArchiveFormat.version
    var codec: ArchiveCodec
    var store: UUID
    var sequence: UInt64
    /// Where the commit begins.
    var offset: UInt64
    /// Bytes of its frames.
    var length: UInt64
    /// Bytes of the frames' contents.
    var contents: UInt64
    /// All bytes before this place were on the disk when the commit was written.
    var durable: UInt64
    /// How often the file was written anew.
    var generation: UInt32
    /// The CRC-32C of the frames.
    var framesCheck: UInt32
    /// The CRC-32C of the chain before and of this payload up to here.
    var chain: UInt32 = 0

    /// The same trailer, chained to the one before.
    func chained(to before: Trailer?) -> Trailer {
        let payload = ByteBuffer(capacity: Self.payloadSize)
        appendFields(to: payload)
        var chained = self
        let start = withUnsafeBytes(of: (before?.chain ?? 0).littleEndian) { CyclicRedundancyCheck.crc32c($0) }
        chained.chain = CyclicRedundancyCheck.crc32c(payload.bytes, after: start)
        return chained
    }

    func appendPayload(to buffer: ByteBuffer) {
        let start = buffer.count
        appendFields(to: buffer)
        buffer.append(chain)
        buffer.append(CyclicRedundancyCheck.crc32c(buffer.bytes.part(start, Self.payloadSize - 4)))
    }

    private func appendFields(to buffer: ByteBuffer) {
        buffer.append(Self.magic)
        buffer.append(version)
        buffer.append(codec.number)
        buffer.append(0 as UInt8)
        withUnsafeBytes(of: store.uuid) { buffer.append($0) }
        for field in [sequence, offset, length, contents, durable] { buffer.append(field) }
        buffer.append(generation)
        buffer.append(framesCheck)
    }
}

extension Trailer {
    /// Reads a payload of ``payloadSize`` bytes in a file of a codec; nil where they are none of a trailer's. That of a newer
    /// version has what all versions have in one place: the version, and what it is the trailer of.
    init?(payload bytes: UnsafeRawBufferPointer, _ codec: ArchiveCodec) {
        let check = CyclicRedundancyCheck.crc32c(bytes.part(0, Trailer.payloadSize - 4))
        guard bytes.starts(with: Trailer.magic), bytes.littleEndian(at: 76) == check else { return nil }
        version = bytes.littleEndian(at: 4)
        self.codec = codec
        store = UUID(uuid: bytes.loadUnaligned(fromByteOffset: 8, as: uuid_t.self))
        sequence = bytes.littleEndian(at: 24)
        offset = bytes.littleEndian(at: 32)
        length = bytes.littleEndian(at: 40)
        contents = bytes.littleEndian(at: 48)
        durable = bytes.littleEndian(at: 56)
        generation = bytes.littleEndian(at: 64)
        framesCheck = bytes.littleEndian(at: 68)
        chain = bytes.littleEndian(at: 72)
        guard isNewer || bytes[6] == codec.number else { return nil }
    }

    /// Whether the record of the file's length follows.
    var hasLengthBehind: Bool { sequence == 0 && version >= ArchiveFormat.firstWithLength }
    /// Whether this program does not know its version.
    var isNewer: Bool { version > ArchiveFormat.version }
}
