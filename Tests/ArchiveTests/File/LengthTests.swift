import ArchiveBackend
import FaultyStorage
import Foundation
import StorageAPI
import TestSupport
import Testing

/// A file knows how long it is, so that one that was cut is not taken for a shorter one.
@Suite(.repeatable) struct LengthTests {
    private static let path = "/a.karch"
    private static let items = (0..<4).map { FileItem("n\($0)", noiseBytes(200, seed: UInt64($0 + 1))) }

    /// Returns the range of the length's record in a file that begins with a commit.
    static func record(_ codec: ArchiveCodec, of first: [FileItem]) throws -> Range<Int> {
        let files = MemoryFiles()
        let file = try openFile(path, .readWrite, codec: codec, layer: files).file
        try file.append { (writer) throws(StorageError) in try writer.add(first) }
        // As long as a trailer.
        let size = codec == .zstd ? 88 : 1024
        return Int(file.size) - size..<Int(file.size)
    }

    /// A file with commits of one item each.
    private static func made(_ codec: ArchiveCodec = .zstd, on files: MemoryFiles) throws -> StoreFile {
        let file = try openFile(path, .readWrite, codec: codec, layer: files).file
        for item in items { try file.append(item) }
        return file
    }

    private static func expectCut(_ files: MemoryFiles, _ bytes: [UInt8], at cut: Int) throws {
        files[path] = Array(bytes[..<cut])
        for mode in [StoreFile.Mode.readWrite, .readOnly] {
            let error = #expect(throws: StorageError.self, "cut at \(cut)") { try openFile(path, mode, layer: files) }
            try #require(error?.code == .corrupt, "cut at \(cut): \(String(describing: error))")
            try #require(error?.message.contains("salvage") == true)
        }
        try #require(files[path] == Array(bytes[..<cut]))
        files[path + "-lock"] = nil
    }

    @Test(arguments: ArchiveCodec.allCases) func `a closed file that was cut anywhere is found`(codec: ArchiveCodec)
        throws
    {
        let files = MemoryFiles()
        try Self.made(codec, on: files).close()
        let bytes = try #require(files[Self.path])
        let first = try Self.record(codec, of: [Self.items[0]]).lowerBound
        for cut in TestExtent.share(Array(1..<bytes.count), oneOf: codec == .zstd ? 21 : 183) {
            try Self.expectCut(files, bytes, at: cut)
            guard cut >= first else { continue }
            let salvaged = try openFile(Self.path, .salvage, layer: files)
            try #require(Self.items.starts(with: salvaged.items) && !salvaged.items.isEmpty)
            try #require(salvaged.recovery.damage.count == 1, "cut at \(cut)")
        }
    }

    @Test(arguments: ArchiveCodec.allCases) func `so is a rewritten or copied file`(codec: ArchiveCodec)
        throws
    {
        let files = MemoryFiles()
        let file = try Self.made(codec, on: files)
        try file.rewrite(Self.items)
        let bytes = try #require(files[Self.path])
        // As it is without being closed.
        files.cutPower(keeping: 0)
        for cut in [bytes.count / 2, bytes.count - 1] { try Self.expectCut(files, bytes, at: cut) }
    }

    @Test func `one that was not closed knows its length once it was opened`() throws {
        let files = MemoryFiles()
        let size = Int(try Self.made(on: files).size)
        files.cutPower(keeping: 0)
        try #require(try openFile(Self.path, layer: files).items == Self.items)
        let bytes = Array(try #require(files[Self.path]))
        expect(bytes.count, equals: size)
        for cut in stride(from: 1, to: size, by: 17) { try Self.expectCut(files, bytes, at: cut) }
    }

    @Test(arguments: ArchiveCodec.allCases)
    func `a length that cannot be read costs nothing, and is written when the file is opened`(codec: ArchiveCodec)
        throws
    {
        let files = MemoryFiles()
        try Self.made(codec, on: files).close()
        let bytes = try #require(files[Self.path])
        for place in try Self.record(codec, of: [Self.items[0]]) where codec == .zstd || place.isMultiple(of: 13) {
            files[Self.path] = bytes
            files[Self.path]?[place] ^= 0x20
            try #require(try openFile(Self.path, .readOnly, layer: files).items == Self.items, "byte \(place)")
            let opened = try openFile(Self.path, layer: files)
            try #require(opened.items == Self.items && opened.recovery == Recovery(commits: 4))
            try opened.file.close()
            try #require(files[Self.path] == bytes, "byte \(place)")
        }
    }

    @Test func `opening and closing a closed file writes nothing`() throws {
        let files = MemoryFiles()
        try Self.made(on: files).close()
        let bytes = try #require(files[Self.path])
        files.set(nil)
        let opened = try openFile(Self.path, layer: files)
        try opened.file.close()
        expect(opened.items, equals: Self.items)
        expect(files[Self.path], equals: bytes)
        // The one that names who has the lock.
        expect(files.writes, equals: 1)
    }

    @Test func `a reader that begins while the writer ends finds no cut`() throws {
        let files = MemoryFiles()
        let file = try openFile(Self.path, layer: files).file
        try file.append(Self.items[0])
        // After the reader has looked how long the file is, and before it reads.
        files.beforeRead = {
            files.beforeRead = {}
            for item in Self.items.dropFirst() { try? file.append(item) }
            try? file.close()
        }
        try expect(openFile(Self.path, .readOnly, layer: files).items, equals: Self.items)
    }

    @Test func `a reader is told when its file is cut`() throws {
        let files = MemoryFiles()
        let file = try Self.made(on: files)
        let reader = try openFile(Self.path, .readOnly, layer: files).file
        files[Self.path] = Array(try #require(files[Self.path]).prefix(Int(file.size) - 1))
        let error = #expect(throws: StorageError.self) { try reader.refresh { _ in } }
        expect(error?.code, equals: .corrupt)
    }

    @Test func `a commit that is being written is no torn tail, and an abandoned one is`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            let size = Int(file.size)
            var bytes = try fileBytes(path)
            bytes = Array(bytes.prefix(size)) + [0x28, 0xB5, 0x2F, 0xFD, 4, 0x38, 0, 0]
            let handle = try FileHandle(forWritingTo: URL(filePath: path))
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(bytes))
            try handle.close()
            try expect(openFile(path, .readOnly).recovery.torn == nil)
            // As if it were killed: no process has the lock.
            try writeFile(bytes, to: path + ".copy")
            let torn = try openFile(path + ".copy", .readOnly).recovery.torn
            expect(torn, equals: Recovery.TornTail(offset: Int64(size), size: 8))
            expect(torn?.description.contains("salvage"), equals: true)
        }
    }
}
