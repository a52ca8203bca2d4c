import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("Digests of parts of a model")
struct PartDigestTests {
    @Storable struct Crate: Equatable {
        var id: Int
        var label = ""
        var note: String?
        @Expires var until: Date?
        var bottles: [Bottle] = []
    }
    @Storable struct Bottle: Equatable {
        var name: String
    }

    private static let crates = (0..<200).map { number in
        Crate(id: number, label: "l\(number)", bottles: (0..<number % 3).map { Bottle(name: "\(number).\($0)") })
    }

    private func name(in store: Store) async throws -> String {
        try #require(try await store.recordSchemas().first { $0.name.hasSuffix("Crate") }).name
    }

    private func changed(_ one: [PartDigest], _ other: [PartDigest]) -> [Int] {
        zip(one, other).filter { $0 != $1 }.map(\.0.part)
    }

    @Test(arguments: Backend.allCases)
    func `equal records have equal digests on each engine, and a change shows in its part alone`(
        _ backend: Backend
    ) async throws {
        let reference = try await withStore(.memory) { store in
            try await store.insert(Self.crates.reversed())
            return try await store.digests(of: name(in: store), parts: 16)
        }
        try await withStore(backend) { store in
            try await store.insert(Self.crates)
            let model = try await name(in: store)
            let all = try await store.digests(of: model, parts: 16)
            expect(all, equals: reference)
            expect(all.map(\.part), equals: Array(0..<16))
            expect(all.map(\.records).reduce(0, +), equals: 200)
            expect(all.map(\.rows).reduce(0, +), equals: 200 + Self.crates.map(\.bottles.count).reduce(0, +))
            expect(all.allSatisfy { (2...40).contains($0.records) }, "The parts differ too much.")
            try await store.update(Crate.self).where { $0.id == 7 }.set(\.label, to: "other").run()
            let seven = try await store.digests(of: model, parts: 16)
            expect(changed(all, seven).count, equals: 1)
            try await store.insert(Crate(id: 1000))
            try await store.delete(Crate.self, key: 1000)
            try await store.update(Crate.self).where { $0.id == 7 }.set(\.label, to: "l7").run()
            try await expect(store.digests(of: model, parts: 16), equals: all)
            // More parts divide: what is in one of 16 is in two of 32.
            let more = try await store.digests(of: model, parts: 32)
            expect((0..<16).map { more[$0].records + more[$0 + 16].records }, equals: all.map(\.records))
            try await expect(store.digests(of: model, parts: 1)[0].bytes, equals: store.digest(of: model).bytes)
        }
    }

    @Test func `chosen properties count alone, an array of owned records as one`() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert(Self.crates)
            let model = try await name(in: store)
            let labels = try await store.digests(of: model, parts: 4, properties: ["label"])
            let bottles = try await store.digests(of: model, parts: 4, properties: ["bottles"])
            expect(labels.map(\.rows).reduce(0, +), equals: 200)
            try await store.update(Crate.self).where { $0.id == 1 }.set(\.note, to: "new").run()
            try await expect(store.digests(of: model, parts: 4, properties: ["label"]), equals: labels)
            try await expect(store.digests(of: model, parts: 4, properties: ["bottles"]), equals: bottles)
            var crate = try #require(try await store.find(Crate.self, key: 1))
            crate.bottles = []
            try await store.update(crate)
            try await expect(store.digests(of: model, parts: 4, properties: ["label"]), equals: labels)
            try await expect(
                changed(store.digests(of: model, parts: 4, properties: ["bottles"]), bottles).count, equals: 1)
            let before = try await store.digests(of: model, parts: 4, properties: [])
            try await store.delete(Crate.self, key: 1)
            try await expect(changed(store.digests(of: model, parts: 4, properties: []), before).count, equals: 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func `records that have expired do not count, removed or not`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.crates)
            let model = try await name(in: store)
            let all = try await store.digests(of: model, parts: 8)
            // It has expired when it is stored, and no write removes it before the digests are read.
            try await store.insert(Crate(id: 500, until: .distantPast, bottles: [Bottle(name: "old")]))
            try await expect(store.digests(of: model, parts: 8), equals: all)
            try await store.removeExpired()
            try await expect(store.digests(of: model, parts: 8), equals: all)
        }
    }

    @Test func `a model, a property and a number of parts that there are not are refused`() async throws {
        try await withStore(.memory) { store in
            try await store.insert(Self.crates[0])
            let model = try await name(in: store)
            for (name, parts, properties) in [
                ("Nothing", 1, nil), (model, 0, nil), (model, 65_537, nil), (model, 1, ["label", "lable"] as Set),
            ] {
                let error = await #expect(throws: StorageError.self) {
                    try await store.digests(of: name, parts: parts, properties: properties)
                }
                expect(error?.code, equals: .invalidQuery)
            }
        }
    }
}
