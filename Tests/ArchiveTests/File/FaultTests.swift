import ArchiveBackend
import FaultyStorage
import Foundation
import StorageAPI
import TestSupport
import Testing

/// Every system call of a workload fails once, or from then on for ever.
@Suite(.repeatable) struct FaultTests {
    static let path = "/a.karch"

    /// The contents that a store must have after some steps of the workload, and those that it may have instead.
    private struct Expected {
        var acknowledged: [FileItem] = []
        /// The contents that the steps since would have led to, all of which failed.
        var maybe: [[FileItem]] = []

        mutating func step(_ after: [FileItem], _ body: () throws -> Void) throws {
            do {
                try body()
                (acknowledged, maybe) = (after, [])
            } catch let error as StorageError {
                try #require([.io, .full].contains(error.code), "\(error)")
                // A step that failed and is followed by one that did not has left nothing.
                maybe.append(after)
            }
        }
    }

    /// Appends, rewrites, closes and opens again, going on after failures as a program would.
    private static func work(on files: MemoryFiles) throws -> Expected {
        var expected = Expected()
        let (a, b, c, d) = (FileItem("a", "1"), FileItem("b", noiseBytes(5000)), FileItem("c", "3"), FileItem("d", "4"))
        for round in 0..<2 {
            guard let file = try reopen(files, &expected) else { continue }
            try expected.step(expected.acknowledged + [a]) { try file.append(a) }
            try expected.step(expected.acknowledged + [b, c]) { try file.append(b, c, durable: false) }
            try expected.step([d, b]) { try file.rewrite([d, b]) }
            if round == 0 { try expected.step(expected.acknowledged + [c]) { try file.append(c) } }
            do { try file.close() } catch { try #require(error.code == .io) }
        }
        return expected
    }

    /// Opens the store and finds what it must hold, or nil where opening met the fault.
    private static func reopen(_ files: MemoryFiles, _ expected: inout Expected) throws -> StoreFile? {
        do {
            let opened = try openFile(path, layer: files)
            try check(opened.items, expected)
            expected = Expected(acknowledged: opened.items)
            return opened.file
        } catch let error as StorageError {
            try #require([.io, .full].contains(error.code), "\(error)")
            return nil
        }
    }

    private static func check(_ items: [FileItem], _ expected: Expected) throws {
        try #require(items == expected.acknowledged || expected.maybe.contains(items))
    }

    private static func checkReadable(_ files: MemoryFiles, _ expected: Expected, call: Int) throws {
        files.set(nil)
        let opened = try openFile(path, layer: files)
        try check(opened.items, expected)
        try opened.file.append(FileItem("later", "x"))
        try opened.file.close()
        let again = try openFile(path, layer: files)
        try #require(again.items == opened.items + [FileItem("later", "x")], "call \(call)")
        try #require(files.names.isDisjoint(with: [path + ".tmp"]))
    }

    private static func calls() throws -> Int {
        let files = MemoryFiles()
        let expected = try work(on: files)
        expect(expected.acknowledged.map(\.name), equals: ["d", "b"])
        return files.calls
    }

    @Test(arguments: [false, true])
    func `a call that fails loses nothing that was acknowledged`(isSticky: Bool) throws {
        let calls = try Self.calls()
        expect(calls > 50)
        for call in 0..<calls {
            let files = MemoryFiles(fault: MemoryFiles.Fault(call: call, isSticky: isSticky))
            let expected = try Self.work(on: files)
            try Self.checkReadable(files, expected, call: call)
        }
        report("a file's call fails\(isSticky ? " for ever" : "")", ["kept what was acknowledged": calls])
    }

    @Test func `a power cut at any call loses nothing that was waited for`() throws {
        let calls = try Self.calls()
        let cuts: [(String, (MemoryFiles) -> Void)] = [
            ("nothing kept", { $0.cutPower(keeping: 0) }),
            ("a byte kept", { $0.cutPower(keeping: 1) }),
            ("100 bytes kept", { $0.cutPower(keeping: 100) }),
            ("5000 bytes kept", { $0.cutPower(keeping: 5000) }),
            ("even sectors kept", { $0.cutPower { $0.isMultiple(of: 2) } }),
            ("odd sectors kept", { $0.cutPower { !$0.isMultiple(of: 2) } }),
        ]
        for call in 0..<calls {
            for (index, (name, cut)) in cuts.enumerated() {
                guard TestExtent.isLarge || (index + call) % 3 == TestExtent.seed % 3 else { continue }
                let files = MemoryFiles(fault: MemoryFiles.Fault(call: call, isSticky: true))
                let file = try? openFile(Self.path, layer: files).file
                var items: [FileItem] = []
                for number in 0..<8 {
                    let item = FileItem("n\(number)", noiseBytes(number * 100))
                    if (try? file?.append(item)) != nil { items.append(item) }
                    if number == 5, (try? file?.rewrite(items)) == nil { continue }
                }
                cut(files)
                let read = try openFile(Self.path, layer: files)
                try #require(read.items.starts(with: items), "call \(call), \(name)")
            }
        }
        report(
            "a power cut",
            ["kept what was acknowledged": TestExtent.isLarge ? calls * cuts.count : calls * cuts.count / 3])
    }

    @Test func `what opening finds after a call that failed is on the disk`() throws {
        let calls = try Self.calls()
        for call in 0..<calls {
            let files = MemoryFiles(fault: MemoryFiles.Fault(call: call))
            _ = try Self.work(on: files)
            files.set(nil)
            let found = try openFile(Self.path, layer: files)
            files.cutPower(keeping: 0)
            try #require(try openFile(Self.path, layer: files).items == found.items, "call \(call)")
        }
        report("power cut after reopening", ["kept what opening found": calls])
    }

    @Test func `a power cut loses the last commits that were not waited for, in order`() throws {
        let items = (0..<6).map { FileItem("n\($0)", noiseBytes(300, seed: UInt64($0))) }
        for kept in stride(from: 0, through: 3000, by: 100) {
            let files = MemoryFiles()
            let file = try openFile(Self.path, layer: files).file
            for item in items { try file.append(item, durable: false) }
            files.cutPower(keeping: kept)
            let read = try openFile(Self.path, layer: files).items
            expect(items.starts(with: read) && !read.isEmpty)
        }
    }

    @Test func `a hole in commits that were not waited for is a torn tail`() throws {
        let files = MemoryFiles()
        let file = try openFile(Self.path, layer: files).file
        try file.append(FileItem("a", "1"))
        let begin = Int(file.size)
        for number in 0..<4 { try file.append(FileItem("n\(number)", noiseBytes(300)), durable: false) }
        var bytes = try #require(files[Self.path])
        bytes.replaceSubrange(begin + 10..<begin + 200, with: [UInt8](repeating: 0, count: 190))
        let other = MemoryFiles()
        other[Self.path] = bytes
        let opened = try openFile(Self.path, layer: other)
        expect(opened.items, equals: [FileItem("a", "1")])
        expect(opened.recovery.torn?.offset, equals: Int64(begin))
    }

    @Test(arguments: [1, 7, 100])
    func `short writes are continued`(maximum: Int) throws {
        let files = MemoryFiles(maximumWrite: maximum)
        let expected = try Self.work(on: files)
        expect(expected.acknowledged.map(\.name), equals: ["d", "b"])
        try Self.checkReadable(files, expected, call: 0)
    }

    @Test func `a full disk stays readable and is written again once there is space`() throws {
        let files = MemoryFiles()
        let file = try openFile(Self.path, layer: files).file
        try file.append(FileItem("a", "1"))
        let before = files[Self.path]
        for free in stride(from: 0, to: 6000, by: 500) {
            files.limit(to: files.used + free)
            let error = #expect(throws: StorageError.self) { try file.append(FileItem("b", noiseBytes(6000))) }
            expect(error?.code, equals: .full)
            expect(files[Self.path], equals: before)
            #expect(throws: StorageError.self) { try file.rewrite([FileItem("c", noiseBytes(6000))]) }
            expect(files[Self.path], equals: before)
            try expect(openFile(Self.path, .readOnly, layer: files).items, equals: [FileItem("a", "1")])
        }
        files.limit(to: nil)
        try file.append(FileItem("b", "2"))
        try expect(
            openFile(Self.path, .readOnly, layer: files).items, equals: [FileItem("a", "1"), FileItem("b", "2")])
    }

    @Test func `after a failed sync nothing is written until the file is opened again`() throws {
        let files = MemoryFiles()
        let file = try openFile(Self.path, layer: files).file
        try file.append(FileItem("a", "1"))
        files.set(MemoryFiles.Fault(call: 0, names: ["fsync"]))
        #expect(throws: StorageError.self) { try file.append(FileItem("b", "2")) }
        let calls = files.calls
        for _ in 0..<2 {
            let error = #expect(throws: StorageError.self) { try file.append(FileItem("c", "3")) }
            expect(error?.code, equals: .io)
            expect(error?.message.contains("open it again"), equals: true)
            #expect(throws: StorageError.self) { try file.rewrite([FileItem("c", "3")]) }
        }
        expect(files.calls, equals: calls)
        try file.close()
        let again = try openFile(Self.path, layer: files)
        expect(again.items.first == FileItem("a", "1") && !again.items.contains(FileItem("c", "3")))
        try again.file.append(FileItem("c", "3"))
    }
}
