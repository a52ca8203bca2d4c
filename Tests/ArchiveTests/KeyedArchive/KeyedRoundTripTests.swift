import ArchiveBackend
import Foundation
import KeyedArchives
import StorageKit
import TestSupport
import Testing

@Suite("Models through a keyed archive and back")
struct KeyedRoundTripTests {
    private func roundTrip<M: Storable & Equatable>(_ model: M) throws -> M {
        try KeyedArchive.decode(M.self, from: try KeyedArchive.encode(model))
    }

    @Test func `every property type keeps its corner values`() throws {
        var model = Everything(id: .min)
        model.flag = true
        model.small = .min
        model.big = .max
        model.float = .leastNonzeroMagnitude
        model.double = -.infinity
        model.text = "nul\0 é \u{1F468}\u{200D}\u{1F469} \u{FFFF}\u{10FFFF}"
        model.data = Data(0...255)
        model.date = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
        model.url = try #require(URL(string: "https://example.com/a%20b?q=1#f"))
        model.decimal = try #require(Decimal(string: "-12345678901234567890.123456789012345678"))
        model.mood = .cross
        model.place = Place(x: -1, label: "\"quoted\"")
        model.note = ""
        model.count = 0
        model.tags = ["", "a\"b\\c", "\n\r\t\u{1}\u{1F}\u{7F}", "e\u{301}", "é", "]", ",\",["]
        model.numbers = [nil, .min, .max, 0, -1, 255, 256, 65535, 65536, 4_294_967_296]
        model.bits = [true, false]
        model.reals = [0.1, -1e300, .leastNonzeroMagnitude, .infinity, -.infinity, 100, 1e16]
        model.grid = [[], ["a", "]"], ["\"", "[["]]
        model.blobs = [Data(), Data([0]), Data([255, 0]), Data(repeating: 7, count: 300)]
        model.dates = [Date(timeIntervalSinceReferenceDate: -0.5)]
        model.uuids = [UUID(), UUID()]
        model.prices = [1, 0.5, -3]
        try expect(roundTrip(model), equals: model)
    }

    @Test func `empty and nil differ`() throws {
        let empty = Everything(id: 1)
        try expect(roundTrip(empty), equals: empty)
        var desk = Desk(id: 1)
        desk.drawer = []
        try expect(roundTrip(desk).drawer, equals: [])
        desk.drawer = nil
        try expect(roundTrip(desk).drawer == nil)
    }

    @Test func `NaN and negative zero are kept`() throws {
        var model = Everything(id: 1)
        model.double = .nan
        model.float = .nan
        model.reals = [.nan, -0.0]
        let read = try roundTrip(model)
        expect(read.double.isNaN && read.float.isNaN && read.reals[0].isNaN)
        expect(read.reals[1], equals: 0)
    }

    @Test(arguments: [0, 1, 14, 15, 16, 64, 65, 255, 256, 65_535, 65_536, 200_000])
    func `texts, data and arrays are kept at every width of a count`(count: Int) throws {
        var model = Everything(id: 1)
        model.text = String(repeating: "x", count: count)
        model.note = String(repeating: "é", count: count)
        model.data = Data(repeating: 9, count: count)
        model.tags = (0..<min(count, 70_000)).map { "tag \($0)" }
        try expect(roundTrip(model), equals: model)
    }

    @Test func `children and arrays of children are kept`() throws {
        let desk = Desk(
            id: 7, best: Pencil(id: 1, color: "red", parts: [Part(id: 1, name: "tip")]), spare: Pencil(id: 2),
            pencils: (0..<20).map { number in
                Pencil(id: 5, color: "\(number)", parts: (0..<number % 4).map { Part(id: $0, name: "p\(number)") })
            },
            drawer: [Pencil(id: 1, parts: [Part(id: 4)])])
        try expect(roundTrip(desk), equals: desk)
    }

    @Test func `types that own themselves are kept`() throws {
        func branch(_ depth: Int) -> Branch {
            Branch(
                id: depth, name: "\(depth)", branches: depth == 0 ? [] : [branch(depth - 1), branch(depth - 1)],
                fallen: depth == 2 ? [] : depth == 1 ? [Branch(id: -1)] : nil,
                leaves: [Leaf(id: 1, nest: depth == 1 ? [Branch(id: 9)] : [], name: "leaf \(depth)"), Leaf(id: 2)])
        }
        try expect(roundTrip(branch(5)), equals: branch(5))
    }

    @Test func `64 levels are written, and one more is refused`() throws {
        var deep = Branch(id: 0)
        for level in 1...64 { deep = Branch(id: level, branches: [deep]) }
        try expect(roundTrip(deep), equals: deep)
        let deeper = Branch(id: 65, branches: [deep])
        #expect(throws: StorageError.self) { try KeyedArchive.encode(deeper) }
    }

    @Test(arguments: [0, 1, 255, 256, 257, 3000])
    func `a list keeps its order`(count: Int) throws {
        let desks = (0..<count).map { number in
            Desk(id: (number * 7919) % 1000, spare: number % 3 == 0 ? Pencil(id: number) : nil)
        }
        try expect(KeyedArchive.decode([Desk].self, from: try KeyedArchive.encode(desks)), equals: desks)
        let plain = (0..<count).map { Reader(id: -$0, name: "reader \($0 % 10)", tags: ["a", "b \($0)"]) }
        try expect(KeyedArchive.decode([Reader].self, from: try KeyedArchive.encode(plain)), equals: plain)
    }

    @Test func `a file is replaced whole`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "reader.plist")
        try KeyedArchive.write([Reader(id: 1), Reader(id: 2)], to: url)
        try expect(KeyedArchive.read([Reader].self, from: url).map(\.id), equals: [1, 2])
        try KeyedArchive.write(Reader(id: 3, name: "later"), to: url)
        try expect(KeyedArchive.read(Reader.self, from: url), equals: Reader(id: 3, name: "later"))
        try expect(FileManager.default.contentsOfDirectory(atPath: folder.path), equals: ["reader.plist"])
    }

    @Test func `a file that cannot be read or written is an error`() {
        let missing = URL(filePath: "/nowhere/at/all.plist")
        expect(code { try KeyedArchive.read(Reader.self, from: missing) }, equals: .io)
        expect(code { try KeyedArchive.write(Reader(id: 1), to: missing) }, equals: .io)
        expect(code { try KeyedArchive.read(Reader.self, from: URL(filePath: "/")) }, equals: .io)
    }

    @Test func `what a store refuses is refused`() throws {
        var model = Everything(id: 1)
        model.url = try #require(URL(string: "b", relativeTo: URL(string: "https://example.com/a")))
        let refused = model
        expect(code { _ = try KeyedArchive.encode(refused) }, equals: .invalidValue)
    }

    @Test func `a sound archive of another shape is no damage`() throws {
        let archive = try KeyedArchive.encode([Reader(id: 1), Reader(id: 2)])
        expect(code { _ = try KeyedArchive.decode(Reader.self, from: archive) }, equals: .typeMismatch)
    }
}

/// The code of the error that a call throws, or nil.
func code<T>(_ body: () throws -> T) -> StorageError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? StorageError)?.code
    }
}
