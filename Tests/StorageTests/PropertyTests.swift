import Foundation
import MemoryBackend
import StorageKit
import TestSupport
import Testing

@Suite("V1 Every kind of property that the macro takes")
struct PropertyTests {
    enum Color: String, Sendable { case red, blue, empty = "" }
    enum Level: Int, Sendable { case low = -1, high = 9_000_000_000 }

    struct Address: Codable, Equatable {
        var street: String
        var inner: Inner?
        var notes: [String: Int] = [:]
        struct Inner: Codable, Equatable { var x: Double }
    }

    @Storable struct Everything: Equatable {
        var id: Int
        var flag = true
        var int8: Int8 = .min
        var uint64: UInt64 = .max
        var float: Float = 0.1
        var double = 0.1
        var text = ""
        var data = Data()
        var bytes: [UInt8] = []
        var date = Date(timeIntervalSinceReferenceDate: 0.1)
        var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        var url: URL?
        var decimal: Decimal = 0
        var color: Color = .red
        var level: Level = .low
        var maybeColor: Color?
        var maybeLevel: Level?
        var colors: [Color] = []
        var levels: [Level] = []
        var maybeText: String?
        var maybeData: Data?
        var maybeBytes: [UInt8]?
        var maybeFlag: Bool?
        var tags: [String] = []
        var maybeTags: [String]?
        var gaps: [String?] = []
        var doubles: [Double] = []
        var grid: [[Int]] = []
        var cube: [[[String]]] = []
        var dates: [Date] = []
        var blobs: [Data] = []
        var address = Address(street: "")
        var maybeAddress: Address?
        var addresses: [Address] = []
        var book: [String: Address] = [:]
        var numbers: [Int: [Int]] = [:]
        var set: Set<Int> = []
        var computed: Int { id * 2 }
        @Ignored var ignored = 5
    }

    static func full() throws -> Everything {
        var all = Everything(id: 2)
        all.flag = false
        all.text = "a\0\"'\\é"
        all.data = Data([0, 255])
        all.bytes = [0, 255, 7]
        all.url = URL(string: "https://a.b/c?d#e")
        all.decimal = try #require(Decimal(string: "12345678901234567890.12345678"))
        all.color = .empty
        all.level = .high
        all.maybeColor = .blue
        all.maybeLevel = .low
        all.colors = [.red, .empty, .red]
        all.levels = [.high, .low]
        all.maybeText = ""
        all.maybeData = Data()
        all.maybeBytes = []
        all.maybeFlag = false
        all.tags = [
            "", ",", "\"", "'", "\\", "|", "\n", "[", "]", "a\0b", "", "null", "é", "e\u{301}", "\u{2028}", "💡",
        ]
        all.maybeTags = []
        all.gaps = [nil, "", nil, "null", "nil"]
        all.doubles = [.infinity, -.infinity, .leastNonzeroMagnitude, 0.1, 1e300, 1, -2]
        all.grid = [[], [1, .min, .max], [0]]
        all.cube = [[[]], [], [["", "]"], ["["]]]
        all.dates = [.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1)]
        all.blobs = [Data(), Data([0]), Data(Array(0...255))]
        all.address = Address(street: "Ä\0\"", inner: Address.Inner(x: 0.1), notes: ["": 1, "a\"b": .max])
        all.maybeAddress = Address(street: "x", inner: nil, notes: [:])
        all.addresses = [all.address, Address(street: "y")]
        all.book = ["": all.address, "k": Address(street: "z")]
        all.numbers = [1: [], -2: [3, 4]]
        all.set = [1, 2, .max]
        return all
    }

    @Test
    func `V1 empty, nil and full values of every kind come back`() async throws {
        try await withStore(.sqlite) { store in
            let records = [Everything(id: 1), try Self.full()]
            try await store.insert(records)
            let stored = try await store.select(Everything.self).all()
            expect(stored, equals: records)
            expect(stored.last.map { Array($0.tags[12].unicodeScalars).count }, equals: 1)
            expect(stored.last.map { Array($0.tags[13].unicodeScalars).count }, equals: 2)
            // The other way around: nil over a value, a value over nil.
            var swapped = records
            swapped[0].id = 2
            swapped[1].id = 1
            try await store.update(swapped)
            try await expect(store.find(Everything.self, key: 1), equals: swapped[1])
            try await expect(store.find(Everything.self, key: 2), equals: swapped[0])
        }
    }

    @Test
    func `V1 an ignored property has its default, whatever was given`() async throws {
        try await withStore(.memory) { store in
            var record = Everything(id: 1)
            record.ignored = 77
            try await store.insert(record)
            try await expect(store.find(Everything.self, key: 1)?.ignored, equals: 5)
        }
    }

    // MARK: Containers

    @Storable struct Part: Codable, Hashable {
        var id: Int
    }
    @Storable struct ByName {
        var id: Int
        var parts: [String: Part]?
    }
    @Storable struct Gaps {
        var id: Int
        var parts: [Part?]?
    }
    @Storable struct Grid {
        var id: Int
        var parts: [[Part]]?
    }
    @Storable struct Bag {
        var id: Int
        var parts: Set<Part>?
    }
    @Storable struct Lists {
        var id: Int
        var parts: [String: [Part]] = [:]
    }
    @Storable struct Keys {
        var id: Int
        var parts: [Part: [Int?]] = [:]
    }

    @Test(arguments: [ByName.self, Gaps.self, Grid.self, Bag.self, Lists.self, Keys.self] as [any Storable.Type])
    func `V1.17 a container that hides children is refused at opening, whatever it is in`(_ type: any Storable.Type)
        async throws
    {
        let error = await expectError(.configuration) { try await Store(InMemoryBackend(), models: [type]) }
        expect(error?.property, equals: "parts")
        expect(error?.message.contains("own @Storable children as"), equals: true)
    }
}
