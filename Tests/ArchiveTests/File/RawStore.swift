import ArchiveBackend
import CArchive
import Foundation

/// Makes a store file byte by byte after its format's description, so that tests can put anything into sound commits.
struct RawStore {
    private(set) var bytes: [UInt8] = []
    var store: [UInt8] = Array(0..<16)
    var sequence: UInt64 = 0
    var chain: UInt32 = 0
    var version: UInt16 = 1
    /// Instead of what the frames really hold.
    var claimedContents: Int?

    /// Adds a commit with one frame that holds these bytes.
    mutating func commit(contents: [UInt8]) { commit(frame: Self.frame(contents), contents: contents.count) }

    mutating func commit(frame: [UInt8], contents: Int) {
        let offset = bytes.count
        bytes += frame
        var payload: [UInt8] = Array("KARC".utf8) + Self.little(version) + [1, 0] + store
        for field in [Int(sequence), offset, frame.count, claimedContents ?? contents, offset] {
            payload += Self.little(UInt64(field))
        }
        payload += Self.little(0 as UInt32) + Self.little(Self.crc(frame))
        chain = Self.crc(Self.little(chain) + payload)
        payload += Self.little(chain)
        payload += Self.little(Self.crc(payload))
        bytes += Self.little(0x184D_2A5B as UInt32) + Self.little(80 as UInt32) + payload
        sequence += 1
    }

    static func little<N: FixedWidthInteger>(_ number: N) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }
    static func crc(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { CyclicRedundancyCheck.crc32c($0) } }

    /// A zstd frame of raw blocks with a check.
    static func frame(_ contents: [UInt8], descriptor: UInt8 = 4, window: UInt8 = 0x38) -> [UInt8] {
        var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, descriptor, window]
        for start in stride(from: 0, to: contents.count, by: 100_000) {
            let part = contents[start..<min(contents.count, start + 100_000)]
            frame += little(UInt32(part.count << 3 | (part.endIndex == contents.count ? 1 : 0))).prefix(3) + part
        }
        let check = contents.withUnsafeBytes { XXHash64.hash($0) }
        return frame + (descriptor & 4 != 0 ? little(UInt32(truncatingIfNeeded: check)) : [])
    }

    /// A frame of blocks of 128 KiB of zeros each, after a header, with a check that does not hold.
    static func bomb(_ header: [UInt8], blocks: Int) -> [UInt8] {
        let first = [0x28, 0xB5, 0x2F, 0xFD, 4, 0x38] + little(UInt32(header.count << 3)).prefix(3) + header
        let block = little(UInt32((128 << 10) << 3 | 1 << 1)).prefix(3) + [0]
        let last = little(UInt32(1 << 3 | 1 << 1 | 1)).prefix(3) + [0]
        return first + (0..<blocks).flatMap { _ in block } + last + [0, 0, 0, 0]
    }
}

/// A tar header with any field set to anything, its check made right.
struct RawHeader {
    var bytes = [UInt8](repeating: 0, count: 512)

    init(_ name: String, size: Int) {
        set(0, name)
        for (place, text) in [(100, "0000644"), (108, "0000000"), (116, "0000000")] { set(place, text) }
        let octal = String(size, radix: 8)
        set(124, String(repeating: "0", count: 11 - octal.count) + octal)
        set(136, "14524770400")
        set(156, "0")
        for (place, text) in [(257, "ustar"), (263, "00"), (329, "0000000"), (337, "0000000")] { set(place, text) }
    }

    mutating func set(_ place: Int, _ text: String) { set(place, Array(text.utf8)) }
    mutating func set(_ place: Int, _ field: [UInt8]) {
        bytes.replaceSubrange(place..<place + field.count, with: field)
    }

    /// The header with its check.
    var checked: [UInt8] {
        var header = self
        header.set(148, "        ")
        let octal = String(header.bytes.reduce(0) { $0 + Int($1) }, radix: 8)
        header.set(148, String(repeating: "0", count: 6 - octal.count) + octal + "\u{0} ")
        return header.bytes
    }

    func with(_ place: Int, _ text: String) -> RawHeader { with(place, Array(text.utf8)) }
    func with(_ place: Int, _ field: [UInt8]) -> RawHeader {
        var header = self
        header.set(place, field)
        return header
    }

    /// An entry with contents and padding.
    func entry(_ contents: [UInt8]) -> [UInt8] {
        checked + contents + [UInt8](repeating: 0, count: (512 - contents.count % 512) % 512)
    }
}
