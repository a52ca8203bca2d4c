import Foundation
import StorageKit
import Testing

@Suite("W5 Partial update")
struct PartialUpdateTests {
    enum Mood: String, Sendable { case good, bad }
    struct Extra: Codable, Equatable { var x = 0 }

    @Storable struct Record: Equatable {
        var id: Int
        var name: String? = "n"
        var count = 1
        var flag = true
        var tags: [String] = ["t"]
        var maybe: [Int]? = [1]
        var data = Data([1])
        var mood: Mood = .good
        var maybeMood: Mood? = .good
        var moods: [Mood] = [.good]
        var extra = Extra(x: 1)
        var decimal: Decimal = 1
        var date: Date? = Date(timeIntervalSinceReferenceDate: 1)
        var children: [Child] = [Child(id: 1)]
    }
    @Storable struct Child: Equatable {
        var id: Int
    }
    @Storable struct Pair: Equatable {
        @Key var first: Int
        @Key var second: String
        var value: Int?
    }
    @Storable struct Link: Equatable {
        var id: Int
        var next: Ref<Link>?
        var isMarked = false
    }

    @Test(arguments: Backend.allCases)
    func `W5 sets named properties on the matching rows, to nil, zero and empty too`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let records = (1...5).map { Record(id: $0) }
            try await store.insert(records)
            let update = store.update(Record.self).where { $0.id >= 2 }.where { $0.id < 4 }
                .set(\.name, to: nil).set(\.count, to: 0).set(\.flag, to: false).set(\.tags, to: []).set(
                    \.maybe, to: nil
                )
                .set(\.data, to: Data()).set(\.mood, to: .bad).set(\.maybeMood, to: nil).set(\.moods, to: [])
                .set(\.extra, to: Extra()).set(\.decimal, to: 0).set(\.date, to: nil)
            #expect(try await update.run() == 2)
            func changed(_ id: Int) -> Record {
                Record(
                    id: id, name: nil, count: 0, flag: false, tags: [], maybe: nil, data: Data(), mood: .bad,
                    maybeMood: nil, moods: [], extra: Extra(), decimal: 0, date: nil)
            }
            #expect(
                try await store.select(Record.self).all() == [
                    records[0], changed(2), changed(3), records[3], records[4],
                ])
            #expect(try await update.run() == 2)
            #expect(try await store.update(Record.self).where { $0.id > 99 }.set(\.count, to: 7).run() == 0)
            #expect(try await store.update(Record.self).set(\.name, to: "").run() == 5)
            #expect(try await store.select(Record.self).where { $0.name == "" }.count() == 5)
        }
    }

    @Test(arguments: Backend.allCases)
    func `W5 the last of several values counts; setting nothing counts the matches`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((1...3).map { Record(id: $0) })
            let update = store.update(Record.self).where { $0.id != 2 }
            #expect(try await update.set(\.count, to: 5).set(\.name, to: "x").set(\.count, to: 6).run() == 2)
            #expect(try await store.select(Record.self).all().map(\.count) == [6, 1, 6])
            #expect(try await update.run() == 2)
        }
    }

    @Test(arguments: Backend.allCases)
    func `W5 a change that moves rows out of the filter reaches each once`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((1...2000).map { Pair(first: $0, second: "\($0)", value: $0) })
            #expect(try await store.update(Pair.self).where { $0.value > 500 }.set(\.value, to: nil).run() == 1500)
            #expect(try await store.select(Pair.self).where { $0.value == nil }.count() == 1500)
        }
    }

    /// Keys are held 4,096 at a time.
    @Test(arguments: Backend.allCases)
    func `W5 updates and deletes by conditions reach each of many records once, whatever the key`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend) { store in
            // 150 texts for each number, so parts end within a number.
            let pairs = (0..<6000).map { Pair(first: $0 / 150, second: "\($0 % 150)", value: $0) }
            try await store.insert(pairs)
            #expect(try await store.update(Pair.self).where { $0.value >= 1000 }.set(\.value, to: 5).run() == 5000)
            #expect(try await store.select(Pair.self).where { $0.value == 5 }.count() == 5001)
            #expect(try await store.update(Pair.self).set(\.value, to: 6).run() == 6000)
            #expect(try await store.select(Pair.self).where { $0.value == 6 }.count() == 6000)
            #expect(try await store.delete(Pair.self).where { $0.second != "77" }.run() == 5960)
            #expect(
                try await store.select(Pair.self).all()
                    == (0..<40).map { Pair(first: $0, second: "77", value: 6) })

            try await store.insert((1...4096 * 2).map { Child(id: $0) })
            #expect(try await store.delete(Child.self).run() == 8192)
            #expect(try await store.delete(Child.self).run() == 0)
            #expect(try await store.select(Child.self).count() == 0)
        }
    }

    @Test(arguments: Backend.allCases)
    func `W5 conditions that follow references are decided by what was stored before`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((0...5000).map { Link(id: $0, next: $0 == 0 ? nil : Ref(key: $0 - 1)) })
            let update = store.update(Link.self).where { $0.next.isMarked == false }.set(\.isMarked, to: true)
            #expect(try await update.run() == 5000)
            #expect(try await store.select(Link.self).where { !$0.isMarked }.keys() == [0])
        }
    }

    @Test(arguments: Backend.allCases)
    func `W5 a key property cannot be changed: invalidQuery, and nothing is written`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Record(id: 1))
            let error = await expectError(.invalidQuery) {
                try await store.update(Record.self).set(\.count, to: 9).set(\.id, to: 2).run()
            }
            #expect(error?.property == "id" && error?.operation == "update" && error?.model == "Record")
            try await store.insert(Pair(first: 1, second: "a"))
            await expectError(.invalidQuery) { try await store.update(Pair.self).set(\.second, to: "b").run() }
            #expect(try await store.find(Record.self, key: 1) == Record(id: 1))
        }
    }
}
