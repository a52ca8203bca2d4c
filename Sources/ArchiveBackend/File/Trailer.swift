internal import StorageAPI

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
        buffer.append(UInt16(truncatingIfNeeded: ArchiveFormat.version))
        buffer.append(codec.number)
        buffer.append(0 as UInt8)
        withUnsafeBytes(of: store.uuid) { buffer.append($0) }
        for field in [sequence, offset, length, contents, durable] { buffer.append(field) }
        buffer.append(generation)
        buffer.append(framesCheck)
    }
}

/// What stands where a trailer may stand.
enum TrailerReading: Equatable {
    case trailer(Trailer)
    /// A sound trailer of a newer version of the format.
    case newer(UInt16)
    case nothing
}

extension TrailerReading {
    /// Reads a payload of ``Trailer/payloadSize`` bytes.
    init(payload bytes: UnsafeRawBufferPointer) {
        let check = CyclicRedundancyCheck.crc32c(bytes.part(0, Trailer.payloadSize - 4))
        guard bytes.starts(with: Trailer.magic), bytes.littleEndian(at: 76) == check else {
            self = .nothing
            return
        }
        let version = bytes.littleEndian(at: 4, as: UInt16.self)
        if version > ArchiveFormat.version {
            self = .newer(version)
        } else if let codec = ArchiveCodec.allCases.first(where: { $0.number == bytes[6] }) {
            self = .trailer(Trailer(fields: bytes, codec))
        } else {
            self = .nothing
        }
    }
}

extension Trailer {
    fileprivate init(fields bytes: UnsafeRawBufferPointer, _ codec: ArchiveCodec) {
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
    }
}
