import ArchiveBackend
import FaultyStorage
import Foundation
import StorageAPI
import TestSupport
import Testing

@Suite struct StoreFileTests {
    @Test(arguments: ArchiveCodec.allCases)
    func `what was appended is read back in order`(codec: ArchiveCodec) throws {
        try withStorePath { path in
            let file = try openFile(path, .readWrite, codec: codec).file
            try file.append(FileItem("STORE.plist", "begin"))
            try file.append(FileItem("Person/1.plist", "one"), FileItem("Person/2.plist", []))
            try file.append(FileItem("Person/1.plist", noiseBytes(600)))
            try file.close()
            let again = try openFile(path)
            expect(again.recovery, equals: Recovery(commits: 3))
            expect(again.file.codec, equals: codec)
            expect(again.commits[0], equals: [FileItem("STORE.plist", "begin")])
            expect(again.commits[1], equals: [FileItem("Person/1.plist", "one"), FileItem("Person/2.plist", [])])
            expect(again.commits[2], equals: [FileItem("Person/1.plist", noiseBytes(600))])
        }
    }

    @Test(arguments: ArchiveCodec.allCases)
    func `a commit of several frames is one commit`(codec: ArchiveCodec) throws {
        try withStorePath { path in
            // Three frames: the contents are more than two times the size after which a frame ends.
            let items = (0..<10).map { FileItem("Big/\($0)", Array(repeating: $0, count: 900_000) + noiseBytes(1000)) }
            let file = try openFile(path, .readWrite, codec: codec).file
            try file.append(FileItem("first", "1"))
            try file.append { (writer) throws(StorageError) in try writer.add(items) }
            expect(file.sequence, equals: 1)
            let read = try openFile(path, .readOnly)
            expect(read.commits[1], equals: items)
        }
    }

    // Six bits of eight: zstd's levels from 1 on shrink it to three quarters by coding single bytes, which is slow to read.
    private let dense = FileItem("dense", noiseBytes(400_000).map { $0 & 0x3F })

    @Test(arguments: [nil, 3])
    func `large contents that hardly shrink are stored for fast reading, unless a level is given`(level: Int?) throws {
        try withStorePath { path in
            let file = try openFile(path, level: level).file
            try file.append(FileItem("first", "1"))
            try file.append(dense)
            let uniform = FileItem("uniform", Array(repeating: 7, count: 400_000))
            try file.append(uniform)
            try file.close()
            try expect(openFile(path).items, equals: [FileItem("first", "1"), dense, uniform])
            let size = try fileBytes(path).count
            expect(level == nil ? (400_000..<402_000).contains(size) : (300_000..<310_000).contains(size), "\(size)")
        }
    }

    private let large = [UInt8](repeating: 3, count: 9_000_000)

    @Test(arguments: ArchiveCodec.allCases)
    func `a rewritten file has what it was rewritten with`(codec: ArchiveCodec) throws {
        try withStorePath { path in
            let file = try openFile(path, .readWrite, codec: .zstd).file
            try file.append(FileItem("a", "old"))
            let id = file.storeID
            try file.close()
            let again = try openFile(path, .readWrite, codec: codec).file
            try again.rewrite([FileItem("a", "new"), FileItem("b", large)])
            try again.append(FileItem("c", "later"))
            expect(again.generation, equals: 1)
            expect(again.codec, equals: codec)
            expect(again.storeID, equals: id)
            try again.close()
            try expect(
                openFile(path).items, equals: [FileItem("a", "new"), FileItem("b", large), FileItem("c", "later")])
            try expect(fileNames(beside: path), equals: ["a.karch", "a.karch-lock"])
        }
    }

    @Test func `each commit of a rewritten file says that the ones before are on the disk`() throws {
        let files = MemoryFiles()
        let file = try openFile("/a.karch", layer: files).file
        // Each entry fills a frame, and a commit of a rewritten file has four.
        let part = [UInt8](repeating: 0, count: 4 << 20)
        try file.rewrite((0..<5).map { FileItem("n\($0)", part) })
        let bytes = try #require(files["/a.karch"])
        let payload = bytes[(bytes.count - 80)...]
        func field(_ place: Int) -> [UInt8] { Array(payload.dropFirst(place).prefix(8)) }
        expect(field(24), equals: [1, 0, 0, 0, 0, 0, 0, 0])
        expect(field(32) != [UInt8](repeating: 0, count: 8))
        expect(field(56), equals: field(32))
    }

    @Test func `a body that throws leaves the file as it was`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            let before = try fileBytes(path)
            let error = #expect(throws: StorageError.self) {
                try file.append { (writer) throws(StorageError) in
                    try writer.add(name: "b", Array(repeating: 1, count: 20_000_000))
                    throw StorageError(.cancelled, "enough")
                }
            }
            expect(error?.code, equals: .cancelled)
            try expect(fileBytes(path), equals: before)
            try file.append(FileItem("c", "3"))
            try expect(openFile(path, .readOnly).items, equals: [FileItem("a", "1"), FileItem("c", "3")])
        }
    }

    @Test func `a commit of nothing is none`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            let before = try fileBytes(path)
            try file.append()
            try expect(fileBytes(path), equals: before)
            expect(file.sequence, equals: 0)
        }
    }

    @Test func `a closed file says so`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            try file.close()
            try file.close()
            #expect(throws: StorageError.self) { try file.append(FileItem("b", "2")) }
            try expect(openFile(path).items, equals: [FileItem("a", "1")])
        }
    }

    @Test(arguments: ["", "/a", "a/", "a//b", "../a", "a/../b", "./a", "-a", ".karch", "a b", "é", "a\u{0}"])
    func `a name outside the grammar is refused`(name: String) throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            let error = #expect(throws: StorageError.self) { try file.append(FileItem(name, "2")) }
            expect(error?.code, equals: .invalidValue)
            try expect(openFile(path, .readOnly).items, equals: [FileItem("a", "1")])
        }
    }
}
