import Foundation
import StorageDriver
import StorageKit
import Testing

@Suite("C Children")
struct ChildTests {
    @Storable struct Part: Equatable {
        var id: Int
        var name = ""
        var weight: Double?
    }
    @Storable struct Box: Equatable {
        var id: Int
        var label = ""
        var lid = Part(id: 0)
        var key: Part?
        var parts: [Part] = []
        var spares: [Part]?
        var inner: [Tray] = []
    }
    @Storable struct Tray: Equatable {
        var id: Int
        var parts: [Part] = []
        var best: Part?
        var cells: [Cell] = []
    }
    @Storable struct Cell: Equatable {
        var id: String
        var parts: [Part]?
    }

    static func part(_ id: Int, _ name: String = "") -> Part { Part(id: id, name: name, weight: Double(id)) }

    /// A box with every kind of child, three levels deep; its size and values follow from the number.
    static func box(_ id: Int) -> Box {
        let cells = (0..<(id % 3)).map { Cell(id: "c\($0)", parts: $0 == 0 ? nil : [part($0), part($0, "same")]) }
        let trays = (0..<(id % 4)).map { place in
            Tray(id: 1, parts: [part(7, "t\(place)"), part(7)], best: place == 1 ? part(id) : nil, cells: cells)
        }
        return Box(
            id: id, label: "box \(id)", lid: part(1, "lid"), key: id % 2 == 0 ? part(1, "key") : nil,
            parts: (0..<(id % 5)).map { part(1, "p\($0)") },
            spares: id % 3 == 0 ? nil : (0..<(id % 3 - 1)).map { part($0) },
            inner: trays)
    }

    @Test(arguments: Backend.allCases)
    func `C1 C2 one, optional, array, optional array and nested children come back`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let boxes = (1...60).map(Self.box)
            try await store.insert(boxes.reversed())
            #expect(try await store.select(Box.self).all() == boxes)
            for box in boxes { #expect(try await store.find(Box.self, key: box.id) == box) }
            // A type that is owned has no root records from it.
            #expect(try await store.select(Part.self).all() == [])
            try await store.insert(Part(id: 1, name: "root"))
            #expect(try await store.select(Box.self).all() == boxes)
        }
    }

    @Test(arguments: Backend.allCases)
    func `C1 children come with sorted, filtered and limited owners`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let boxes = (1...60).map(Self.box)
            try await store.insert(boxes)
            let select = store.select(Box.self)
            #expect(try await select.order { $0.id.descending }.all() == boxes.reversed())
            let byLabel = boxes.sorted { $0.label < $1.label }
            #expect(try await select.order { $0.label }.limit(13).offset(7).all() == Array(byLabel[7..<20]))
            #expect(try await select.where { $0.id > 10 }.limit(5).all() == Array(boxes[10..<15]))
            #expect(try await select.order { $0.label.descending }.first() == byLabel.last)
            #expect(try await select.order { $0.label.descending }.stream().collect() == byLabel.reversed())
            #expect(try await select.stream().collect() == boxes)
        }
    }

    @Test(arguments: Backend.allCases)
    func `C3 after save and update the stored children are the given ones`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let neighbours = [Self.box(1), Self.box(3)]
            try await store.insert(neighbours)
            // From each number to the next everything grows, shrinks, comes and goes.
            for (round, number) in [11, 59, 12, 60, 30, 47, 1, 58].enumerated() {
                var box = Self.box(number)
                box.id = 2
                if round % 2 == 0 { try await store.save(box) } else { try await store.update(box) }
                #expect(try await store.find(Box.self, key: 2) == box)
                #expect(try await store.select(Box.self).where { $0.id != 2 }.all() == neighbours)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `C3 reordered, shrunk, grown, emptied, with equal ids`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let parts = [3, 1, 2, 1, 1].enumerated().map { Self.part($0.element, "p\($0.offset)") }
            var box = Box(id: 1, parts: parts)
            let changes: [[Part]] = [
                parts, parts.reversed(), parts + parts, Array(parts.prefix(2)), [], [parts[4]], [parts[1], parts[1]],
            ]
            for change in changes {
                box.parts = change
                try await store.save(box)
                #expect(try await store.find(Box.self, key: 1)?.parts == change)
            }
            box.spares = []
            try await store.save(box)
            #expect(try await store.find(Box.self, key: 1)?.spares == [])
            box.spares = nil
            try await store.update(box)
            #expect(try await store.find(Box.self, key: 1)?.spares == .some(nil))
            box.key = Self.part(5)
            try await store.save(box)
            box.key = nil
            try await store.save(box)
            #expect(try await store.find(Box.self, key: 1) == box)
        }
    }

    @Test(arguments: Backend.allCases)
    func `C2 nobody steals a child: moved to another owner, it is data`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let part = Self.part(9, "moving")
            var first = Box(id: 1, key: part, parts: [part])
            var second = Box(id: 2)
            try await store.insert([first, second])
            second.parts = first.parts
            first.parts = []
            try await store.save([second, first])
            #expect(try await store.select(Box.self).all() == [first, second])
            try await store.delete(first)
            #expect(try await store.find(Box.self, key: 2) == second)
        }
    }

    @Test(arguments: Backend.allCases)
    func `W4 one key twice in an array: the last one's children are kept`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            func renumbered(_ number: Int) -> Box {
                var box = Self.box(number)
                box.id = 1
                return box
            }
            try await store.save([renumbered(59), Self.box(2), renumbered(47), renumbered(48)])
            #expect(try await store.select(Box.self).all() == [renumbered(48), Self.box(2)])
            try await store.update([renumbered(11), renumbered(59)])
            #expect(try await store.find(Box.self, key: 1) == renumbered(59))
        }
    }

    @Test(arguments: Backend.allCases)
    func `C7 a failure in the middle of a graph leaves nothing of the call`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let old = Self.box(7)
            try await store.insert(old)
            var boxes = (1...40).map(Self.box)
            let error = await expectError(.duplicateKey) { try await store.insert(boxes) }
            #expect(error?.element == 6)
            boxes[20].id = 1000
            let other = await expectError(.notFound) {
                try await store.transaction { [boxes] tx -> Void in
                    try tx.save(Array(boxes.prefix(20)))
                    try tx.update(boxes)
                }
            }
            #expect(other?.element == 20)
            #expect(try await store.select(Box.self).all() == [old])
        }
    }

    @Test(arguments: Backend.allCases)
    func `W6 W7 delete and truncate take all levels: nothing returns with the same key`(_ backend: Backend) async throws
    {
        try await withStore(backend) { store in
            let boxes = (1...60).map(Self.box)
            func expectNoGhosts(_ ids: some Sequence<Int>, sourceLocation: SourceLocation = #_sourceLocation)
                async throws
            {
                let bare = ids.map { Box(id: $0, spares: [], inner: [Tray(id: 1, cells: [Cell(id: "c", parts: [])])]) }
                try await store.insert(bare)
                let stored = try await store.select(Box.self).where { $0.label == "" }.all()
                #expect(stored == bare, sourceLocation: sourceLocation)
                try await store.truncate(Box.self)
            }
            try await store.insert(boxes)
            #expect(try await store.delete(boxes[58]) == 1)
            try await expectNoGhosts([59])
            try await store.insert(boxes)
            #expect(try await store.delete(Box.self, keys: [58, 59, 60, 61]) == 3)
            try await expectNoGhosts([58, 59, 60])
            try await store.insert(boxes)
            #expect(
                try await store.delete(Box.self).where { $0.inner.any { $0.cells.any { $0.id == "c1" } } }.run() == 15)
            #expect(try await store.select(Box.self).all() == boxes.filter { $0.id % 3 != 2 || $0.id % 4 == 0 })
            try await store.truncate(Box.self)
            try await expectNoGhosts(1...60)
        }
    }

    @Test(arguments: Backend.allCases)
    func `C1 a transaction's partial update leaves the children`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            var box = Self.box(59)
            try await store.insert(box)
            #expect(try await store.update(Box.self).where { $0.id == 59 }.set(\.label, to: "new").run() == 1)
            box.label = "new"
            #expect(try await store.find(Box.self, key: 59) == box)
        }
    }

    @Test(arguments: Backend.allCases)
    func `C3 200 owners with 100 children each are saved, changed and deleted`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let parts = (0..<100).map { Part(id: $0) }
            var boxes = (0..<200).map { Tray(id: $0, parts: parts) }
            try await store.insert(boxes)
            boxes[100].parts.removeFirst(50)
            try await store.save(boxes[100])
            let stored = try await store.select(Tray.self).all()
            #expect(stored == boxes)
            #expect(try await store.delete(boxes) == 200)
        }
    }
}
