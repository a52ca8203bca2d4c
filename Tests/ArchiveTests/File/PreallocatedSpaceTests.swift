import ArchiveBackend
import FaultyStorage
import Foundation
import StorageAPI
import TestSupport
import Testing

/// Preallocated space after the last commit of a file that is being written.
@Suite(.repeatable) struct PreallocatedSpaceTests {
    private static let path = "/a.karch"
    private static let unit = 4096
    private static let largest = 256 << 10

    private static func item(_ number: Int, _ size: Int = 300) -> FileItem {
        FileItem("n\(number)", noiseBytes(size, seed: UInt64(number + 1)))
    }

    /// A store that is still open, as it was before and after its last commit, which is written over preallocated space.
    private static func sample(
        lastSize: Int = 1500
    ) throws -> (before: [UInt8], after: [UInt8], commit: Range<Int>, items: [FileItem]) {
        let files = MemoryFiles()
        let file = try openFile(path, layer: files).file
        let items = (0..<9).map { item($0) } + [item(9, lastSize)]
        for item in items.dropLast() { try file.append(item) }
        let (before, begin) = (try #require(files[path]), Int(file.size))
        try file.append(items[9])
        return (before, try #require(files[path]), begin..<Int(file.size), items)
    }

    private static func opened(
        _ bytes: [UInt8], _ mode: StoreFile.Mode = .readWrite
    ) throws -> (opened: OpenedFile, files: MemoryFiles) {
        let files = MemoryFiles()
        files[path] = bytes
        return (try openFile(path, mode, layer: files), files)
    }

    @Test func `durable commits are written over preallocated space, of which a closed file has none`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            let items = (0..<40).map { Self.item($0) }
            var sizes: Set<Int> = []
            for item in items {
                try file.append(item)
                sizes.insert(try fileBytes(path).count)
            }
            expect(sizes.count < 10)
            try expect(fileBytes(path).count > Int(file.size))
            try expect(openFile(path, .readOnly).items, equals: items)
            try file.close()
            let closed = try openFile(path, .readOnly)
            expect(closed.recovery, equals: Recovery(commits: 40))
            try expect(fileBytes(path).count, equals: Int(closed.file.size))
            expect(closed.items, equals: items)
        }
    }

    @Test func `there is as much space as was written since the file was opened, up to 256 KiB`() throws {
        let files = MemoryFiles()
        let first = try openFile(Self.path, layer: files).file
        try first.append(Self.item(0, 100_000))
        try first.close()
        let file = try openFile(Self.path, layer: files).file
        let opened = Int(file.size)
        var largest = 0
        for number in 1..<60 {
            let written = Int(file.size) - opened
            try file.append(Self.item(number, 10_000))
            let space = try #require(files[Self.path]).count - Int(file.size)
            expect(space <= min(written, Self.largest) + Self.unit)
            expect(written > 0 || space == 0)
            largest = max(largest, space)
        }
        expect(largest > Self.largest / 2)
    }

    @Test(arguments: ArchiveCodec.allCases, [false, true])
    func `only zstd's commits that are waited for preallocate space`(codec: ArchiveCodec, durable: Bool) throws {
        let files = MemoryFiles()
        let file = try openFile(Self.path, .readWrite, codec: codec, layer: files).file
        for number in 0..<10 { try file.append(Self.item(number), durable: durable) }
        expect((try #require(files[Self.path]).count > Int(file.size)) == (codec == .zstd && durable))
    }

    @Test func `commits that are larger than the space, or leave too little of it, run over its end`() throws {
        for size in Array(stride(from: 1, to: 9000, by: 500)) + Array(3250..<3300) {
            let (bytes, durable) = try Self.twoWays(size)
            for (bytes, isRelaxed) in [(bytes, true), (durable, false)] {
                let opened = try Self.opened(bytes).opened
                try #require(opened.recovery == Recovery(commits: 4), "\(size) bytes, relaxed: \(isRelaxed)")
                try #require(opened.items == (0..<3).map { Self.item($0) } + [Self.item(3, size)])
            }
        }
    }

    /// A store with preallocated space, and a last commit of a size, which is not waited for, and which is.
    private static func twoWays(_ size: Int) throws -> (relaxed: [UInt8], durable: [UInt8]) {
        func make(durable: Bool) throws -> [UInt8] {
            let files = MemoryFiles()
            let file = try openFile(path, layer: files).file
            for number in 0..<3 { try file.append(item(number)) }
            try file.append(item(3, size), durable: durable)
            return try #require(files[path])
        }
        return (try make(durable: false), try make(durable: true))
    }

    @Test func `a file that was not closed loses its preallocated space without a word`() throws {
        let (_, bytes, commit, items) = try Self.sample()
        expect(bytes.count > commit.upperBound)
        let files = MemoryFiles()
        files[Self.path] = bytes
        let lines = FileLog()
        let opened = try openFile(Self.path, layer: files, logger: lines.logger)
        expect(opened.recovery, equals: Recovery(commits: 10))
        expect(opened.items, equals: items)
        expect(files[Self.path]?.count, equals: commit.upperBound)
        expect(lines.taken.isEmpty)
        expect(files.names, equals: [Self.path, Self.path + "-lock"])
    }

    @Test func `a reader sees commits that change neither the file's size nor its time`() throws {
        // Files in memory have no time.
        let files = MemoryFiles()
        let writer = try openFile(Self.path, layer: files).file
        try writer.append(Self.item(0))
        let reader = try openFile(Self.path, .readOnly, layer: files).file
        var sizes: [Int] = []
        for number in 1..<20 {
            try writer.append(Self.item(number))
            sizes.append(try #require(files[Self.path]).count)
            var items: [FileItem] = []
            let refresh = try reader.refresh { items.append(FileItem($0.name, Array($0.contents))) }
            expect(refresh, equals: .commits(1))
            expect(items, equals: [Self.item(number)])
            try expect(reader.refresh { _ in }, equals: .commits(0))
        }
        expect(Set(sizes).count < 10)
        try writer.close()
        try expect(reader.refresh { _ in }, equals: .commits(0))
    }

    @Test func `a reader that met half of a commit reads it when it is whole`() throws {
        let (before, after, commit, items) = try Self.sample()
        let files = MemoryFiles()
        files[Self.path] = before
        let reader = try openFile(Self.path, .readOnly, layer: files).file
        for end in stride(from: commit.lowerBound, to: commit.upperBound, by: 50) {
            files[Self.path] = Array(after[..<end] + before[end...])
            try expect(reader.refresh { _ in }, equals: .commits(0))
        }
        files[Self.path] = after
        var names: [String] = []
        try expect(reader.refresh { names.append($0.name) }, equals: .commits(1))
        expect(names, equals: [items[9].name])
    }

    @Test func `a commit that is written over preallocated space in part is a torn tail, which is kept aside`() throws {
        let (before, after, commit, items) = try Self.sample()
        for end in TestExtent.share(Array(commit.dropFirst()), oneOf: 15) {
            let torn = Array(after[..<end] + before[end...])
            let (opened, files) = try Self.opened(torn)
            try #require(opened.items == Array(items.dropLast()), "\(end)")
            try #require(opened.recovery.torn?.offset == Int64(commit.lowerBound))
            try #require(files[Self.path]?.count == commit.lowerBound)
            try #require(files[Self.path + ".torn-9"] == Array(torn[commit.lowerBound...]))
            guard TestExtent.isLarge || end % 8 == TestExtent.seed % 8 else { continue }
            try opened.file.append(items[9])
            try #require(try openFile(Self.path, .readOnly, layer: files).items == items)
        }
    }

    @Test func `of a commit that is written over preallocated space, any sectors may reach the disk`() throws {
        let (before, after, commit, items) = try Self.sample()
        let sectors = commit.lowerBound / 512..<(commit.upperBound + 8 + 511) / 512
        expect(sectors.count > 3)
        for pattern in 0..<(1 << sectors.count) {
            var bytes = before
            for sector in sectors where pattern >> (sector - sectors.lowerBound) & 1 == 1 {
                let range = sector * 512..<min(sector * 512 + 512, bytes.count)
                bytes.replaceSubrange(range, with: after[range])
            }
            let opened = try Self.opened(bytes).opened
            let isWhole = bytes[commit] == after[commit]
            try #require(opened.items == (isWhole ? items : items.dropLast()), "\(pattern)")
            try #require((opened.recovery.torn == nil) == (bytes == before || bytes == after), "\(pattern)")
        }
    }

    @Test func `a sector that a disk has lost is damage once a later commit was waited for`() throws {
        let (before, after, commit, items) = try Self.sample()
        let (opened, files) = try Self.opened(after)
        try opened.file.append(Self.item(10))
        try opened.file.append(Self.item(11))
        var bytes = try #require(files[Self.path])
        let lost = commit.lowerBound / 512 * 512
        bytes.replaceSubrange(lost..<lost + 512, with: before[lost..<lost + 512])
        let error = #expect(throws: StorageError.self) { try Self.opened(bytes) }
        expect(error?.code, equals: .corrupt)
        expect(error?.message.contains("\(commit.lowerBound)"), equals: true)
        let salvaged = try Self.opened(bytes, .salvage).opened
        expect(salvaged.items, equals: items.dropLast() + [Self.item(10), Self.item(11)])
        expect(salvaged.recovery.damage.map(\.range.lowerBound), equals: [Int64(commit.lowerBound)])
    }

    @Test func `a byte changed in preallocated space, or a file cut in it, loses no commit`() throws {
        let (_, bytes, commit, items) = try Self.sample()
        for place in TestExtent.share(Array(commit.upperBound..<bytes.count), oneOf: 33) {
            var changed = bytes
            changed[place] ^= 0x80
            try #require(try Self.opened(changed).opened.items == items, "\(place)")
            try #require(try Self.opened(changed, .readOnly).opened.items == items, "\(place)")
            try #require(try Self.opened(Array(bytes[..<place])).opened.items == items, "\(place)")
        }
    }

    @Test(arguments: [0, 7, 8, 100, 400])
    func `a disk that has space for a commit, and not for more after it, takes the commit`(free: Int) throws {
        let (_, bytes, commit, items) = try Self.sample()
        let (opened, files) = try Self.opened(bytes)
        try opened.file.append(Self.item(10))
        let size = Int(opened.file.size) - commit.upperBound
        files.limit(to: files.used + size + free)
        try opened.file.append(Self.item(11))
        try expect(#require(files[Self.path]).count, equals: Int(opened.file.size))
        let reader = try openFile(Self.path, .readOnly, layer: files)
        expect(reader.items, equals: items + [Self.item(10), Self.item(11)])
        expect(reader.recovery.torn == nil)
        #expect(throws: StorageError.self) { try opened.file.append(Self.item(12, 5000)) }
        files.limit(to: nil)
        for number in 12..<20 { try opened.file.append(Self.item(number)) }
        try expect(#require(files[Self.path]).count > Int(opened.file.size))
        try expect(openFile(Self.path, .readOnly, layer: files).items.count, equals: 20)
    }

    @Test func `preallocated space that cannot be given back does not keep a file from being closed`() throws {
        let files = MemoryFiles()
        let lines = FileLog()
        let file = try openFile(Self.path, layer: files, logger: lines.logger).file
        for number in 0..<4 { try file.append(Self.item(number)) }
        // The seal is written first.
        files.set(MemoryFiles.Fault(call: 1))
        try file.close()
        expect(lines.taken, equals: ["warning: Preallocated space at the end of a store file was not given back"])
        files.set(nil)
        try expect(openFile(Self.path, layer: files).items, equals: (0..<4).map { Self.item($0) })
    }

    @Test(arguments: [["bsdtar", "-tf"], ["tar", "-tf"], ["zstd", "-t"]].filter { ToolTests.has($0[0]) })
    func `other programs pass over preallocated space`(command: [String]) throws {
        try withStorePath { path in
            let file = try openFile(path).file
            for number in 0..<5 { try file.append(Self.item(number)) }
            let copy = path + ".zst"
            try writeFile(try fileBytes(path), to: copy)
            try expect(fileBytes(copy).count > Int(file.size))
            let (status, text) = try ToolTests.run(command[0], [command[1], copy])
            expect(status, equals: 0, "\(text)")
            if command[0] != "zstd" { expect(text, equals: "n0\nn1\nn2\nn3\nn4\n") }
        }
    }
}
