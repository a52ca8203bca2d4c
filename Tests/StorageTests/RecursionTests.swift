import Foundation
import StorageKit
import Testing

@Suite("C4 Types that own their own type")
struct RecursionTests {
    @Storable struct Node: Equatable {
        var id: Int
        var name = ""
        var children: [Node] = []
        var others: [Node]?
        var tags: [Tag] = []
    }
    @Storable struct Tag: Equatable {
        var id: Int
        var text = ""
    }
    @Storable struct Folder: Equatable {
        var id: Int
        var files: [File] = []
    }
    @Storable struct File: Equatable {
        var id: Int
        var name = ""
        var archive: [Folder] = []
    }
    @Storable struct Forest: Equatable {
        @Key var country: String
        @Key var number: Int
        var trees: [Node] = []
        var oldest: [Node]?
    }

    static func tree(_ depth: Int, _ width: Int) -> Node {
        Node(
            id: depth, name: "\(depth)", children: depth == 0 ? [] : (0..<width).map { _ in tree(depth - 1, width) },
            others: depth == 2 ? [Node(id: 99, tags: [Tag(id: 1)])] : depth == 1 ? [] : nil,
            tags: (0..<depth).map { Tag(id: 1, text: "\($0)") })
    }

    static func chain(_ levels: Int) -> Node {
        var node = Node(id: levels, name: "deepest", tags: [])
        for level in (0..<levels).reversed() { node = Node(id: level, children: [node]) }
        return node
    }

    @Test(arguments: Backend.allCases)
    func `C4 trees come back, change and go`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            var trees = (0..<5).map { id in
                var tree = Self.tree(id, 2)
                tree.id = id
                return tree
            }
            try await store.insert(trees)
            #expect(try await store.select(Node.self).all() == trees)
            #expect(try await store.select(Node.self).count() == 5)
            let reversed = try await store.select(Node.self).order { $0.name.descending }.all()
            #expect(reversed == trees.reversed())
            trees[4].children[1].children[0].others = [Self.tree(1, 1)]
            trees[4].children[0].children.swapAt(0, 1)
            trees[4].children[0].children[0].name = "changed"
            trees[3].children.removeFirst()
            trees[2].children = []
            try await store.save(trees)
            #expect(try await store.select(Node.self).all() == trees)
            #expect(try await store.select(Node.self).where { $0.children.any { $0.name == "2" } }.keys() == [3])
            #expect(try await store.delete(trees[4]) == 1)
            try await store.insert(Node(id: 4))
            #expect(try await store.find(Node.self, key: 4) == Node(id: 4))
        }
    }

    @Test(arguments: Backend.allCases)
    func `C4 two types that own each other`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            func file(_ depth: Int) -> File {
                let folders = depth == 0 ? [] : [Folder(id: 1, files: [file(depth - 1), file(0)]), Folder(id: 1)]
                return File(id: depth, name: "f\(depth)", archive: folders)
            }
            let folders = (0..<4).map { Folder(id: $0, files: [file($0), file(0)]) }
            try await store.insert(folders)
            #expect(try await store.select(Folder.self).all() == folders)
            try await store.insert(file(3))
            #expect(try await store.find(File.self, key: 3) == file(3))
            try await store.update(Folder(id: 3, files: [file(1)]))
            #expect(try await store.find(Folder.self, key: 3) == Folder(id: 3, files: [file(1)]))
            #expect(try await store.select(File.self).all() == [file(3)])
        }
    }

    @Test(arguments: Backend.allCases)
    func `C4 a tree below a composite-keyed owner, twice`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let forests = [("de", 1), ("de", 2), ("fr", 1)].enumerated().map { index, key in
                Forest(
                    country: key.0, number: key.1, trees: (0..<index).map { Self.tree($0 + 1, 2) },
                    oldest: index == 0 ? nil : [Self.tree(index, 1)])
            }
            try await store.insert(forests)
            #expect(try await store.select(Forest.self).all() == forests)
            let sorted = try await store.select(Forest.self).order { $0.number.descending }.all()
            #expect(sorted == [forests[1], forests[0], forests[2]])
        }
    }

    @Test(arguments: Backend.allCases)
    func `C4 64 levels pass and come back`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            #expect(store.info.limits.depth >= 64)
            let deepest = Self.chain(store.info.limits.depth)
            try await store.insert(deepest)
            #expect(try await store.find(Node.self, key: 0) == deepest)
            #expect(try await store.select(Node.self).all() == [deepest])
            #expect(try await store.delete(deepest) == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func `C4 one level more is limitExceeded, and nothing is stored`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            let tooDeep = Self.chain(store.info.limits.depth + 1)
            let error = await expectError(.limitExceeded) { try await store.insert([Node(id: 9), tooDeep]) }
            #expect(error?.element == 1)
            await expectError(.limitExceeded) { try await store.save(Self.chain(1000)) }
            #expect(try await store.select(Node.self).count() == 0)
        }
    }

    // MARK: Versions

    enum Old {
        @Storable("Shelf") struct Shelf: Equatable {
            var id: Int
            var parts: [Box]
        }
        @Storable("Box") struct Box: Equatable {
            var id: Int
            var inner: [Box] = []
        }
    }

    /// Gives the shelf's parts to a type of another name, which owns nothing.
    enum New {
        @Storable("Shelf") struct Shelf: Equatable {
            var id: Int
            var parts: [Crate]
        }
        @Storable("Crate") struct Crate: Equatable {
            var id: Int
        }
    }

    @Test(arguments: [Backend.sqlite, .archive])
    func `S7 a save by a type of another name keeps what the old one owns, at every level`(_ backend: Backend)
        async throws
    {
        try await withFolder { folder in
            let boxes = [
                Old.Box(id: 1, inner: [Old.Box(id: 2, inner: [Old.Box(id: 3), Old.Box(id: 4)])]), Old.Box(id: 5),
            ]
            try await backend.open(in: folder).thenClose { try await $0.save(Old.Shelf(id: 1, parts: boxes)) }
            try await backend.open(in: folder).thenClose { store in
                let shelf = try await store.find(New.Shelf.self, key: 1)
                #expect(shelf == New.Shelf(id: 1, parts: [New.Crate(id: 1), New.Crate(id: 5)]))
                try await store.save(New.Shelf(id: 1, parts: [New.Crate(id: 1), New.Crate(id: 5), New.Crate(id: 6)]))
            }
            try await backend.open(in: folder).thenClose { store in
                let shelf = try await store.find(Old.Shelf.self, key: 1)
                #expect(shelf?.parts == boxes + [Old.Box(id: 6)])
            }
        }
    }
}
