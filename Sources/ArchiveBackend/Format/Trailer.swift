internal import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The end of a commit: its number, the range it covers, and the checksums that make it count.
///
/// The 80 bytes of its payload are the same with every codec; ``ArchiveCodec`` says how they are wrapped.
struct Trailer: Equatable, Sendable {
    static let payloadSize = 80
    static let magic: [UInt8] = Array("KARC".utf8)

    var version = StoreFormat.version
    var codec: ArchiveCodec
    var store: UUID
    var sequence: UInt64
    /// The offset at which the commit begins.
    var offset: UInt64
    /// Bytes of its frames.
    var length: UInt64
    /// Bytes of the frames' contents.
    var contents: UInt64
    /// All bytes before this offset were on the disk when the commit was written.
    var durable: UInt64
    /// The number of times that the file was rewritten.
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
    /// Reads a payload of ``payloadSize`` bytes in a file with a codec; nil if they are not a trailer's. All versions,
    /// including newer ones, have the version and the number of the commit at the same offsets.
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

    /// True if the record of the file's length follows.
    var hasLengthBehind: Bool { sequence == 0 && version >= StoreFormat.firstWithLength }
    /// True if this program does not know its version.
    var isNewer: Bool { version > StoreFormat.version }
}

/// Wraps a trailer's payload so that every tar reader skips it or extracts a small file `.karch`.
///
/// A wrapped trailer has the same length in all versions of the format. Only the bytes that this version would write are
/// taken for a trailer.
extension ArchiveCodec {
    /// A zstd frame that readers skip: its magic number and the payload's length.
    private static let skippable: [UInt8] = [0x5B, 0x2A, 0x4D, 0x18, UInt8(Trailer.payloadSize), 0, 0, 0]
    private static let textBeginning = Array("KARCH trailer ".utf8)
    /// A header and one block of contents.
    private static let entrySize = 1024

    /// Bytes of a wrapped trailer.
    var trailerSize: Int {
        switch self {
        case .zstd: Self.skippable.count + Trailer.payloadSize
        case .none: Self.entrySize
        }
    }

    /// Bytes that every trailer has at ``trailerMarkerPlace``, whatever its version.
    var trailerMarker: [UInt8] { marker(Trailer.magic) }

    private func marker(_ magic: [UInt8]) -> [UInt8] {
        switch self {
        case .zstd: Self.skippable + magic
        case .none: Self.textBeginning + Hexadecimal.digits(of: magic)
        }
    }

    var trailerMarkerPlace: Int {
        switch self {
        case .zstd: 0
        case .none: TarHeader.size
        }
    }

    func append(_ trailer: Trailer, to buffer: ByteBuffer) {
        let payload = ByteBuffer(capacity: Trailer.payloadSize)
        trailer.appendPayload(to: payload)
        wrap(payload, to: buffer)
    }

    func wrap(_ payload: ByteBuffer, to buffer: ByteBuffer) {
        switch self {
        case .zstd:
            buffer.append(Self.skippable)
            buffer.append(payload.bytes)
        case .none:
            Self.appendEntry(payload, to: buffer)
        }
    }

    /// The payload in the text of an entry; nil if it is not one.
    static func payload(in text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count > textBeginning.count + 2 * Trailer.payloadSize else { return nil }
        return Hexadecimal.bytes(of: text.part(textBeginning.count, 2 * Trailer.payloadSize))
    }

    private static func appendEntry(_ payload: ByteBuffer, to buffer: ByteBuffer) {
        let text = textBeginning + Hexadecimal.digits(of: payload.bytes) + [UInt8(ascii: "\n")]
        TarHeader(name: TarHeader.trailerName, size: text.count, modified: 0).append(to: buffer)
        buffer.append(text)
        buffer.appendZeros(entrySize - TarHeader.size - text.count)
    }

    /// Reads a trailer from ``trailerSize`` bytes; nil if they are not one.
    func readTrailer(_ bytes: UnsafeRawBufferPointer) -> Trailer? {
        guard bytes.count == trailerSize, let payload = payload(of: bytes, Trailer.magic),
            let trailer = Trailer(payload: payload.bytes, self)
        else { return nil }
        let whole = ByteBuffer(capacity: trailerSize)
        wrap(payload, to: whole)
        return whole.bytes.hasSameBytes(as: bytes) ? trailer : nil
    }

    /// The payload of ``trailerSize`` bytes, if it begins with a magic number.
    func payload(of bytes: UnsafeRawBufferPointer, _ magic: [UInt8]) -> ByteBuffer? {
        let marker = marker(magic)
        guard bytes.part(trailerMarkerPlace, marker.count).elementsEqual(marker) else { return nil }
        let payload = ByteBuffer(capacity: Trailer.payloadSize)
        if self == .zstd {
            payload.append(bytes.part(Self.skippable.count, Trailer.payloadSize))
        } else {
            let text = bytes.part(trailerMarkerPlace, bytes.count - trailerMarkerPlace)
            guard let decoded = Self.payload(in: text) else { return nil }
            payload.append(decoded)
        }
        return payload
    }
}
