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

    @Test
    func `one call stores a list, whatever is stored already`() async throws {
        try await withStore(.sqlite) { store in
            try await store.save(Town(id: 1, name: "old"))
            try await expect(store.save(json: Self.towns(1500), as: Town.self), equals: 1500)
            try await expect(store.select(Town.self).count(), equals: 1500)
            try await expect(store.find(Town.self, key: 1), equals: Town(id: 1, name: "Town 1"))
            let json = #"{"data": {"items": "# + JSONDecodingTests.whole + "}}"
            try await expect(store.save(json: json.data, as: Writer.self, options: .init(at: "data.items")), equals: 1)
            try await expect(store.find(Writer.self, key: 7), equals: JSONDecodingTests.ann)
            try await expect(store.save(dictionary: ["id": 2, "cityName": "Two"], as: Town.self), equals: 1)
            try await expect(store.find(Town.self, key: 2)?.name, equals: "Two")
        }
    }

    @Test
    func `a bad record leaves nothing of the call`() async throws {
        try await withStore(.sqlite) { store in
            let bad = Self.towns(1500).dropLast() + #", {"id": 9000, "cityName": 3}]"#.data
            let error = await expectError(.invalidValue) { try await store.save(json: bad, as: Town.self) }
            expect(error?.message, equals: "[1500].cityName is 3, not a valid string.")
            expect(error?.property, equals: "name")
            expect(error?.element, equals: 1500)
            try await expect(store.select(Town.self).count(), equals: 0)
            try await store.transaction { tx throws(StorageError) in
                try tx.save(Town(id: 1, name: "kept"))
                do { try tx.save(json: bad, as: Town.self) } catch {}
                try tx.save(json: #"{"id": 2, "cityName": "B"}"#.data, as: Town.self)
            }
            try await expect(store.select(Town.self).order { $0.id }.all().map(\.name), equals: ["kept", "B"])
            try expect(store.blocking.save(json: #"{"id": 3, "cityName": "C"}"#.data, as: Town.self), equals: 1)
        }
    }

    @Test
    func `merging sets what the JSON has`() async throws {
        try await withStore(.sqlite) { store in
            try await store.save(JSONDecodingTests.ann)
            let json = """
                [{"id": 7, "info": {"age": 29}, "nickname": "Nan", "quills": [{"colour": {"name": "gold"}}], "editor": null},
                 {"id": 7, "name": "Anna"}, {"id": 9, "name": "New"}, {"id": 9, "info": {"age": 1}}]
                """
            try await expect(store.save(json: json.data, as: Writer.self, options: .init(merging: true)), equals: 4)
            var expected = JSONDecodingTests.ann
            (expected.name, expected.age, expected.nickname) = ("Anna", 29, "Nan")
            (expected.quills, expected.editor) = ([Quill(color: "gold")], nil)
            try await expect(store.find(Writer.self, key: 7), equals: expected)
            try await expect(store.find(Writer.self, key: 9), equals: Writer(id: 9, name: "New", age: 1))
            let missing = await expectError(.missingKey) {
                try await store.save(json: #"[{"name": "x"}]"#.data, as: Writer.self, options: .init(merging: true))
            }
            expect(missing?.message, equals: "[0] has no id; merging needs the key.")
            let bad = await expectError(.invalidValue) {
                try await store.save(json: #"[{"id": 10}]"#.data, as: Writer.self, options: .init(merging: true))
            }
            expect(bad?.message, equals: "[0].name is missing.")
        }
    }

    @Test
    func `records are found by another property than the key, merged or whole`() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert(Contact(email: "a", name: "Ann", age: 3))
            let json = #"[{"email": "a", "age": 4}, {"email": "b", "name": "Bo"}, {"email": "b", "age": 9, "id": 70}]"#
                .data
            try await expect(
                store.save(json: json, as: Contact.self, options: .init(merging: true, matching: [\.email]))
                    == 3)
            let merged = [
                Contact(id: 1, email: "a", name: "Ann", age: 4), Contact(id: 2, email: "b", name: "Bo", age: 9),
            ]
            try await expect(store.select(Contact.self).all(), equals: merged)
            let whole = #"[{"email": "b", "name": "Cy"}]"#.data
            try await expect(store.save(json: whole, as: Contact.self, options: .init(matching: [\.email])), equals: 1)
            try await expect(store.find(Contact.self, key: 2), equals: Contact(id: 2, email: "b", name: "Cy"))
            await expectError(.invalidQuery) {
                try await store.save(json: whole, as: Contact.self, options: .init(merging: true, matching: [\.id]))
            }
            let bad = await expectError(.invalidValue) {
                try await store.save(
                    json: #"[{"email": "a"}, {"email": "c", "age": "x"}]"#.data, as: Contact.self,
                    options: .init(merging: true, matching: [\.email]))
            }
            expect(bad?.element, equals: 1)
        }
    }

    @Test
    func `of several records that cannot be stored the error is about the first`() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert([("1", "a"), ("2", "b"), ("3", "b")].map { Contact(email: $0, name: $1) })
            // No number, no text, several with the values, a key that another has, and a unique value.
            let wrong: [(json: String, code: StorageError.Code)] = [
                (#"{"name": "c", "email": "4", "age": "x"}"#, .invalidValue),
                (#"{"name": 7, "email": "5"}"#, .invalidValue),
                (#"{"name": "b", "email": "6"}"#, .constraint),
                (#"{"name": "d", "email": "7", "id": 1}"#, .duplicateKey),
                (#"{"name": "e", "email": "2"}"#, .constraint),
            ]
            for merging in [false, true] {
                for (first, code) in wrong {
                    for (second, _) in wrong where second != first {
                        let json = #"[{"name": "a", "email": "8"}, \#(first), \#(second)]"#.data
                        let error = await expectError(code) {
                            try await store.save(
                                json: json, as: Contact.self, options: .init(merging: merging, matching: [\.name]))
                        }
                        expect(error?.element, equals: 1, "\(first) \(second) \(merging)")
                    }
                }
            }
            try await expect(store.select(Contact.self).count(), equals: 3)
        }
    }

    @Test
    func `a file is stored in parts that tell how far they are`() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("towns.json")
            try (#"{"count": 3000, "items": "#.data + Self.towns(3000) + "}".data).write(to: file)
            try await withStore(.sqlite) { store in
                let told = Mutex<[(Int, Double)]>([])
                let count = try await store.save(jsonFile: file, as: Town.self, options: .init(at: "items")) {
                    count, fraction in
                    told.withLock { $0.append((count, fraction)) }
                }
                expect(count, equals: 3000)
                let steps = told.withLock { $0 }
                expect(steps.count > 1 && steps.last?.0 == 3000 && steps.last?.1 == 1)
                expect(zip(steps, steps.dropFirst()).allSatisfy { $0.0 < $1.0 && $0.1 <= $1.1 })
                try await expect(store.select(Town.self).count(), equals: 3000)
                await expectError(.io) {
                    try await store.save(jsonFile: folder.appendingPathComponent("none"), as: Town.self)
                }
                await expectError(.io) { try await store.save(jsonFile: folder, as: Town.self) }
            }
        }
    }

    @Test
    func `an object on each line is a record`() async throws {
        try await withFolder { (folder) async throws -> Void in
            try await withStore(.sqlite) { (store) async throws -> Void in
                let file = folder.appendingPathComponent("towns.ndjson")
                try await store.save(json: Self.towns(600), as: Town.self)
                let towns = try await store.select(Town.self).all()
                try await expect(store.select(Town.self).export(to: file, as: .lines), equals: 600)
                try expect(Town.models(json: Data(contentsOf: file)), equals: towns)
                try await store.truncate(Town.self)
                try await expect(store.save(jsonFile: file, as: Town.self), equals: 600)
                try await expect(store.select(Town.self).all(), equals: towns)
                let changes = "{\"id\": 7,\r\n\"cityName\": \"Seven\"}\r\n\n {\"id\": 8}"
                try await expect(
                    store.save(json: changes.data, as: Town.self, options: .init(merging: true)), equals: 2)
                try await expect(store.find(Town.self, key: 7)?.name, equals: "Seven")
                try await expect(store.find(Town.self, key: 8)?.name, equals: "Town 8")
            }
        }
    }

    @Test
    func `a cancelled call stores nothing`() async throws {
        try await withStore(.sqlite) { (store) async throws -> Void in
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
            expect(count, equals: 0)
        }
    }

    @Test
    func `the store assigns the keys that the JSON lacks`() async throws {
        try await withStore(.sqlite) { store in
            let json = #"[{"text": "a", "children": [{"text": "b"}]}, {"text": "c"}]"#
            try await expect(store.save(json: json.data, as: Line.self), equals: 2)
            let lines = try await store.select(Line.self).order { $0.id }.all()
            expect(lines, equals: [Line(id: 1, text: "a", children: [Line(text: "b")]), Line(id: 2, text: "c")])
        }
    }

    /// A sequence that gives pieces, and then ends or throws.
    struct Pieces<Element: Sendable>: AsyncSequence, Sendable {
        struct Broken: Error {}
        let all: [Element]
        var breaks = false

        func makeAsyncIterator() -> AsyncThrowingStream<Element, any Error>.Iterator {
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: Element.self)
            for piece in all { continuation.yield(piece) }
            continuation.finish(throwing: breaks ? Broken() : nil)
            return stream.makeAsyncIterator()
        }
    }

    @Test
    func `what arrives in pieces is stored when all is there, wherever it is cut`() async throws {
        try await withStore(.sqlite) { (store) async throws -> Void in
            let json = Array(Self.towns(500))
            try await expect(store.save(json: Pieces(all: json), as: Town.self), equals: 500)
            let cut = stride(from: 0, to: json.count, by: 7).map { Array(json[$0..<min($0 + 7, json.count)]) }
            try await expect(
                store.save(json: Pieces(all: cut), as: Town.self, options: .init(merging: true)), equals: 500)
            try await expect(store.select(Town.self).count(), equals: 500)
            await expectError(.invalidValue) { try await store.save(json: Pieces(all: [Data()]), as: Town.self) }
        }
    }

    @Test
    func `what does not arrive whole, or is no such record, stores nothing`() async throws {
        try await withStore(.sqlite) { (store) async throws -> Void in
            let json = Array(Self.towns(500))
            await #expect(throws: Pieces<[UInt8]>.Broken.self) {
                try await store.save(json: Pieces(all: [json], breaks: true), as: Town.self)
            }
            await #expect(throws: Pieces<UInt8>.Broken.self) {
                try await store.save(json: Pieces(all: json, breaks: true), as: Town.self)
            }
            let cut = await expectError(.invalidValue) {
                try await store.save(json: Pieces(all: [json.dropLast(30)]), as: Town.self)
            }
            expect(cut?.message.contains("ends inside a record"), equals: true)
            let bad = await expectError(.invalidValue) {
                try await store.save(json: Pieces(all: [json.dropLast(), Array(", {}]".utf8)[...]]), as: Town.self)
            }
            expect(bad?.message == "[500].id is missing." && bad?.element == 500)
            try await expect(store.select(Town.self).count(), equals: 0)
        }
    }

    @Test func `more than the memory is for arrives by a file`() async throws {
        try await withStore(.memory) { (store) async throws -> Void in
            let json = Self.towns(60_000)
            let half = json.count / 2
            let pieces = Pieces(all: [json.prefix(half), json.dropFirst(half)])
            let last = Mutex(0.0)
            let count = try await store.save(json: pieces, as: Town.self) { _, fraction in
                last.withLock { $0 = fraction }
            }
            expect(count == 60_000 && last.withLock { $0 } == 1)
            try await expect(store.find(Town.self, key: 59_999)?.name, equals: "Town 59999")
        }
    }

    @Test
    func `records are exported to a file that is read again`() async throws {
        try await withFolder { (folder) async throws -> Void in
            try await withStore(.sqlite) { (store) async throws -> Void in
                let file = folder.appendingPathComponent("out.json")
                try await expect(store.select(Town.self).export(to: file), equals: 0)
                try expect(String(contentsOf: file, encoding: .utf8), equals: "[]\n")
                try await store.save(json: Self.towns(600), as: Town.self)
                try await store.save(JSONDecodingTests.ann)
                await expectError(.io) { try await store.select(Town.self).export(to: file) }
                let towns = store.select(Town.self).where { $0.id >= 10 }
                try await expect(towns.export(to: file, replacing: true), equals: 590)
                try expect(Town.models(json: Data(contentsOf: file)), equals: (try await towns.all()))
                let lines = folder.appendingPathComponent("out.ndjson")
                try await expect(store.select(Writer.self).export(to: lines, as: .lines), equals: 1)
                let text = try String(contentsOf: lines, encoding: .utf8)
                expect(text.hasSuffix("}\n") && text.filter { $0 == "\n" }.count == 1)
                try expect(Writer(json: text.data), equals: JSONDecodingTests.ann)
                let records = folder.appendingPathComponent("records.json")
                try await expect(store.records("Town").where(text: "id < 3").export(to: records), equals: 3)
                let first = try String(contentsOf: records, encoding: .utf8).prefix { $0 != "\n" }
                expect(first, equals: #"[{"id":0,"name":"Town 0"},"#)
                await expectError(.invalidQuery) {
                    try await store.select(Town.self).limit(-1).export(to: folder.appendingPathComponent("none"))
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                expect(Set(names), equals: ["out.json", "out.ndjson", "records.json"])
            }
        }
    }
}
