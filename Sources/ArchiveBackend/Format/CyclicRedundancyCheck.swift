internal import CChecksum

/// A reflected 32-bit cyclic redundancy check, eight bytes a step.
///
/// About 2 GB/s, and 8 GB/s by the processor's instruction for CRC-32C. It finds damage, not forgery.
package struct CyclicRedundancyCheck: Sendable {
    /// CRC-32C (Castagnoli, RFC 3720 appendix B.4): the check of commits and trailers.
    package static let crc32c = CyclicRedundancyCheck(usesInstruction: checksum_has_crc32c())
    /// The same by tables, on any processor.
    package static let crc32cByTables = CyclicRedundancyCheck()

    private static let polynomial: UInt32 = 0x82F6_3B78

    // Eight tables of 256: table k is the check of a byte followed by k zero bytes.
    private let tables: [UInt32]
    private let usesInstruction: Bool

    private init(usesInstruction: Bool = false) {
        self.usesInstruction = usesInstruction
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var check = UInt32(byte)
            for _ in 0..<8 { check = check & 1 == 1 ? Self.polynomial ^ (check >> 1) : check >> 1 }
            tables[byte] = check
        }
        for index in 256..<tables.count {
            let shorter = tables[index - 256]
            tables[index] = (shorter >> 8) ^ tables[Int(shorter & 0xFF)]
        }
        self.tables = tables
    }

    /// The check of the bytes, or of all bytes so far if the check of the earlier bytes is given.
    package func callAsFunction(_ bytes: UnsafeRawBufferPointer, after before: UInt32 = 0) -> UInt32 {
        if usesInstruction { return ~checksum_crc32c(~before, bytes.baseAddress, bytes.count) }
        // Indexes are a byte plus a table's start, so always below 2048.
        return tables.withUnsafeBufferPointer { tables in
            var check = ~before
            var place = 0
            while place + 8 <= bytes.count {
                let word = bytes.littleEndian(at: place, as: UInt64.self) ^ UInt64(check)
                check = Self.step(tables, word)
                place += 8
            }
            while place < bytes.count {
                check = tables[Int((check ^ UInt32(bytes[place])) & 0xFF)] ^ (check >> 8)
                place += 1
            }
            return ~check
        }
    }

    @inline(__always)
    private static func step(_ tables: UnsafeBufferPointer<UInt32>, _ word: UInt64) -> UInt32 {
        func entry(_ table: Int, _ byte: UInt64) -> UInt32 {
            tables[table &* 256 &+ Int(truncatingIfNeeded: (word &>> (byte &* 8)) & 0xFF)]
        }
        let low = entry(7, 0) ^ entry(6, 1) ^ entry(5, 2) ^ entry(4, 3)
        return low ^ entry(3, 4) ^ entry(2, 5) ^ entry(1, 6) ^ entry(0, 7)
    }
}
