import ArchiveBackend
import Foundation
import StorageAPI
import Testing

@Suite struct StoreFileTests {
    @Test(arguments: ArchiveCodec.allCases)
    func `what was appended is read back in order`(codec: ArchiveCodec) throws {
        try withPath { path in
            let file = try open(path, .readWrite, codec).file
            try file.append(Item("STORE.plist", "begin"))
            try file.append(Item("Person/1.plist", "one"), Item("Person/2.plist", []))
            try file.append(Item("Person/1.plist", noise(600)))
            try file.close()
            let again = try open(path)
            #expect(again.recovery == Recovery(commits: 4))
            #expect(again.file.codec == codec)
            #expect(again.commits[0] == [Item("STORE.plist", "begin")])
            #expect(again.commits[1] == [Item("Person/1.plist", "one"), Item("Person/2.plist", [])])
            #expect(again.commits[2] == [Item("Person/1.plist", noise(600))])
        }
    }

    @Test(arguments: ArchiveCodec.allCases)
    func `a commit of several frames is one commit`(codec: ArchiveCodec) throws {
        try withPath { path in
            let items = (0..<40).map { Item("Big/\($0)", noise(300_000 + $0, seed: UInt64($0))) }
            let file = try open(path, .readWrite, codec).file
            try file.append(Item("first", "1"))
            try file.append { (writer) throws(StorageError) in try writer.add(items) }
            #expect(file.sequence == 1)
            let read = try open(path, .readOnly)
            #expect(read.commits[1] == items)
        }
    }

    @Test(arguments: ArchiveCodec.allCases)
    func `a rewritten file has what it was rewritten with`(codec: ArchiveCodec) throws {
        try withPath { path in
            let file = try open(path, .readWrite, .zstd).file
            try file.append(Item("a", "old"))
            let id = file.storeID
            try file.close()
            let again = try open(path, .readWrite, codec).file
            try again.rewrite([Item("a", "new"), Item("b", noise(9_000_000))])
            try again.append(Item("c", "later"))
            #expect(again.generation == 1)
            #expect(again.codec == codec)
            #expect(again.storeID == id)
            try again.close()
            #expect(try open(path).items == [Item("a", "new"), Item("b", noise(9_000_000)), Item("c", "later")])
            #expect(try files(beside: path) == ["a.karch", "a.karch-lock"])
        }
    }

    @Test func `a body that throws leaves the file as it was`() throws {
        try withPath { path in
            let file = try open(path).file
            try file.append(Item("a", "1"))
            let before = try bytes(path)
            let error = #expect(throws: StorageError.self) {
                try file.append { (writer) throws(StorageError) in
                    try writer.add(name: "b", noise(20_000_000))
                    throw StorageError(.cancelled, "enough")
                }
            }
            #expect(error?.code == .cancelled)
            #expect(try bytes(path) == before)
            try file.append(Item("c", "3"))
            #expect(try open(path, .readOnly).items == [Item("a", "1"), Item("c", "3")])
        }
    }

    @Test func `a commit of nothing is none`() throws {
        try withPath { path in
            let file = try open(path).file
            try file.append(Item("a", "1"))
            let before = try bytes(path)
            try file.append()
            #expect(try bytes(path) == before)
            #expect(file.sequence == 0)
        }
    }

    @Test func `a closed file says so`() throws {
        try withPath { path in
            let file = try open(path).file
            try file.append(Item("a", "1"))
            try file.close()
            try file.close()
            #expect(throws: StorageError.self) { try file.append(Item("b", "2")) }
            #expect(try open(path).items == [Item("a", "1")])
        }
    }

    @Test(arguments: ["", "/a", "a/", "a//b", "../a", "a/../b", "./a", "-a", ".karch", "a b", "é", "a\u{0}"])
    func `a name outside the grammar is refused`(name: String) throws {
        try withPath { path in
            let file = try open(path).file
            try file.append(Item("a", "1"))
            let error = #expect(throws: StorageError.self) { try file.append(Item(name, "2")) }
            #expect(error?.code == .invalidValue)
            #expect(try open(path, .readOnly).items == [Item("a", "1")])
        }
    }
}
