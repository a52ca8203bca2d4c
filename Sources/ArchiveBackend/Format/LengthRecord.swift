internal import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A record of a file's length, near the beginning of the file. Without it, a file that was cut at the end of a commit
/// would look like a complete shorter one.
///
/// It follows the first commit, in the format of a trailer with another magic number, and is the only part that is
/// overwritten in place. It is a lower bound of the file's length: it is written when everything before that offset is
/// on the disk, so a later commit does not invalidate it. A crash may tear it, so an unreadable record is ignored.
struct LengthRecord {
    static let magic: [UInt8] = Array("KARL".utf8)

    let version: UInt16
    let store: UUID
    let generation: UInt32
    /// The end of the last commit when the record was written.
    let length: Int64

    /// For the file of a trailer.
    init(of trailer: Trailer, length: Int64) {
        (version, store, generation, self.length) = (trailer.version, trailer.store, trailer.generation, length)
    }

    /// The record after a first commit with this trailer; nil if the record is missing or unreadable.
    init?(_ bytes: UnsafeRawBufferPointer, behind trailer: Trailer) {
        guard let payload = trailer.codec.payload(of: bytes, Self.magic) else { return nil }
        self.init(of: trailer, length: payload.bytes.littleEndian(at: 24))
        let expected = ByteBuffer(capacity: bytes.count)
        append(to: expected, trailer.codec)
        guard expected.bytes.hasSameBytes(as: bytes) else { return nil }
    }

    func append(to buffer: ByteBuffer, _ codec: ArchiveCodec) {
        let payload = ByteBuffer(capacity: Trailer.payloadSize)
        appendPayload(to: payload, codec)
        codec.wrap(payload, to: buffer)
    }

    private func appendPayload(to buffer: ByteBuffer, _ codec: ArchiveCodec) {
        let start = buffer.count
        buffer.append(Self.magic)
        buffer.append(version)
        buffer.append(codec.number)
        buffer.append(0 as UInt8)
        withUnsafeBytes(of: store.uuid) { buffer.append($0) }
        buffer.append(length)
        buffer.append(generation)
        buffer.appendZeros(40)
        buffer.append(CyclicRedundancyCheck.crc32c(buffer.bytes.part(start, Trailer.payloadSize - 4)))
    }
}
