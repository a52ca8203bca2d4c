import ArchiveBackend
import FaultyStorage
import Foundation
import StorageAPI
import TestSupport
import Testing

/// One writer and any readers.
@Suite struct SharingTests {
    @Test func `a second writer is told who is the first`() throws {
        try withStorePath { path in
            let first = try openFile(path).file
            try first.append(FileItem("a", "1"))
            let error = #expect(throws: StorageError.self) { try openFile(path) }
            expect(error?.code, equals: .locked)
            expect(
                error?.message.contains("process \(ProcessInfo.processInfo.processIdentifier) on host "), equals: true)
            try first.rewrite([FileItem("a", "2")])
            #expect(throws: StorageError.self) { try openFile(path) }
            try first.close()
            try expect(openFile(path).items, equals: [FileItem("a", "2")])
        }
    }

    @Test func `an opening that is refused leaves no lock file, and another's where it is`() throws {
        let files = MemoryFiles()
        files["/a.karch"] = Array("no store".utf8)
        #expect(throws: StorageError.self) { try openFile("/a.karch", layer: files) }
        expect(files.names, equals: ["/a.karch"])
        files["/a.karch-lock"] = []
        #expect(throws: StorageError.self) { try openFile("/a.karch", layer: files) }
        expect(files.names, equals: ["/a.karch", "/a.karch-lock"])
    }

    @Test func `a lock on a file that was removed meanwhile is none`() throws {
        let files = MemoryFiles()
        var other: OpenedFile?
        // Between its being opened and being locked, its creator removes it, and another store is opened.
        files.beforeLock = {
            files.beforeLock = {}
            try? files.remove("/a.karch-lock")
            other = try? openFile("/a.karch", layer: files)
        }
        let error = #expect(throws: StorageError.self) { try openFile("/a.karch", layer: files) }
        expect(error?.code, equals: .locked)
        expect(other != nil)
    }

    @Test func `a second writer through a symbolic link is turned away too`() throws {
        try withStorePath { path in
            let first = try openFile(path).file
            try first.append(FileItem("a", "1"))
            let link = path + "-link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect(throws: StorageError.self) { try openFile(link) }
            try first.close()
            let second = try openFile(link).file
            try second.rewrite([FileItem("a", "2")])
            try expect(openFile(path, .readOnly).items, equals: [FileItem("a", "2")])
        }
    }

    @Test func `a second writer by another name of the same file is turned away`() throws {
        try withStorePath { path in
            let first = try openFile(path).file
            try first.append(FileItem("a", "1"))
            let other = path + "-other"
            try FileManager.default.linkItem(atPath: path, toPath: other)
            let error = #expect(throws: StorageError.self) { try openFile(other) }
            expect(error?.code, equals: .locked)
            try expect(!fileNames(beside: path).contains("a.karch-other-lock"))
            try first.close()
            try expect(openFile(other).items, equals: [FileItem("a", "1")])
        }
    }

    @Test(arguments: [false, true])
    func `removing the lock file lets no second writer in`(isRewritten: Bool) throws {
        try withStorePath { path in
            let first = try openFile(path).file
            try first.append(FileItem("a", "1"))
            if isRewritten { try first.rewrite([FileItem("a", "1")]) }
            try FileManager.default.removeItem(atPath: path + "-lock")
            let error = #expect(throws: StorageError.self) { try openFile(path) }
            expect(error?.code, equals: .locked)
            try first.append(FileItem("b", "2"))
            try first.close()
            try expect(openFile(path).items, equals: [FileItem("a", "1"), FileItem("b", "2")])
        }
    }

    @Test func `of two writers of a store that is not there yet, one makes it`() throws {
        try withStorePath { path in
            let first = try openFile(path).file
            try FileManager.default.removeItem(atPath: path + "-lock")
            let second = try openFile(path).file
            try first.append(FileItem("a", "1"))
            let error = #expect(throws: StorageError.self) { try second.append(FileItem("b", "2")) }
            expect(error?.code, equals: .io)
            try first.append(FileItem("c", "3"))
            try expect(openFile(path, .readOnly).items, equals: [FileItem("a", "1"), FileItem("c", "3")])
        }
    }

    @Test func `a temporary file that another writer has removed or replaced takes no place`() throws {
        for isReplaced in [false, true] {
            let files = MemoryFiles()
            let file = try openFile("/a.karch", layer: files).file
            try file.append(FileItem("a", "1"))
            let error = #expect(throws: StorageError.self) {
                try file.rewrite { (writer) throws(StorageError) in
                    try writer.add([FileItem("b", "2")])
                    try? files.remove("/a.karch.tmp")
                    if isReplaced { files["/a.karch.tmp"] = [1, 2, 3] }
                }
            }
            expect(error?.code, equals: .io)
            try expect(openFile("/a.karch", .readOnly, layer: files).items, equals: [FileItem("a", "1")])
        }
    }

    /// The ways in which an open file may be lost.
    enum Loss: String, CaseIterable {
        case removed, renamed, replaced, linkedTo

        func happen(to path: String) throws {
            let manager = FileManager.default
            if self == .removed { return try manager.removeItem(atPath: path) }
            try manager.moveItem(atPath: path, toPath: path + ".old")
            if self == .replaced { try writeFile(Array("somebody's".utf8), to: path) }
            if self == .linkedTo { try manager.createSymbolicLink(atPath: path, withDestinationPath: path + ".old") }
        }
    }

    @Test(arguments: Loss.allCases)
    func `nothing is acknowledged, and nothing replaced, once the file is not the one of its name`(loss: Loss) throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            try loss.happen(to: path)
            let before = try? fileBytes(path)
            for durable in [true, false] {
                let error = #expect(throws: StorageError.self) { try file.append(FileItem("b", "2"), durable: durable) }
                expect(error?.code, equals: .io)
                expect(error?.message.contains(path), equals: true)
            }
            #expect(throws: StorageError.self) { try file.rewrite([FileItem("b", "2")]) }
            expect((try? fileBytes(path)) == before)
            try expect(!fileNames(beside: path).contains("a.karch.tmp"))
            guard loss != .removed else { return }
            try expect(openFile(path + ".old", .readOnly).items, equals: [FileItem("a", "1")])
            // Where it is put back, nothing has happened.
            if loss != .renamed { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
            try file.append(FileItem("c", "3"))
            try expect(openFile(path, .readOnly).items, equals: [FileItem("a", "1"), FileItem("c", "3")])
        }
    }

    @Test(.enabled(if: ToolTests.has("flock")))
    func `the lock holds between processes`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            try expect(ToolTests.run("flock", ["-n", path + "-lock", "true"]).0, equals: 1)
            try file.close()
            try expect(ToolTests.run("flock", ["-n", path + "-lock", "true"]).0, equals: 0)

            let other = Process()
            other.executableURL = URL(filePath: "/usr/bin/env")
            other.arguments = ["flock", path + "-lock", "sh", "-c", "echo held; cat"]
            let (input, output) = (Pipe(), Pipe())
            (other.standardInput, other.standardOutput) = (input, output)
            try other.run()
            expect(output.fileHandleForReading.availableData, equals: Data("held\n".utf8))
            let error = #expect(throws: StorageError.self) { try openFile(path) }
            expect(error?.code, equals: .locked)
            try expect(openFile(path, .readOnly).items, equals: [FileItem("a", "1")])
            try input.fileHandleForWriting.close()
            other.waitUntilExit()
            try expect(openFile(path).items, equals: [FileItem("a", "1")])
        }
    }

    @Test func `a reader sees later commits when it looks again`() throws {
        try withStorePath { path in
            let writer = try openFile(path).file
            try writer.append(FileItem("a", "1"))
            let reader = try openFile(path, .readOnly)
            expect(reader.items, equals: [FileItem("a", "1")])
            try writer.append(FileItem("b", "2"))
            try writer.append(FileItem("c", "3"), FileItem("d", "4"))
            var items: [FileItem] = []
            let refresh = try reader.file.refresh { items.append(FileItem($0.name, Array($0.contents))) }
            expect(refresh, equals: .commits(2))
            expect(items, equals: [FileItem("b", "2"), FileItem("c", "3"), FileItem("d", "4")])
            expect(reader.file.sequence, equals: 2)
            try expect(reader.file.refresh { _ in }, equals: .commits(0))
        }
    }

    /// A file with one commit, and the same with a second one of several frames, which is not closed.
    private static func large(_ codec: ArchiveCodec) throws -> (before: [UInt8], after: [UInt8]) {
        let files = MemoryFiles()
        let file = try openFile("/a.karch", .readWrite, codec: codec, layer: files).file
        try file.append(FileItem("a", "1"), durable: false)
        let before = try #require(files["/a.karch"])
        try file.append { (writer) throws(StorageError) in
            // Two entries fill a frame, or are one each in a plain tar.
            for number in 0..<8 { try writer.add(name: "n\(number)", noiseBytes(2 << 20, seed: UInt64(number + 1))) }
        }
        return (before, try #require(files["/a.karch"]))
    }

    @Test(arguments: [ArchiveCodec.zstd, .none])
    func `each look at a commit that is being written reads what has come, and not all of it again`(
        codec: ArchiveCodec
    ) throws {
        let (before, after) = try Self.large(codec)
        let files = MemoryFiles()
        files["/a.karch"] = before
        let reader = try openFile("/a.karch", .readOnly, layer: files).file
        for end in stride(from: before.count + (1 << 20), to: after.count, by: 1 << 20) {
            files["/a.karch"] = Array(after[..<end])
            files.set(nil)
            try expect(reader.refresh { _ in }, equals: .commits(0))
            // The last frame, what has come, and what is read for a few bytes.
            expect(files.bytesRead <= 9 << 20, "\(end) of \(after.count)")
        }
        files["/a.karch"] = after
        var names: [String] = []
        try expect(reader.refresh { names.append($0.name) }, equals: .commits(1))
        expect(names, equals: (0..<8).map { "n\($0)" })
    }

    @Test(arguments: [ArchiveCodec.zstd, .none])
    func `a reader sees the commits that were written in the place of one that was taken back`(codec: ArchiveCodec)
        throws
    {
        let (before, after) = try Self.large(codec)
        let files = MemoryFiles()
        files["/a.karch"] = before
        let writer = try openFile("/a.karch", layer: files).file
        try writer.append(FileItem("b", "2"), FileItem("c", "3"), durable: false)
        try writer.append(FileItem("d", "4"), durable: false)
        let other = try #require(files["/a.karch"])
        for end in stride(from: before.count + (5 << 20), to: after.count, by: 3 << 20) {
            for tail in [0, 6 << 20] {
                files["/a.karch"] = before
                let reader = try openFile("/a.karch", .readOnly, layer: files).file
                files["/a.karch"] = Array(after[..<end])
                try expect(reader.refresh { _ in }, equals: .commits(0))
                // Perhaps another one has begun after them.
                files["/a.karch"] = other + after[before.count...].prefix(tail)
                try expect(reader.refresh { _ in }, equals: .commits(2), "\(end), \(tail)")
            }
        }
    }

    @Test func `a reader is told of a rewritten file and keeps the old`() throws {
        try withStorePath { path in
            let writer = try openFile(path).file
            try writer.append(FileItem("a", "1"))
            let reader = try openFile(path, .readOnly).file
            try writer.rewrite([FileItem("a", "2")])
            try expect(reader.refresh { _ in }, equals: .replaced)
            expect(reader.sequence, equals: 0)
        }
    }

    @Test func `a reader writes nothing`() throws {
        try withStorePath { path in
            try openFile(path).file.append(FileItem("a", "1"))
            let reader = try openFile(path, .readOnly).file
            let before = try fileBytes(path)
            #expect(throws: StorageError.self) { try reader.append(FileItem("b", "2")) }
            #expect(throws: StorageError.self) { try reader.rewrite([FileItem("b", "2")]) }
            try reader.close()
            try expect(fileBytes(path), equals: before)
        }
    }

    @Test func `a reader needs a file`() throws {
        try withStorePath { (path) throws in
            for mode in [StoreFile.Mode.readOnly, .salvage] {
                let error = #expect(throws: StorageError.self) { try openFile(path, mode) }
                expect(error?.code, equals: .io)
            }
            try expect(fileNames(beside: path).isEmpty)
        }
    }

    @Test func `a file needs a folder`() throws {
        try withStorePath { (path) throws in
            for path in [path + "/b.karch", path + "-missing/b.karch", path + "-missing/"] {
                let error = #expect(throws: StorageError.self) { try openFile(path) }
                expect(error?.code, equals: .io, "\(path)")
            }
        }
    }

    @Test func `opening and closing a closed file changes nothing`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            try file.close()
            let before = try fileBytes(path)
            try openFile(path).file.close()
            try expect(fileBytes(path), equals: before)
        }
    }

    @Test func `what a broken rewriting left is removed`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            try file.close()
            try writeFile(noiseBytes(100), to: path + ".tmp")
            try expect(openFile(path, .readOnly).items, equals: [FileItem("a", "1")])
            try expect(fileNames(beside: path).contains("a.karch.tmp"))
            try expect(openFile(path).items, equals: [FileItem("a", "1")])
            try expect(fileNames(beside: path), equals: ["a.karch", "a.karch-lock"])
        }
    }

    @Test func `a rewritten file keeps its permissions`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            // 0o666 is more than a usual umask leaves.
            for permissions in [0o600, 0o666] {
                try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
                try file.rewrite([FileItem("a", "2")])
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                expect(attributes[.posixPermissions] as? Int == permissions)
            }
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root may give files away")) func `a rewritten file keeps its owner`() throws
    {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", "1"))
            try FileManager.default.setAttributes(
                [.ownerAccountID: 1234, .groupOwnerAccountID: 5678], ofItemAtPath: path)
            try file.rewrite([FileItem("a", "2")])
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            expect(attributes[.ownerAccountID] as? Int == 1234)
            expect(attributes[.groupOwnerAccountID] as? Int == 5678)
        }
    }
}
