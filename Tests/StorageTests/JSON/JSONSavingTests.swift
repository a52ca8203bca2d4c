import Foundation
import StorageKit
import Synchronization
import TestSupport
import Testing

@Storable struct Contact: Equatable {
    var id: Int?
    @Unique var email: String
    var name = ""
    var age: Int?
}

@Suite("JSON into stores") struct JSONSavingTests {
    static func towns(_ count: Int) -> Data {
        ("[" + (0..<count).map { #"{"id": \#($0), "cityName": "Town \#($0)"}"# }.joined(separator: ",\n") + "]").data
    }

    @Test(arguments: Backend.allCases)
    func `one call stores a list, whatever is stored already`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.save(Town(id: 1, name: "old"))
            #expect(try await store.save(json: Self.towns(1500), as: Town.self) == 1500)
            #expect(try await store.select(Town.self).count() == 1500)
            #expect(try await store.find(Town.self, key: 1) == Town(id: 1, name: "Town 1"))
            let json = #"{"data": {"items": "# + JSONDecodingTests.whole + "}}"
            #expect(try await store.save(json: json.data, as: Writer.self, at: "data.items") == 1)
            #expect(try await store.find(Writer.self, key: 7) == JSONDecodingTests.ann)
            #expect(try await store.save(dictionary: ["id": 2, "cityName": "Two"], as: Town.self) == 1)
            #expect(try await store.find(Town.self, key: 2)?.name == "Two")
        }
    }

    @Test(arguments: Backend.allCases)
    func `a bad record leaves nothing of the call`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let bad = Self.towns(1500).dropLast() + #", {"id": 9000, "cityName": 3}]"#.data
            let error = await expectError(.invalidValue) { try await store.save(json: bad, as: Town.self) }
            #expect(error?.message == "[1500].cityName is 3, which is no string.")
            #expect(error?.property == "name")
            #expect(error?.element == 1500)
            #expect(try await store.select(Town.self).count() == 0)
            try await store.transaction { tx throws(StorageError) in
                try tx.save(Town(id: 1, name: "kept"))
                do { try tx.save(json: bad, as: Town.self) } catch {}
                try tx.save(json: #"{"id": 2, "cityName": "B"}"#.data, as: Town.self)
            }
            #expect(try await store.select(Town.self).order { $0.id }.all().map(\.name) == ["kept", "B"])
            #expect(try store.blocking.save(json: #"{"id": 3, "cityName": "C"}"#.data, as: Town.self) == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func `merging sets what the JSON has`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.save(JSONDecodingTests.ann)
            let json = """
                [{"id": 7, "info": {"age": 29}, "nickname": "Nan", "quills": [{"colour": {"name": "gold"}}], "editor": null},
                 {"id": 7, "name": "Anna"}, {"id": 9, "name": "New"}, {"id": 9, "info": {"age": 1}}]
                """
            #expect(try await store.save(json: json.data, as: Writer.self, merging: true) == 4)
            var expected = JSONDecodingTests.ann
            (expected.name, expected.age, expected.nickname) = ("Anna", 29, "Nan")
            (expected.quills, expected.editor) = ([Quill(color: "gold")], nil)
            #expect(try await store.find(Writer.self, key: 7) == expected)
            #expect(try await store.find(Writer.self, key: 9) == Writer(id: 9, name: "New", age: 1))
            let missing = await expectError(.missingKey) {
                try await store.save(json: #"[{"name": "x"}]"#.data, as: Writer.self, merging: true)
            }
            #expect(missing?.message == "[0] has no id; what is merged needs its key.")
            let bad = await expectError(.invalidValue) {
                try await store.save(json: #"[{"id": 10}]"#.data, as: Writer.self, merging: true)
            }
            #expect(bad?.message == "[0].name is missing.")
        }
    }

    @Test(arguments: Backend.allCases)
    func `records are found by another property than the key, merged or whole`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Contact(email: "a", name: "Ann", age: 3))
            let json = #"[{"email": "a", "age": 4}, {"email": "b", "name": "Bo"}, {"email": "b", "age": 9, "id": 70}]"#
                .data
            #expect(try await store.save(json: json, as: Contact.self, merging: true, matching: [\.email]) == 3)
            let merged = [
                Contact(id: 1, email: "a", name: "Ann", age: 4), Contact(id: 2, email: "b", name: "Bo", age: 9),
            ]
            #expect(try await store.select(Contact.self).all() == merged)
            let whole = #"[{"email": "b", "name": "Cy"}]"#.data
            #expect(try await store.save(json: whole, as: Contact.self, matching: [\.email]) == 1)
            #expect(try await store.find(Contact.self, key: 2) == Contact(id: 2, email: "b", name: "Cy"))
            await expectError(.invalidQuery) {
                try await store.save(json: whole, as: Contact.self, merging: true, matching: [\.id])
            }
            let bad = await expectError(.invalidValue) {
                try await store.save(
                    json: #"[{"email": "a"}, {"email": "c", "age": "x"}]"#.data, as: Contact.self, merging: true,
                    matching: [\.email])
            }
            #expect(bad?.element == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a file is stored in parts that tell how far they are`(_ backend: Backend) async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("towns.json")
            try (#"{"count": 3000, "items": "#.data + Self.towns(3000) + "}".data).write(to: file)
            try await withStore(backend) { store in
                let told = Mutex<[(Int, Double)]>([])
                let count = try await store.save(jsonFile: file, as: Town.self, at: "items") { count, fraction in
                    told.withLock { $0.append((count, fraction)) }
                }
                #expect(count == 3000)
                let steps = told.withLock { $0 }
                #expect(steps.count > 1 && steps.last?.0 == 3000 && steps.last?.1 == 1)
                #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.0 < $1.0 && $0.1 <= $1.1 })
                #expect(try await store.select(Town.self).count() == 3000)
                await expectError(.io) {
                    try await store.save(jsonFile: folder.appendingPathComponent("none"), as: Town.self)
                }
                await expectError(.io) { try await store.save(jsonFile: folder, as: Town.self) }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `a cancelled call stores nothing`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws -> Void in
            let task = Mutex<Task<Int, any Error>?>(nil)
            let (started, go) = AsyncStream.makeStream(of: Void.self)
            let running = Task {
                for await _ in started { break }
                return try await store.save(json: Self.towns(3000), as: Town.self) { count, _ in
                    task.withLock { $0?.cancel() }
                }
            }
            task.withLock { $0 = running }
            go.yield()
            await expectError(.cancelled) { try await running.value }
            let count = try await store.select(Town.self).count()
            #expect(count == 0)
        }
    }

    @Test(arguments: Backend.allCases)
    func `the store assigns the keys that the JSON lacks`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let json = #"[{"text": "a", "children": [{"text": "b"}]}, {"text": "c"}]"#
            #expect(try await store.save(json: json.data, as: Line.self) == 2)
            let lines = try await store.select(Line.self).order { $0.id }.all()
            #expect(lines == [Line(id: 1, text: "a", children: [Line(text: "b")]), Line(id: 2, text: "c")])
        }
    }
}
