/// How a trailer's payload is wrapped, so that every tar reader passes over it or extracts a small file `.karch`.
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
        case .xz: Self.entrySize + XZFormat.storedOverhead
        }
    }

    /// Bytes that every trailer has at ``trailerMarkerPlace``, whatever its version.
    var trailerMarker: [UInt8] { marker(Trailer.magic) }

    private func marker(_ magic: [UInt8]) -> [UInt8] {
        switch self {
        case .zstd: Self.skippable + magic
        case .none, .xz: Self.textBeginning + Hexadecimal.digits(of: magic)
        }
    }

    var trailerMarkerPlace: Int {
        switch self {
        case .zstd: 0
        case .none: TarHeader.size
        case .xz: TarHeader.size + XZFormat.storedBeginning
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
        case .xz:
            let entry = ByteBuffer(capacity: Self.entrySize)
            Self.appendEntry(payload, to: entry)
            XZFormat.appendStored(entry.bytes, to: buffer)
        }
    }

    private static func appendEntry(_ payload: ByteBuffer, to buffer: ByteBuffer) {
        let text = textBeginning + Hexadecimal.digits(of: payload.bytes) + [UInt8(ascii: "\n")]
        TarHeader(name: TarHeader.trailerName, size: text.count, modified: 0).append(to: buffer)
        buffer.append(text)
        buffer.appendZeros(entrySize - TarHeader.size - text.count)
    }

    /// Reads a trailer from ``trailerSize`` bytes; nil where they are none.
    func readTrailer(_ bytes: UnsafeRawBufferPointer) -> Trailer? {
        guard bytes.count == trailerSize, let payload = payload(of: bytes, Trailer.magic),
            let trailer = Trailer(payload: payload.bytes, self)
        else { return nil }
        let whole = ByteBuffer(capacity: trailerSize)
        wrap(payload, to: whole)
        return whole.bytes.hasSameBytes(as: bytes) ? trailer : nil
    }

    /// What is wrapped in ``trailerSize`` bytes, where it begins with a magic number.
    func payload(of bytes: UnsafeRawBufferPointer, _ magic: [UInt8]) -> ByteBuffer? {
        let marker = marker(magic)
        guard bytes.part(trailerMarkerPlace, marker.count).elementsEqual(marker) else { return nil }
        let payload = ByteBuffer(capacity: Trailer.payloadSize)
        if self == .zstd {
            payload.append(bytes.part(Self.skippable.count, Trailer.payloadSize))
        } else {
            let text = bytes.part(trailerMarkerPlace + Self.textBeginning.count, 2 * Trailer.payloadSize)
            guard let decoded = Hexadecimal.bytes(of: text) else { return nil }
            payload.append(decoded)
        }
        return payload
    }
}

/// Bytes as lower-case digits.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func digits(of bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// Nil where there is anything but pairs of digits.
    static func bytes(of text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: text.count, by: 2) {
            guard let high = digits.firstIndex(of: text[place]), let low = digits.firstIndex(of: text[place + 1])
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
