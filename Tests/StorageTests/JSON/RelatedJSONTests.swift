import Foundation
import StorageKit
import TestSupport
import Testing

/// JSON of queries with the records that they are loaded with, by types and without.
@Suite struct RelatedJSONTests {
    @Storable struct Place: Equatable {
        @Key var land: String
        @Key var number: Int
        @Field(path: "label.text") var name: String
    }

    @Storable struct Poet: Equatable {
        var id: Int
        var name: String
        @Field(dates: .pattern("dd.MM.yyyy")) var born: Date?
        @Reference(onDelete: .unchecked) var mentor: Ref<Poet>?
        @Reference(onDelete: .unchecked) var home: Ref<Place>?
    }

    @Storable struct Poem: Equatable {
        var id: Int
        @Field(path: "by.poet") @Reference(onDelete: .unchecked) var poet: Ref<Poet>
        var titles: [String] = []
        @Reference(onDelete: .unchecked) var readers: [Ref<Poet>] = []
    }

    private func library(_ body: (Store) async throws -> Void) async throws {
        try await withStore(.sqlite) { store in
            try await store.insert([Place(land: "A", number: 1, name: "Ur")])
            try await store.insert([
                Poet(id: 1, name: "Ann", born: Date(timeIntervalSince1970: 0), home: Ref(key: ("A", 1))),
                Poet(id: 2, name: "Bob", mentor: Ref(key: 1)),
            ])
            try await store.insert([
                Poem(id: 1, poet: Ref(key: 2), titles: ["x"], readers: [Ref(key: 2), Ref(key: 1)]),
                Poem(id: 2, poet: Ref(key: 1)),
            ])
            try await body(store)
        }
    }

    private static let ann = #"{"id":1,"name":"Ann","born":"01.01.1970","mentor":null,"home":["A",1]}"#
    private static let bob = #"{"id":2,"name":"Bob","born":null,"mentor":1,"home":null}"#

    private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

    @Test func `records stand in the place of their keys, each as its type declares it`() async throws {
        try await library { store in
            let poems = store.select(Poem.self).order { $0.id.descending }
            try await expect(
                text(poems.with(\.poet).with(\.readers).json()),
                equals: """
                    [{"id":2,"by":{"poet":\(Self.ann)},"titles":[],"readers":[]},\
                    {"id":1,"by":{"poet":\(Self.bob)},"titles":["x"],"readers":[\(Self.bob),\(Self.ann)]}]
                    """)
            let home = #"{"land":"A","number":1,"label":{"text":"Ur"}}"#
            try await expect(
                text(store.select(Poet.self).with(\.mentor) { $0.with(\.home) }.with(\.home).json()),
                equals: """
                    [\(Self.ann.replacing(#"["A",1]"#, with: home)),\
                    \(Self.bob.replacing(#""mentor":1"#, with: #""mentor":\#(Self.ann)"#)
                        .replacing(#"["A",1]"#, with: home))]
                    """)
            try await expect(
                text(poems.with(\.readers) { $0.where { $0.name == "Ann" } }.limit(1).offset(1).json()),
                equals: #"[{"id":1,"by":{"poet":2},"titles":["x"],"readers":[\#(Self.ann)]}]"#)
            try await expect(text(poems.where { $0.id == 9 }.with(\.poet).json()), equals: "[]")
        }
    }

    @Test func `a record that is gone is an error, or its key`() async throws {
        try await library { store in
            try await store.delete(Poet.self, key: 1)
            await expectError(.notFound) { _ = try await store.select(Poet.self).with(\.mentor).json() }
            try await expect(
                text(store.select(Poet.self).with(\.mentor.ifPresent).json()), equals: "[\(Self.bob)]")
        }
    }

    @Test func `an export has each record of one snapshot, with many parts`() async throws {
        try await library { store in
            try await store.insert((3...700).map { Poem(id: $0, poet: Ref(key: $0 % 2 + 1)) })
            let file = FileManager.default.temporaryDirectory.appending(path: "related-\(UUID().uuidString).ndjson")
            defer { try? FileManager.default.removeItem(at: file) }
            let poems = store.select(Poem.self).with(\.poet)
            try await expect(poems.export(to: file, as: .lines), equals: 700)
            let lines = try text(Data(contentsOf: file)).split(separator: "\n")
            expect(lines.count == 700 && lines[0].contains(Self.bob) && lines[699].contains(Self.ann))
            await expectError(.io) { try await poems.export(to: file) }
            try await expect(poems.limit(2).export(to: file, replacing: true), equals: 2)
            let array = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]]
            expect(array?.count, equals: 2)
        }
    }

    @Test func `names lead to records without types`() async throws {
        try await library { store in
            let poems = try await store.records("Poem").with(["poet.mentor", "readers", "poet.home"]).all()
            func record(_ content: DynamicRecord.Content?) -> DynamicRecord? {
                if case .child(let child)? = content { child } else { nil }
            }
            let poet = try #require(record(poems[0]["poet"]))
            expect(poet.value("name"), equals: .text("Bob"))
            expect(record(poet["mentor"])?.value("name"), equals: .text("Ann"))
            guard case .children(let readers?)? = poems[0]["readers"] else { throw TestFailure() }
            expect(readers.map { $0.value("id") }, equals: [.int(2), .int(1)])
            // The other key has no record, so it stays.
            try await store.delete(Poet.self, key: 2)
            let left = try await store.records("Poem").with(["poet"]).all()
            expect(left[0].value("poet") == .int(2) && record(left[1]["poet"]) != nil)
            let homes = try await store.records("Poet").with(["home"]).all()
            expect(record(homes[0]["home.land"])?.value("name"), equals: .text("Ur"))
            let error = await expectError(.invalidQuery) { try await store.records("Poem").with(["poets"]).all() }
            expect(error?.message, equals: "Poem has no reference poets (did you mean poet?); it has poet, readers.")
            await expectError(.invalidQuery) { try await store.records("Poem").with(["poet."]).all() }
            try await expect(
                text(store.records("Poem").where(text: "id == 2").with(["poet"]).json())
                    .hasPrefix(#"[{"id":2,"poet":{"id":1,"name":"Ann","#))
        }
    }

    private struct TestFailure: Error {}
}

extension RelatedJSONTests.Poet.Columns {
    var poems: Inverse<RelatedJSONTests.Poem> { inverse(\.poet) }
}

extension RelatedJSONTests {
    @Test func `an inverse has no name in JSON`() async throws {
        try await library { store in
            let error = await expectError(.invalidQuery) {
                _ = try await store.select(Poet.self).with(\.poems).json()
            }
            expect(error?.message.contains("An inverse has no name"), equals: true)
        }
    }
}
