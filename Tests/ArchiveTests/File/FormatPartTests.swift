import ArchiveBackend
import FaultyStorage
import Foundation
import StorageAPI
import TestSupport
import Testing

@Suite struct FormatPartTests {
    private func withBytes<T>(_ text: String, _ body: (UnsafeRawBufferPointer) -> T) -> T {
        Array(text.utf8).withUnsafeBytes(body)
    }

    // RFC 3720, appendix B.4, and the check value of the catalogue of parametrised CRC algorithms.
    @Test func `CRC-32C has the published values`() {
        expect(withBytes("123456789") { CyclicRedundancyCheck.crc32c($0) }, equals: 0xE306_9283)
        expect(
            [UInt8](repeating: 0, count: 32).withUnsafeBytes { CyclicRedundancyCheck.crc32c($0) }, equals: 0x8A91_36AA)
        expect(
            [UInt8](repeating: 0xFF, count: 32).withUnsafeBytes { CyclicRedundancyCheck.crc32c($0) },
            equals: 0x62A8_AB43)
        expect((0..<32).map(UInt8.init).withUnsafeBytes { CyclicRedundancyCheck.crc32c($0) } == 0x46DD_794E)
        expect(withBytes("") { CyclicRedundancyCheck.crc32c($0) }, equals: 0)
    }

    @Test func `a check in parts is the check of the whole`() {
        let bytes = noiseBytes(1000)
        let whole = bytes.withUnsafeBytes { CyclicRedundancyCheck.crc32c($0) }
        for cut in 0...bytes.count {
            let first = bytes[..<cut].withUnsafeBytes { CyclicRedundancyCheck.crc32c($0) }
            expect(bytes[cut...].withUnsafeBytes { CyclicRedundancyCheck.crc32c($0, after: first) }, equals: whole)
        }
    }

    @Test func `tables and the processor's instruction give the same check, for each length and alignment`() {
        let bytes = noiseBytes(4096 + 64)
        let lengths = Array(0...70) + [255, 256, 257, 4095, 4096]
        bytes.withUnsafeBytes { bytes in
            for start in 0..<9 {
                for length in lengths {
                    let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
                    let before = UInt32(truncatingIfNeeded: start &* 0x9E37_79B9)
                    expect(
                        CyclicRedundancyCheck.crc32c(part, after: before)
                            == CyclicRedundancyCheck.crc32cByTables(part, after: before))
                }
            }
        }
    }

    // Known answers of the reference implementation, `xxhsum -H64`.
    @Test func `XXH64 has the published values`() {
        expect(withBytes("") { XXHash64.hash($0) }, equals: 0xEF46_DB37_51D8_E999)
        expect(withBytes("a") { XXHash64.hash($0) }, equals: 0xD24E_C4F1_A98C_6E5B)
        expect(withBytes("abc") { XXHash64.hash($0) }, equals: 0x44BC_2CF5_AD77_0999)
        expect(withBytes("123456789") { XXHash64.hash($0) }, equals: 0x8CB8_41DB_40E6_AE83)
        expect(
            withBytes("Nobody inspects the spammish repetition") { XXHash64.hash($0) }, equals: 0xFBCE_A83C_8A37_8BF1)
    }

    @Test(arguments: [
        ("", ".empty"), ("abc-1_2", "abc-1_2"), ("-5", ".2d5"), ("Person", ".50erson"), ("a.b", "a.2eb"),
        ("../../x", ".2e.2e.2f.2e.2e.2fx"), ("é", ".c3.a9"), ("\u{0}", ".00"), (".", ".2e"), ("..", ".2e.2e"),
        (".empty", ".2eempty"),
    ])
    func `a text is escaped to a component`(text: String, escaped: String) {
        expect(EntryName.escape(text), equals: escaped)
        expect(EntryName.isValid(EntryName.escape(text).utf8))
    }

    @Test func `escaped texts are equal only for equal texts, without regard to case`() {
        let parts = ["", "a", "A", ".", "-", "_", "/", "41", ".41", "x", "\u{0}", "é", "e\u{301}", "empty", "🙂"]
        var seen: [String: String] = [:]
        for first in parts {
            for second in parts {
                for third in parts {
                    let text = first + second + third
                    let folded = EntryName.escape(text).lowercased()
                    expect(seen[folded, default: text].utf8.elementsEqual(text.utf8), "\(text)")
                    seen[folded] = text
                    expect(EntryName.isValid(folded.utf8))
                }
            }
        }
    }

    @Test func `long texts are cut and still differ`() {
        let texts =
            (0..<200).map { String(repeating: "k", count: 1000) + "\($0)" } + [String(repeating: "🙂", count: 50)]
        let names = Set(texts.map { EntryName.escape($0) })
        expect(names.count, equals: texts.count)
        expect(names.allSatisfy { $0.utf8.count <= 60 && EntryName.isValid($0.utf8) })
    }

    @Test func `case is kept where it is known not to matter`() {
        expect(EntryName.escape("Person.Kind", keepingCase: true), equals: "Person.2eKind")
    }

    @Test func `a name has at most 100 bytes`() throws {
        expect(EntryName.isValid(String(repeating: "n", count: 100).utf8))
        expect(!EntryName.isValid(String(repeating: "n", count: 101).utf8))
        try withStorePath { path in
            let file = try openFile(path).file
            let item = FileItem(String(repeating: "n", count: 100), "1")
            try file.append(item)
            try expect(openFile(path, .readOnly).items, equals: [item])
        }
    }

    @Test func `contents have at most 128 MiB`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            let largest = FileItem("large", [UInt8](repeating: 0, count: 128 << 20))
            try file.append(largest)
            let error = #expect(throws: StorageError.self) {
                try file.append(FileItem("larger", largest.contents + [0]))
            }
            expect(error?.code, equals: .limitExceeded)
            try expect(openFile(path, .readOnly).items, equals: [largest])
        }
    }

    @Test func `a level that a codec lacks is refused by name`() {
        for (codec, level) in [(ArchiveCodec.zstd, 0), (.zstd, 20), (.none, 1)] {
            let error = #expect(throws: StorageError.self) { try FileOptions(codec: codec, level: level) }
            expect(error?.code, equals: .configuration)
            expect(error?.message.contains(codec.rawValue), equals: true)
        }
    }

    @Test func `every level can be read again`() throws {
        for level in [1, 19] {
            let files = MemoryFiles()
            let options = try FileOptions(level: level)
            let item = FileItem("a", Array(repeating: 1, count: 20_000) + noiseBytes(20_000))
            let file = try StoreFile.open(
                "/a", .readWrite, options: options, layer: files, logger: silentLogger
            ) { (_) throws(StorageError) in }.0
            try file.append(item)
            try expect(openFile("/a", .readOnly, layer: files).items, equals: [item])
        }
    }
}
