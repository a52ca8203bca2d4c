package import Foundation
package import StorageKit

// The models and records of the stores in Fixtures, and what has to hold of each store that an earlier version of this
// package has written. The programs that wrote them are in Fixtures/ORIGIN.md.

@Storable package struct Shelf: Equatable {
    package var id: Int
    @Unique var name: String
    var label: Label?
    var books: [Book] = []
    var tags: [String] = []
}

@Storable package struct Label: Equatable {
    var id = 1
    var color: String
}

@Storable package struct Book: Equatable {
    var id: Int
    var title: String
    var pages: Int?
    var price: Decimal
    var chapters: [Chapter] = []
}

@Storable package struct Chapter: Equatable {
    var id: Int
    var title: String
}

@Storable package struct Note: Equatable {
    package var id: Int?
    @Indexed var text: String
    var at: Date
    var mark: UUID?
    var data: Data
    var size: UInt64
    var weight: Double
}

@Storable package struct Seat: Equatable {
    @Key package var tenant: Int
    @Key package var number: Int
    var row = ""
}

@Storable package struct Reader: Equatable {
    package var id: UUID
    @Unique var email: String
    var favourite: Ref<Shelf>?
    var wishes: [Ref<Shelf>] = []
    @Reference(onDelete: .cascade) var seat: Ref<Seat>
}

@Storable package struct Login: Equatable {
    package var id: Int
    @Expires var until: Date?
    @Reference(onDelete: .cascade) var reader: Ref<Reader>
}

@Storable package struct Article: Equatable {
    package var id: UUID
    @Searchable(weight: 2) var title: String
    @Searchable var parts: [String]
}

/// A store that an earlier version of this package has written.
package struct LandedStore: Sendable, CustomStringConvertible {
    /// The date of the version.
    package let date: String
    /// The extension of the store's file.
    package let kind: String

    package init(_ date: String, _ kind: String) { (self.date, self.kind) = (date, kind) }

    package var description: String { "\(date).\(kind)" }

    /// The models that the version had.
    package var models: [any Storable.Type] {
        let first: [any Storable.Type] = [Shelf.self, Note.self]
        let second: [any Storable.Type] = hasReferences ? [Seat.self, Reader.self, Login.self] : []
        return first + second + (hasSearch ? [Article.self] : [])
    }

    /// True if the version had references, expiry and a history.
    private var hasReferences: Bool { date > "2026-11-21" }

    /// True if the version had full-text search.
    private var hasSearch: Bool { date > "2026-11-24" }

    /// True if the version had origins of commits, holds of the history, and fences, and the store has each of them.
    private var hasFence: Bool { date > "2026-11-26" }

    /// The record that closes the store to writers.
    static let fence = Store.Fence(address: "sqlite:/srv/2/landed.db", move: "2026-11-28")

    package func data() throws -> Data {
        guard let url = Bundle.module.url(forResource: "Fixtures/\(self)", withExtension: nil) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try Data(contentsOf: url)
    }

    // MARK: Checks

    /// Reads, changes and verifies a copy of the store.
    ///
    /// - Parameter open: opens the copy with its models and a clock.
    /// - Returns: what is not as it has to be.
    package func faults(
        _ open: @Sendable (_ clock: @escaping @Sendable () -> Date) async throws -> Store
    ) async throws -> [String] {
        var faults = Faults()
        var store = try await open(Self.before)
        try await read(store, &faults)
        if hasReferences { try await readReferences(store, &faults) }
        if hasSearch { try await search(store, &faults) }
        try await store.close()

        store = try await open(Self.after)
        if hasFence { try await openToWriters(store, &faults) }
        if hasReferences { try await change(store, &faults) }
        try await write(store, &faults)
        if hasSearch { try await writeSearched(store, &faults) }
        try await store.close()

        store = try await open(Self.after)
        faults.expect(try await store.find(Shelf.self, key: 9)?.name, equals: "nine", "reopened")
        try await verify(store, &faults)
        try await store.close()
        return faults.found
    }

    private func read(_ store: Store, _ faults: inout Faults) async throws {
        var two = Self.shelf(2)
        two.books.removeLast()
        two.tags = []
        let shelves = try await store.select(Shelf.self).order { $0.id }.all()
        faults.expect(shelves, equals: [Self.shelf(1), two, Self.shelf(3)], "shelves")
        let notes = try await store.select(Note.self).order { $0.id }.all()
        faults.expect(notes, equals: (1...4).map(Self.note), "notes")
        let texts = try await store.select(Note.self).where { $0.text == "note 3" }.all().map(\.id)
        faults.expect(texts, equals: [3], "notes by index")
        let long = try await store.select(Shelf.self).where { $0.books.any { $0.pages == 200 } }.keys()
        faults.expect(long, equals: [3], "shelves by their books")
        try await verify(store, &faults)
    }

    private func readReferences(_ store: Store, _ faults: inout Faults) async throws {
        let readers = try await store.select(Reader.self).order { $0.id }.all()
        faults.expect(readers, equals: (1...3).map(Self.reader), "readers")
        let second = try await store.select(Reader.self).where { $0.seat == Ref(key: (1, 2)) }.all().map(\.email)
        faults.expect(second, equals: ["2@example.org"], "readers by a reference of two parts")
        faults.expect(try await store.select(Login.self).keys(), equals: [1, 2, 3], "logins before one expires")
        var entries: [String] = []
        for try await entry in store.history() {
            entries.append("\(entry.commit) \(entry.author ?? "-") \(entry.note ?? "-") \(entry.model) \(entry.kind)")
        }
        faults.expect(entries.count, equals: hasFence ? 20 : 19, "entries")
        faults.expect(
            entries.filter { $0.hasPrefix("3 ann the first readers Reader inserted") }.count, equals: 4,
            "a commit's entries")
        for try await entry in store.history(of: Shelf.self) where entry.kind == .updated {
            faults.expect(try entry.before, equals: Self.shelf(2), "a record before its change")
        }
    }

    private func openToWriters(_ store: Store, _ faults: inout Faults) async throws {
        faults.expect(try await store.fence(), equals: Self.fence, "the record that closes the store")
        do {
            try await store.save(Shelf(id: 9, name: "nine"))
            faults.found.append("a store that is closed to writers takes a record")
        } catch {
            faults.expect(error.code, equals: .moved, "the error of a write to a closed store")
            faults.expect(error.address, equals: Self.fence.address, "the address of the new place")
        }
        let status = try await store.historyStatus()
        faults.expect(status?.holds.map(\.name), equals: ["reader"], "holds")
        let origins = try await store.commits().commits.map(\.origin)
        faults.expect(origins.filter { $0 != .call }, equals: [.taken(from: "hub")], "origins")
        try await store.removeFence(of: Self.fence.move)
        faults.expect(try await store.releaseHistory("reader"), equals: true, "the release of a hold")
    }

    /// Changes the records by references, expiry and undo.
    private func change(_ store: Store, _ faults: inout Faults) async throws {
        faults.expect(try await store.select(Login.self).keys(), equals: [1, 2], "logins after one has expired")
        do {
            try await store.delete(Shelf.self, key: 1)
            faults.found.append("a shelf is deleted that readers refer to")
        } catch {
            faults.expect(error.code, equals: .constraint, "the error of a denied deletion")
        }
        try await store.delete(Seat.self, key: (1, 1))
        faults.expect(
            try await store.select(Login.self).keys(), equals: [2], "logins after a cascade by a reference of two parts"
        )
        // The shelf that was deleted comes back, with what it owned.
        var commit = 0
        for try await entry in store.history(of: Shelf.self) where entry.kind == .deleted { commit = entry.commit }
        try await store.undo(commit)
        faults.expect(
            try await store.find(Shelf.self, key: 4), equals: Self.shelf(4), "a shelf after the undo of its deletion")
        let commits = try await store.commits().commits
        faults.expect(commits.last?.origin, equals: .undo, "the origin of an undo")
        faults.expect(commits.first?.origin, equals: .call, "the origin of a commit of an earlier version")
        let rules = commits.flatMap(\.changes).filter(\.byRule).map(\.model)
        faults.expect(Set(rules), equals: ["Reader", "Login"], "the models that a rule has changed")
    }

    private func write(_ store: Store, _ faults: inout Faults) async throws {
        let note = try await store.insert(Self.note(1, id: nil))
        faults.expect(note.id, equals: 6, "the next assigned key, after that of a deleted record")
        try await store.save(Shelf(id: 9, name: "nine"))
        do {
            try await store.insert(Shelf(id: 10, name: "nine"))
            faults.found.append("a unique name is stored twice")
        } catch {
            faults.expect(error.code, equals: .constraint, "the error of a second unique name")
        }
        try await store.update(Shelf.self).where { $0.id == 3 }.set(\.tags, to: ["new"]).run()
        faults.expect(try await store.find(Shelf.self, key: 3)?.tags, equals: ["new"], "an updated array")
        try await verify(store, &faults)
    }

    private func search(_ store: Store, _ faults: inout Faults) async throws {
        func numbers(_ text: String) async throws -> [Int] {
            try await store.select(Article.self).where { $0.matches(text) }.all().map { Int($0.id.uuid.15) }.sorted()
        }
        faults.expect(try await numbers("thirds -saved"), equals: (70...100).filter { $0 % 3 == 0 }, "a word")
        faults.expect(try await numbers("title:saved"), equals: Array(1...69), "saved articles")
        faults.expect(try await numbers("\"zurich in wortern\" title:100"), equals: [100], "a phrase")
        faults.expect(try await numbers("deleted"), equals: [], "deleted articles")
        let best = try await store.select(Article.self).where { $0.matches("article 77") }
            .order { $0.relevance.descending }.limit(1).all()
        faults.expect(best, equals: [Self.article(77)], "the best article")
    }

    private func writeSearched(_ store: Store, _ faults: inout Faults) async throws {
        try await store.save(Article(id: Self.uuid(77), title: "rewritten", parts: []))
        try await store.delete(Article.self, key: Self.uuid(78))
        let found = store.select(Article.self)
            .where { $0.matches("\"article 77\" OR \"article 78\" OR rewritten") }
        faults.expect(try await found.keys(), equals: [Self.uuid(77)], "articles after a save and a deletion")
        try await verify(store, &faults)
    }

    private func verify(_ store: Store, _ faults: inout Faults) async throws {
        try await store.verify { faults.found.append("verify: \($0)") }
    }

    /// The differences that were found.
    private struct Faults {
        var found: [String] = []

        mutating func expect<T: Equatable>(_ value: T, equals expected: T, _ what: String) {
            if value != expected { found.append("\(what): \(value), expected: \(expected)") }
        }
    }

    // MARK: Records

    /// The clock of the programs that wrote the fixtures, and one by which the third login has expired.
    static let before: @Sendable () -> Date = { Date(timeIntervalSinceReferenceDate: 800_000_000) }
    private static let after: @Sendable () -> Date = { Date(timeIntervalSinceReferenceDate: 950_000_000) }

    static func shelf(_ id: Int) -> Shelf {
        let chapters = [Chapter(id: 1, title: "one"), Chapter(id: 2, title: "two")]
        let books = (0..<id).map { number in
            Book(
                id: number, title: "book \(number)", pages: number == 0 ? nil : number * 100,
                price: Decimal(sign: .plus, exponent: -2, significand: 995), chapters: chapters)
        }
        return Shelf(
            id: id, name: "shelf \(id)", label: id.isMultiple(of: 2) ? nil : Label(color: "red"), books: books,
            tags: ["a", "b\u{0}c"])
    }

    static func uuid(_ number: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number)))
    }

    static func note(_ number: Int) -> Note { note(number, id: number) }

    static func note(_ number: Int, id: Int?) -> Note {
        Note(
            id: id, text: "note \(number)", at: Date(timeIntervalSinceReferenceDate: 1000.5), mark: uuid(number),
            data: Data([0, 255, UInt8(number)]), size: .max, weight: 0.1)
    }

    static func article(_ number: Int, isSaved: Bool = false) -> Article {
        let thirds = number % 3 == 0 ? ["thirds"] : []
        return Article(
            id: uuid(number), title: isSaved ? "saved article \(number)" : "article \(number)",
            parts: ["Zürich, in Wörtern", "書籍"] + thirds)
    }

    static func reader(_ number: Int) -> Reader {
        Reader(
            id: uuid(number), email: "\(number)@example.org", favourite: number == 1 ? nil : Ref(1),
            wishes: [Ref(3), Ref(1), Ref(3)], seat: Ref(key: (1, number)))
    }
}
