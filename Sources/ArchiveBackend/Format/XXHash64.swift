/// XXH64, of which zstd frames carry the low 32 bits as their content checksum.
///
/// Source: the xxHash specification, <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>. About 13 GB/s.
package enum XXHash64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var place = 0
        var hash = bytes.count >= 32 ? stripes(bytes, seed, offset: &place) : seed &+ prime5
        hash &+= UInt64(bytes.count)
        while place + 8 <= bytes.count {
            hash = rotate(hash ^ round(0, bytes.littleEndian(at: place)), 27) &* prime1 &+ prime4
            place += 8
        }
        if place + 4 <= bytes.count {
            let word = UInt64(bytes.littleEndian(at: place, as: UInt32.self))
            hash = rotate(hash ^ (word &* prime1), 23) &* prime2 &+ prime3
            place += 4
        }
        while place < bytes.count {
            hash = rotate(hash ^ (UInt64(bytes[place]) &* prime5), 11) &* prime1
            place += 1
        }
        return avalanche(hash)
    }

    /// Four lanes of eight bytes each over all whole stripes of 32.
    private static func stripes(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64, offset place: inout Int) -> UInt64 {
        var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
        while place + 32 <= bytes.count {
            lanes.0 = round(lanes.0, bytes.littleEndian(at: place))
            lanes.1 = round(lanes.1, bytes.littleEndian(at: place + 8))
            lanes.2 = round(lanes.2, bytes.littleEndian(at: place + 16))
            lanes.3 = round(lanes.3, bytes.littleEndian(at: place + 24))
            place += 32
        }
        var hash = rotate(lanes.0, 1) &+ rotate(lanes.1, 7) &+ rotate(lanes.2, 12) &+ rotate(lanes.3, 18)
        for lane in [lanes.0, lanes.1, lanes.2, lanes.3] { hash = (hash ^ round(0, lane)) &* prime1 &+ prime4 }
        return hash
    }

    @inline(__always)
    private static func rotate(_ number: UInt64, _ bits: UInt64) -> UInt64 {
        (number &<< bits) | (number &>> (64 &- bits))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    private static func avalanche(_ hash: UInt64) -> UInt64 {
        var hash = (hash ^ (hash &>> 33)) &* prime2
        hash = (hash ^ (hash &>> 29)) &* prime3
        return hash ^ (hash &>> 32)
    }
}
