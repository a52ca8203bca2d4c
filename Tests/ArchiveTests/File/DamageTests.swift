import ArchiveBackend
import FaultyStorage
import Foundation
import StorageAPI
import TestSupport
import Testing

/// A store cut anywhere and with any byte changed: the commits before, or an error; never other entries.
@Suite(.repeatable) struct DamageTests {
    static let path = "/a.karch"

    /// Every 9th place of a store in the default's form, and every 87th of the longer other ones; with `--all` each and every
    /// tenth.
    private static func places(_ range: Range<Int>, _ codec: ArchiveCodec) -> [Int] {
        TestExtent.share(Array(range), oneOf: codec == .zstd ? 9 : 87)
    }

    /// A store of five commits, of which the last two were closed one after the other.
    private static func sample(_ codec: ArchiveCodec) throws -> (bytes: [UInt8], commits: [[FileItem]]) {
        let files = MemoryFiles()
        let commits = [
            [FileItem("STORE.plist", "begin")],
            [FileItem("Person/1.plist", "one"), FileItem("Person/2.plist", noiseBytes(50))],
            [FileItem("Person/seg-1.plist", Array(repeating: 7, count: 700) + noiseBytes(100))],
            [FileItem("Person/1.plist", [])],
        ]
        let file = try openFile(path, .readWrite, codec: codec, layer: files).file
        for commit in commits { try file.append { (writer) throws(StorageError) in try writer.add(commit) } }
        // Without the preallocated space after them, which has its own tests.
        return (Array(try #require(files[path]).prefix(Int(file.size))), commits)
    }

    @Test(arguments: ArchiveCodec.allCases)
    func `a store cut at any length has the commits before the cut`(codec: ArchiveCodec) throws {
        let (whole, commits) = try Self.sample(codec)
        var seen: Set<Int> = []
        var outcomes: [String: Int] = [:]
        for length in Self.places(1..<whole.count, codec) {
            let files = MemoryFiles()
            files[Self.path] = Array(whole.prefix(length))
            do {
                let opened = try openFile(Self.path, layer: files)
                let count = opened.recovery.commits
                seen.insert(count)
                outcomes["opened with the commits before the cut", default: 0] += 1
                try #require(opened.items == commits.prefix(count).flatMap(\.self), "cut at \(length)")
                guard TestExtent.isLarge || length % 16 == TestExtent.seed % 16 else { continue }
                try opened.file.append(FileItem("later", "x"))
                try opened.file.close()
                try #require(try openFile(Self.path, layer: files).items.last == FileItem("later", "x"))
            } catch let error as StorageError {
                // Nothing but the first commit may be missed: it is never written in place.
                try #require(error.code == .corrupt && seen.isEmpty, "cut at \(length): \(error)")
                try #require(files[Self.path] == Array(whole.prefix(length)))
                outcomes["corrupt", default: 0] += 1
            }
        }
        report("\(codec), cut at a length", outcomes)
        expect(seen, equals: [1, 2, 3])
    }

    @Test(arguments: ArchiveCodec.allCases)
    func `a changed byte is found in every place`(codec: ArchiveCodec) throws {
        let (whole, commits) = try Self.sample(codec)
        let last = try Self.lastCommit(whole)
        var outcomes: [String: Int] = [:]
        // That the record of the length cannot be read has tests of its own.
        let record = try LengthTests.record(codec, of: commits[0])
        let places = Self.places(whole.indices, codec).filter { !record.contains($0) }
        for place in places {
            for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                var damaged = whole
                damaged[place] ^= mask
                let files = MemoryFiles()
                files[Self.path] = damaged
                do {
                    let opened = try openFile(Self.path, .readOnly, layer: files)
                    // Only the last commit cannot be distinguished from one that was never finished.
                    try #require(place >= last, "byte \(place) of \(whole.count)")
                    try #require(opened.items == commits.dropLast().flatMap(\.self))
                    outcomes["torn", default: 0] += 1
                } catch let error as StorageError {
                    try #require(error.code == .corrupt, "byte \(place): \(error)")
                    outcomes["corrupt", default: 0] += 1
                }
                try #require(files[Self.path] == damaged)
            }
        }
        report("\(codec), a byte changed", outcomes)
        expect(outcomes["torn", default: 0], equals: 3 * places.filter { $0 >= last }.count)
        expect(outcomes["corrupt", default: 0], equals: 3 * places.filter { $0 < last }.count)
    }

    /// Returns the offset at which the last commit begins.
    private static func lastCommit(_ whole: [UInt8]) throws -> Int {
        let files = MemoryFiles()
        files[path] = whole.dropLast()
        return Int(try openFile(path, .readOnly, layer: files).file.size)
    }

    @Test(arguments: ArchiveCodec.allCases)
    func `damage is found by a commit that follows megabytes later`(codec: ArchiveCodec) throws {
        let files = MemoryFiles()
        let file = try openFile(Self.path, .readWrite, codec: codec, layer: files).file
        try file.append(FileItem("a", "1"))
        try file.append(FileItem("b", noiseBytes(3 << 20)))
        try file.append(FileItem("c", "3"))
        // The file is not closed, so its record of its length says nothing of the last two commits.
        var bytes = try #require(files[Self.path])
        bytes[bytes.count - 2 << 20] ^= 1
        for mode in [StoreFile.Mode.readOnly, .readWrite] {
            let damaged = MemoryFiles()
            damaged[Self.path] = bytes
            expect(code { try openFile(Self.path, mode, layer: damaged) }, equals: .corrupt)
            expect(damaged[Self.path], equals: bytes)
        }
    }

    @Test(arguments: ArchiveCodec.allCases)
    func `a closed store shows damage in its last commit too`(codec: ArchiveCodec) throws {
        let files = MemoryFiles()
        let file = try openFile(Self.path, .readWrite, codec: codec, layer: files).file
        try file.append(FileItem("a", "1"))
        let begin = Int(file.size)
        try file.append(FileItem("b", "2"))
        let end = Int(file.size)
        try file.close()
        let whole = try #require(files[Self.path])
        for place in Self.places(begin..<end, codec) {
            var damaged = whole
            damaged[place] ^= 0x10
            files[Self.path] = damaged
            let error = #expect(throws: StorageError.self) { try openFile(Self.path, layer: files) }
            try #require(error?.code == .corrupt, "byte \(place)")
            try #require(files[Self.path] == damaged, "byte \(place)")
        }
    }

    @Test(arguments: ArchiveCodec.allCases)
    func `salvaging reads all but the damaged commit`(codec: ArchiveCodec) throws {
        let (whole, commits) = try Self.sample(codec)
        let last = try Self.lastCommit(whole)
        let record = try LengthTests.record(codec, of: commits[0])
        let places = Self.places(0..<last, codec).filter { !record.contains($0) }
        for place in places {
            var damaged = whole
            damaged[place] ^= 0x01
            let files = MemoryFiles()
            files[Self.path] = damaged
            let opened = try openFile(Self.path, .salvage, layer: files)
            let lost = commits.indices.filter { opened.commits[UInt64($0)] != commits[$0] }
            try #require(lost.count == 1 && opened.commits.count == 3, "byte \(place)")
            try #require(opened.recovery.damage.count == 1)
            try #require(try #require(opened.recovery.damage.first).range.contains(Int64(place)))
        }
        report("\(codec), a byte changed and salvaged", ["read but for its commit": places.count])
    }

    @Test func `a torn tail is copied aside and reported`() throws {
        let (whole, commits) = try Self.sample(.zstd)
        let files = MemoryFiles()
        files[Self.path] = whole.dropLast(10)
        let lines = FileLog()
        let opened = try openFile(Self.path, layer: files, logger: lines.logger)
        let torn = try #require(opened.recovery.torn)
        expect(torn.copy, equals: "/a.karch.torn-3")
        expect(files["/a.karch.torn-3"], equals: Array(whole.dropLast(10).dropFirst(Int(torn.offset))))
        expect(torn.size, equals: Int64(whole.count - 10) - torn.offset)
        expect(opened.items, equals: commits.dropLast().flatMap(\.self))
        expect(lines.taken, equals: ["warning: A store file ended in an unfinished commit"])
        try opened.file.close()

        files[Self.path] = whole.dropLast(9)
        try expect(openFile(Self.path, layer: files).recovery.torn?.copy, equals: "/a.karch.torn-3-2")
    }

    @Test func `a power cut during opening loses no torn tail`() throws {
        let whole = try Self.sample(.zstd).bytes
        let cut = Array(whole.dropLast(10))
        for call in 0... {
            let files = MemoryFiles(fault: MemoryFiles.Fault(call: call, isSticky: true))
            files[Self.path] = cut
            let opened = try? openFile(Self.path, layer: files)
            files.cutPower(keeping: 0)
            let copy = files["/a.karch.torn-3"] ?? []
            expect(files[Self.path] == cut || (files[Self.path] ?? []) + copy == cut, "call \(call)")
            if opened != nil { break }
        }
    }

    @Test func `a tail of zeros is cut off without a copy`() throws {
        let (whole, commits) = try Self.sample(.zstd)
        let files = MemoryFiles()
        files[Self.path] = whole + [UInt8](repeating: 0, count: 3000)
        let opened = try openFile(Self.path, layer: files)
        expect(opened.recovery.torn, equals: Recovery.TornTail(offset: Int64(whole.count), size: 3000, copy: nil))
        expect(opened.items, equals: commits.flatMap(\.self))
        expect(files.names, equals: ["/a.karch", "/a.karch-lock"])
    }

    @Test func `a reader leaves a torn tail alone`() throws {
        let (whole, commits) = try Self.sample(.zstd)
        let files = MemoryFiles()
        files[Self.path] = whole + [1, 2, 3]
        try expect(openFile(Self.path, .readOnly, layer: files).items, equals: commits.flatMap(\.self))
        expect(files[Self.path], equals: whole + [1, 2, 3])
        expect(files.names, equals: ["/a.karch"])
    }

    @Test(arguments: [1, 2, 3])
    func `a reader looks twice before it calls a file damaged`(soundFrom read: Int) throws {
        let (whole, commits) = try Self.sample(.zstd)
        var damaged = whole
        damaged[300] ^= 1
        let files = MemoryFiles()
        files[Self.path] = damaged
        var reads = 0
        files.beforeRead = {
            reads += 1
            if reads == read { files[Self.path] = whole }
        }
        let opened = try? openFile(Self.path, .readOnly, layer: files)
        expect(opened?.items, equals: read < 3 ? commits.flatMap(\.self) : nil)
        files.beforeRead = {}
    }

    @Test(arguments: ["", "SQLite format 3\u{0}", "hello"])
    func `a file of another program is not touched`(text: String) throws {
        let files = MemoryFiles()
        let other = Array(text.utf8) + noiseBytes(2000)
        files[Self.path] = other
        let error = #expect(throws: StorageError.self) { try openFile(Self.path, layer: files) }
        expect(error?.code, equals: .corrupt)
        expect(files[Self.path], equals: other)
    }

    @Test func `an empty file becomes a store`() throws {
        let files = MemoryFiles()
        files[Self.path] = []
        let file = try openFile(Self.path, layer: files).file
        expect(file.sequence == nil)
        try file.append(FileItem("a", "1"))
        try expect(openFile(Self.path, .readOnly, layer: files).items, equals: [FileItem("a", "1")])
    }
}
