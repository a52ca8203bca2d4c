import ArchiveBackend
import FaultyStorage
import Foundation
import StorageAPI
import TestSupport
import Testing

/// Commits whose checks are right and whose contents are not what a store writes.
@Suite struct HostileFileTests {
    static let path = "/a.karch"
    private static let good = RawHeader("a", size: 3).entry(Array("one".utf8))

    /// Opens a store whose second commit is made by the body: `corrupt`, untouched, and the first commit can be saved.
    private func expectCorrupt(_ name: String, _ make: (inout RawStore) -> Void) throws {
        var raw = RawStore()
        raw.commit(contents: Self.good)
        let second = raw.bytes.count
        make(&raw)
        let files = MemoryFiles()
        files[Self.path] = raw.bytes
        for mode in [StoreFile.Mode.readWrite, .readOnly] {
            let error = #expect(throws: StorageError.self, "\(name)") { try openFile(Self.path, mode, layer: files) }
            expect(error?.code, equals: .corrupt, "\(name)")
            expect(error?.message.contains("byte \(second)"), equals: true, "\(name): \(error?.message ?? "")")
        }
        expect(files[Self.path], equals: raw.bytes)
        let salvaged = try openFile(Self.path, .salvage, layer: files)
        expect(salvaged.items.first, equals: FileItem("a", "one"), "\(name)")
        expect(salvaged.recovery.damage.count, equals: 1, "\(name)")
    }

    @Test func `a store made by hand after the format's description is read`() throws {
        var raw = RawStore()
        raw.commit(contents: Self.good)
        raw.commit(
            contents: RawHeader("b/c.plist", size: 600).entry(noiseBytes(600)) + RawHeader("d", size: 0).entry([]))
        let files = MemoryFiles()
        files[Self.path] = raw.bytes
        let opened = try openFile(Self.path, layer: files)
        expect(opened.commits[0], equals: [FileItem("a", "one")])
        expect(opened.commits[1], equals: [FileItem("b/c.plist", noiseBytes(600)), FileItem("d", [])])
        try opened.file.append(FileItem("e", "5"))
        try expect(openFile(Self.path, .readOnly, layer: files).items.last, equals: FileItem("e", "5"))
    }

    private static let headers: [(String, RawHeader)] = {
        let plain = RawHeader("b", size: 3)
        var cases = [
            ("hard link", "1"), ("symbolic link", "2"), ("character device", "3"), ("block device", "4"),
            ("folder", "5"),
            ("fifo", "6"), ("contiguous file", "7"), ("pax header", "x"), ("global pax header", "g"),
            ("GNU sparse file", "S"), ("GNU long name", "L"), ("GNU long link", "K"), ("old regular file", "\u{0}"),
        ].map { ($0.0, plain.with(156, $0.1).with(157, $0.0 == "symbolic link" ? "/etc/passwd" : "")) }
        for name in ["../../etc/passwd", "/etc/passwd", "a/../b", "./b", "", "-rf", "b\\c", "b c", ".karch"] {
            cases.append(("the name \(name)", RawHeader(name, size: 3)))
        }
        return cases + [
            ("a size of 2^62", plain.with(124, [0x80, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0])),
            ("a negative size", plain.with(124, [UInt8](repeating: 0xFF, count: 12))),
            ("a size that is no number", plain.with(124, "0000000003x")),
            ("more than 128 MiB", RawHeader("b", size: 128 << 20 + 1)), ("8 GiB", RawHeader("b", size: 8 << 30 - 1)),
            ("a set-user-id bit", plain.with(100, "0004755")), ("an owner", plain.with(108, "0001750")),
            ("a link target", plain.with(157, "b")), ("a user's name", plain.with(265, "root")),
            ("a name prefix", plain.with(345, "..")), ("a GNU header", plain.with(257, "ustar  ")),
            ("bytes after the header", plain.with(511, "x")),
        ]
    }()

    @Test func `only plain files are taken`() throws {
        for (name, header) in Self.headers {
            try expectCorrupt(name) { $0.commit(contents: header.entry(Array("two".utf8))) }
        }
    }

    @Test func `a wrong sum, padding that is not zero, end blocks and cut entries are refused`() throws {
        let entry = RawHeader("b", size: 3).entry(Array("two".utf8))
        var wrong = entry
        wrong[148] ^= 1
        try expectCorrupt("a wrong sum") { $0.commit(contents: wrong) }
        try expectCorrupt("padding") { $0.commit(contents: entry.dropLast() + [1]) }
        try expectCorrupt("end blocks") { $0.commit(contents: entry + [UInt8](repeating: 0, count: 1024)) }
        try expectCorrupt("half a header") { $0.commit(contents: entry + entry.prefix(100)) }
        try expectCorrupt("half an entry") {
            $0.commit(contents: RawHeader("b", size: 60 << 20).checked + noiseBytes(512))
        }
        try expectCorrupt("no tar") { $0.commit(contents: noiseBytes(4096)) }
    }

    @Test func `a giant pax header is refused before it is read`() throws {
        let text = Array("5000000 comment=".utf8) + [UInt8](repeating: 0x61, count: 4_999_983) + [0x0A]
        let header = RawHeader("b", size: text.count).with(156, "x")
        try expectCorrupt("giant header") { $0.commit(contents: header.entry(text) + Self.good) }
        let sparse = Array("30 GNU.sparse.size=8589934592\n".utf8)
        let sparseHeader = RawHeader("b", size: sparse.count).with(156, "x")
        try expectCorrupt("pax sparse") { $0.commit(contents: sparseHeader.entry(sparse) + Self.good) }
    }

    @Test func `a bomb is refused at the first byte too many`() throws {
        let header = RawHeader("b", size: 60 << 20).checked
        let bomb = RawStore.bomb(header, blocks: 8192)
        try expectCorrupt("said to be 1 GiB") { $0.commit(frame: bomb, contents: 8192 * 128 << 10 + 513) }
        try expectCorrupt("said to be small") { $0.commit(frame: bomb, contents: 1024) }
        try expectCorrupt("said to be of the largest size") { $0.commit(frame: bomb, contents: 128 << 20) }
    }

    @Test func `a trailer that tells other contents is refused`() throws {
        for claimed in [0, 512, 1536, Int.max] {
            try expectCorrupt("\(claimed)") {
                $0.claimedContents = claimed
                $0.commit(contents: Self.good)
            }
        }
    }

    @Test func `frames that need a dictionary or much memory, or have no check, are refused`() throws {
        try expectCorrupt("2 GiB") { $0.commit(frame: RawStore.frame(Self.good, window: 0xA8), contents: 1024) }
        try expectCorrupt("9 MiB") { $0.commit(frame: RawStore.frame(Self.good, window: 0x69), contents: 1024) }
        try expectCorrupt("no check") { $0.commit(frame: RawStore.frame(Self.good, descriptor: 0), contents: 1024) }
        try expectCorrupt("dictionary") { $0.commit(frame: RawStore.frame(Self.good, descriptor: 5), contents: 1024) }
        try expectCorrupt("reserved bit") {
            $0.commit(frame: RawStore.frame(Self.good, descriptor: 12), contents: 1024)
        }
        try expectCorrupt("wrong check") {
            $0.commit(frame: RawStore.frame(Self.good).dropLast() + [9], contents: 1024)
        }
        try expectCorrupt("no frame") { $0.commit(frame: noiseBytes(300), contents: 1024) }
    }

    @Test func `a commit of another store, or out of its order, does not count`() throws {
        var raw = RawStore()
        raw.commit(contents: Self.good)
        let first = raw.bytes
        raw.commit(contents: RawHeader("b", size: 3).entry(Array("two".utf8)))
        let second = Array(raw.bytes.dropFirst(first.count))
        raw.commit(contents: RawHeader("c", size: 3).entry(Array("thr".utf8)))
        let third = Array(raw.bytes.dropFirst(first.count + second.count))
        var other = RawStore(store: Array(repeating: 9, count: 16))
        other.commit(contents: Self.good)
        other.commit(contents: RawHeader("x", size: 3).entry(Array("two".utf8)))
        let foreign = Array(other.bytes.dropFirst(first.count))
        try expectItems(["a"], torn: true, first + foreign)
        try expectItems(["a"], torn: true, first + first)
        try expectItems(["a", "b"], torn: true, first + second + second)
        try expectItems(nil, torn: false, first + third)
        try expectItems(nil, torn: false, first + third + second)
        try expectItems(nil, torn: false, first + foreign + third)
        try expectItems(nil, torn: false, second + third)
        try expectItems(["a", "b", "c"], torn: false, first + second + third)
    }

    @Test func `a commit of a copy that went another way does not count`() throws {
        var raw = RawStore()
        raw.commit(contents: Self.good)
        var copy = raw
        raw.commit(contents: RawHeader("b", size: 3).entry(Array("two".utf8)))
        copy.commit(contents: RawHeader("x", size: 3).entry(Array("two".utf8)))
        expect(raw.bytes.count, equals: copy.bytes.count)
        let shared = raw.bytes.count
        raw.commit(contents: RawHeader("c", size: 3).entry(Array("thr".utf8)))
        copy.commit(contents: RawHeader("y", size: 3).entry(Array("thr".utf8)))
        try expectItems(["a", "b", "c"], torn: false, raw.bytes)
        try expectItems(["a", "x", "y"], torn: false, copy.bytes)
        // Only the chain tells that the last commit followed another one.
        try expectItems(nil, torn: false, Array(raw.bytes[..<shared] + copy.bytes[shared...]))
    }

    /// Names of the entries that are read, or nil for `corrupt`.
    private func expectItems(_ names: [String]?, torn: Bool, _ bytes: [UInt8]) throws {
        let files = MemoryFiles()
        files[Self.path] = bytes
        do {
            let opened = try openFile(Self.path, layer: files)
            expect(opened.items.map(\.name), equals: names)
            expect((opened.recovery.torn != nil) == torn)
        } catch {
            expect(error.code == .corrupt && names == nil, "\(error)")
            expect(files[Self.path], equals: bytes)
        }
    }

    @Test(arguments: [(9, 9, 5), (9, 0, 1), (1, 9, 5), (1, 0, 1)] as [(UInt16, UInt8, Int)])
    func `trailers in what is stored are contents, also in a torn tail`(version: UInt16, store: UInt8, commits: Int)
        throws
    {
        // A file that is stored in this one: another store's, or this one's as it was.
        var stored = RawStore()
        if store > 0 { stored.store = Array(repeating: store, count: 16) }
        stored.version = version
        for _ in 0..<commits { stored.commit(contents: RawHeader("x", size: 3).entry(Array("two".utf8))) }
        var raw = RawStore()
        raw.commit(contents: Self.good)
        let first = raw.bytes.count
        raw.commit(contents: RawHeader("b", size: stored.bytes.count).entry(stored.bytes))
        for end in stride(from: first + 100, to: raw.bytes.count, by: 50) {
            try expectItems(["a"], torn: true, Array(raw.bytes[..<end]))
        }
        try expectItems(["a", "b"], torn: false, raw.bytes)
    }

    @Test func `a newer version is told and not touched`() throws {
        for newerFirst in [true, false] {
            var raw = RawStore()
            raw.version = newerFirst ? 9 : 1
            raw.commit(contents: Self.good)
            raw.version = 9
            // Perhaps not even frames are found in the way of today.
            raw.commit(frame: newerFirst ? RawStore.frame(Self.good) : noiseBytes(99), contents: 1024)
            let files = MemoryFiles()
            files[Self.path] = raw.bytes
            for mode in [StoreFile.Mode.readWrite, .readOnly] {
                let error = #expect(throws: StorageError.self) { try openFile(Self.path, mode, layer: files) }
                expect(error?.code, equals: .schemaNewer)
            }
            expect(files[Self.path], equals: raw.bytes)
        }
    }
}
