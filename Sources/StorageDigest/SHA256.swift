/// SHA-256 as FIPS 180-4 defines it, for data that comes in pieces.
///
/// It is the hash of digests, locks of schemas and chains of patches: the same on every platform, without a dependency.
public struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// The bytes that do not fill a block yet.
    private var pending = [UInt8](repeating: 0, count: blockSize)
    private var pendingCount = 0
    private var schedule = [UInt32](repeating: 0, count: 64)
    private var length: UInt64 = 0

    private static let blockSize = 64

    /// The hash of no data.
    public init() {}

    /// Adds the next bytes of the data.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = bytes[...]
        if pendingCount > 0 {
            let count = min(Self.blockSize - pendingCount, rest.count)
            keep(rest.prefix(count))
            rest = rest.dropFirst(count)
            guard pendingCount == Self.blockSize else { return }
            pending.withUnsafeBytes { Self.compress($0, &state, schedule: &schedule) }
            pendingCount = 0
        }
        while rest.count >= Self.blockSize {
            Self.compress(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockSize)), &state, schedule: &schedule)
            rest = rest.dropFirst(Self.blockSize)
        }
        keep(rest)
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer.SubSequence) {
        guard !bytes.isEmpty else { return }
        pending.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[pendingCount...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
        }
        pendingCount += bytes.count
    }

    /// The digest's 32 bytes.
    public consuming func finish() -> [UInt8] {
        let bits = length &* 8
        var padding: [UInt8] = [0x80]
        let used = (pendingCount + 1 + 8) % Self.blockSize
        padding += [UInt8](repeating: 0, count: (Self.blockSize - used) % Self.blockSize)
        padding += (0..<8).reversed().map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
        padding.withUnsafeBytes { update($0) }
        return state.flatMap { word in (0..<4).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    /// - Parameter block: 64 bytes.
    private static func compress(_ block: UnsafeRawBufferPointer, _ state: inout [UInt32], schedule: inout [UInt32]) {
        state.withUnsafeMutableBufferPointer { state in
            schedule.withUnsafeMutableBufferPointer { words in
                constants.withUnsafeBufferPointer { constants in
                    for index in 0..<16 {
                        words[index] = UInt32(
                            bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
                    }
                    for index in 16..<64 {
                        words[index] =
                            smallSigma(words[index - 2], first: 17, second: 19, shift: 10) &+ words[index - 7]
                            &+ smallSigma(words[index - 15], first: 7, second: 18, shift: 3) &+ words[index - 16]
                    }
                    round(state, words, constants: constants)
                }
            }
        }
    }

    @inline(__always)
    private static func round(
        _ state: UnsafeMutableBufferPointer<UInt32>, _ words: UnsafeMutableBufferPointer<UInt32>,
        constants: UnsafeBufferPointer<UInt32>
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let first =
                h &+ largeSigma(e, first: 6, second: 11, third: 25) &+ ((e & f) ^ (~e & g)) &+ constants[index]
                &+ words[index]
            let second = largeSigma(a, first: 2, second: 13, third: 22) &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (index, value) in [a, b, c, d].enumerated() { state[index] &+= value }
        for (index, value) in [e, f, g, h].enumerated() { state[index + 4] &+= value }
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        (word &>> count) | (word &<< (32 &- count))
    }

    @inline(__always)
    private static func smallSigma(_ word: UInt32, first: UInt32, second: UInt32, shift: UInt32) -> UInt32 {
        rotated(word, first) ^ rotated(word, second) ^ (word &>> shift)
    }

    @inline(__always)
    private static func largeSigma(_ word: UInt32, first: UInt32, second: UInt32, third: UInt32) -> UInt32 {
        rotated(word, first) ^ rotated(word, second) ^ rotated(word, third)
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
