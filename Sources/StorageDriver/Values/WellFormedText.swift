#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension Cell {
    /// The text of a `text` cell; nil for every other, and where the bytes are no UTF-8.
    @inlinable @inline(__always)
    public var string: String? { tag == .text ? String(wellFormed: bytes) : nil }
}

extension String {
    /// Bytes as text; nil if they are no UTF-8.
    @inlinable @inline(__always)
    init?(wellFormed bytes: UnsafeRawBufferPointer) {
        self.init(decoding: bytes, as: UTF8.self)
        guard Self.isASCII(bytes) || Self.isExact(self, bytes) else { return nil }
    }

    /// Most text is ASCII, which needs no repair and is recognised by a few words.
    @inlinable @inline(__always)
    package static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var (place, found) = (0, UInt64(0))
        while place &+ 8 <= bytes.count {
            found |= bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            place &+= 8
        }
        while place < bytes.count {
            found |= UInt64(bytes[place])
            place &+= 1
        }
        return found & 0x8080_8080_8080_8080 == 0
    }

    /// Returns whether bytes are UTF-8.
    package static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isASCII(bytes) || String(validating: bytes, as: UTF8.self) != nil
    }

    /// Decoding repairs ill-formed UTF-8 by replacement characters, and repaired text is not the stored text. A native
    /// string's bytes are contiguous, so comparing them is one memcmp.
    @usableFromInline
    static func isExact(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let isSame = text.utf8.withContiguousStorageIfAvailable { decoded in
            guard decoded.count == bytes.count else { return false }
            guard let left = decoded.baseAddress, let right = bytes.baseAddress else { return true }
            return memcmp(left, right, bytes.count) == 0
        }
        return isSame ?? text.utf8.elementsEqual(bytes)
    }
}
