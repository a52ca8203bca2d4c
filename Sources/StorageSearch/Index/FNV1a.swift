/// FNV-1a with 64 bits, for bytes that nobody chooses to collide, or where a collision costs time alone.
///
/// Source: <http://www.isthe.com/chongo/tech/comp/fnv/>. ``KeyTerm`` stores it, so it never changes.
enum FNV1a {
    static let basis: UInt64 = 0xCBF2_9CE4_8422_2325

    @inline(__always)
    static func hash(_ bytes: some Sequence<UInt8>, from start: UInt64 = basis) -> UInt64 {
        var hash = start
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
