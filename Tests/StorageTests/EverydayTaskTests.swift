import ArchiveBackend
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

// The page EverydayTasks quotes the lines between marks, and scripts/check-documents compares them. They are at most 76
// columns wide there, so they are broken earlier than other lines.

// DECLARE-BEGIN
@Storable struct Author: Equatable {
    var id: Int
    var name: String
}

@Storable struct Chapter: Equatable {
    var title: String
    var pages: Int
}

@Storable struct Book: Equatable {
    var id: Int
    var title: String
    var year: Int
    var isClassic = false
    @Reference(onDelete: .cascade) var author: Ref<Author>
    var chapters: [Chapter] = []
}
// DECLARE-END

// SCHEMA-BEGIN
@Storable("Person") struct PersonV2: Equatable {
    var id: Int
    @Field(renamedFrom: "mail") var email: String?  // renamed
    var level = 1  // new
    var first = ""  // these two were the name
    var last = ""
}

let splitting = Store.Options.moving("Person: first, last") { tx in
    for old in try tx.records("Person", withRemoved: true).all() {
        let id = try old.value("id", as: Int.self)
        let name = try old.value("name", as: String.self)
        let parts = name.split(separator: " ", maxSplits: 1)
        try tx.update(PersonV2.self).where { $0.id == id }
            .set(\.first, to: String(parts.first ?? ""))
            .set(\.last, to: String(parts.dropFirst().first ?? ""))
            .run()
    }
}
// SCHEMA-END

@Storable("Person") private struct PersonV1 {
    var id: Int
    var mail: String?
    var name: String
}

// SEARCHABLE-BEGIN
@Storable struct Article: Equatable {
    var id: Int
    @Searchable(weight: 2) var title: String
    @Searchable var body: String
}
// SEARCHABLE-END

/// Runs the code of the page EverydayTasks on each engine that needs no server.
@Suite struct EverydayTaskTests {
    private static let left = Book(
        id: 1, title: "The Left Hand of Darkness", year: 1969, author: 1,
        chapters: [Chapter(title: "A Parade in Erhenrang", pages: 24), Chapter(title: "On the Ice", pages: 40)])
    private static let others = [
        Book(id: 2, title: "Always Coming Home", year: 1985, author: 1, chapters: [Chapter(title: "Stone", pages: 35)]),
        Book(id: 3, title: "The Lathe of Heaven", year: 1971, author: 1, chapters: [Chapter(title: "One", pages: 12)]),
        Book(id: 4, title: "Emma", year: 1815, author: 2, chapters: [Chapter(title: "Highbury", pages: 50)]),
    ]

    /// Runs a test on a store with two authors and their four books.
    private func withBooks(
        _ kind: Backend, history: Store.HistoryOptions? = nil, _ body: (Store) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            try await kind.open(in: folder, history: history).thenClose { store in
                try await store.insert([Author(id: 1, name: "Ursula K. Le Guin"), Author(id: 2, name: "Jane Austen")])
                try await store.insert([Self.left] + Self.others)
                try await body(store)
            }
        }
    }

    private func ids(_ store: Store) async throws -> [Int] {
        try await store.select(Book.self).order { $0.id }.all().map(\.id)
    }

    @Test func `a store in a file keeps its books, and a store in memory begins empty`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "books.db").path
            for isEmpty in [true, false] {
                // OPEN-BEGIN
                let store = try await Store(
                    SQLiteBackend(path: path), models: Author.self, Book.self)
                let inMemory = try await Store(
                    InMemoryBackend(), models: Author.self, Book.self)
                // OPEN-END
                #expect(try await store.select(Author.self).count() == (isEmpty ? 0 : 1))
                #expect(try await inMemory.select(Author.self).count() == 0)
                try await store.save(Author(id: 1, name: "Ursula K. Le Guin"))
                try await inMemory.save(Author(id: 1, name: "Ursula K. Le Guin"))
                try await store.close()
                try await inMemory.close()
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `an author and a book with its chapters are inserted together`(_ kind: Backend) async throws {
        try await withStore(kind) { store in
            // INSERT-BEGIN
            try await store.transaction { tx in
                try tx.insert(Author(id: 1, name: "Ursula K. Le Guin"))
                try tx.insert(
                    Book(
                        id: 1, title: "The Left Hand of Darkness", year: 1969,
                        author: 1,
                        chapters: [
                            Chapter(title: "A Parade in Erhenrang", pages: 24),
                            Chapter(title: "On the Ice", pages: 40),
                        ]))
            }
            // INSERT-END
            #expect(try await store.select(Author.self).count() == 1)
            #expect(try await store.select(Book.self).all() == [Self.left])
        }
    }

    @Test(arguments: Backend.allCases)
    func `a book is found by its key, with its chapters in order`(_ kind: Backend) async throws {
        try await withBooks(kind) { store in
            // FIND-BEGIN
            let book = try await store.find(Book.self, key: 1)
            // FIND-END
            #expect(book == Self.left)
            #expect(try await store.find(Book.self, key: 9) == nil)
        }
    }

    @Test(arguments: Backend.allCases)
    func `books are filtered by their author and their chapters, sorted and limited`(_ kind: Backend) async throws {
        try await withBooks(kind) { store in
            // FILTER-BEGIN
            let books = try await store.select(Book.self)
                .where {
                    $0.year > 1900 && $0.author.name.hasPrefix("Ursula")
                        && $0.chapters.any { $0.pages > 30 }
                }
                .order { $0.title }
                .limit(10)
                .all()
            // FILTER-END
            #expect(books.map(\.id) == [2, 1])
        }
    }

    @Test(arguments: Backend.allCases)
    func `one property of all old books is set, and nothing else changes`(_ kind: Backend) async throws {
        try await withBooks(kind) { store in
            // SET-BEGIN
            try await store.update(Book.self)
                .where { $0.year < 1970 }
                .set(\.isClassic, to: true)
                .run()
            // SET-END
            var classic = Self.left
            classic.isClassic = true
            #expect(try await store.find(Book.self, key: 1) == classic)
            #expect(try await store.select(Book.self).where { $0.isClassic }.order { $0.id }.keys() == [1, 4])
        }
    }

    @Test(arguments: Backend.allCases)
    func `an author is deleted with her books and their chapters`(_ kind: Backend) async throws {
        try await withBooks(kind) { store in
            // DELETE-BEGIN
            try await store.delete(Author.self, key: 1)
            // DELETE-END
            #expect(try await ids(store) == [4])
            #expect(try await store.select(Book.self).all().flatMap(\.chapters).map(\.title) == ["Highbury"])
        }
    }

    @Test(arguments: Backend.allCases)
    func `a followed query gives its result now and after a change`(_ kind: Backend) async throws {
        try await withBooks(kind) { store in
            let (results, screen) = AsyncStream<[String]>.makeStream()
            let following = Task {
                // FOLLOW-BEGIN
                let recent = store.select(Book.self)
                    .where { $0.year > 1970 }
                    .order { $0.title }
                for try await books in recent.values() {
                    screen.yield(books.map(\.title))
                }
                // FOLLOW-END
            }
            defer { following.cancel() }
            var shown = results.makeAsyncIterator()
            #expect(await shown.next() == ["Always Coming Home", "The Lathe of Heaven"])
            try await store.update(Book.self).where { $0.id == 3 }.set(\.title, to: "A Lathe").run()
            #expect(await shown.next() == ["A Lathe", "Always Coming Home"])
        }
    }

    @Test(arguments: Backend.allCases)
    func `a transaction that throws has changed nothing`(_ kind: Backend) async throws {
        try await withBooks(kind) { store in
            let error = await expectError(.duplicateKey) {
                // FAIL-BEGIN
                try await store.transaction { tx in
                    try tx.delete(Book.self, key: 4)
                    // The key 1 exists: this throws, and the book 4 stays.
                    try tx.insert(Author(id: 1, name: "Someone Else"))
                }
                // FAIL-END
            }
            let stored = try await ids(store)
            #expect(error?.model == "Author")
            #expect(stored == [1, 2, 3, 4])
        }
    }

    @Test(arguments: ["memory", "sqlite", "archive"])
    func `a property is added, one renamed and one split when the store is opened`(_ kind: String) async throws {
        try await withFolder { folder in
            let place = InMemoryBackend.Place()
            let path = folder.appending(path: "people").path
            func open(_ model: any Storable.Type, _ options: Store.Options = .init()) async throws -> Store {
                switch kind {
                case "memory": try await Store(InMemoryBackend(place), models: [model], options: options)
                case "sqlite": try await Store(SQLiteBackend(path: path), models: [model], options: options)
                default: try await Store(ArchiveBackend(path: path), models: [model], options: options)
                }
            }
            try await open(PersonV1.self).thenClose { store in
                try await store.insert([
                    PersonV1(id: 1, mail: "ada@example.org", name: "Ada King Lovelace"), PersonV1(id: 2, name: "Plato"),
                ])
            }
            for _ in 1...2 {
                try await open(PersonV2.self, splitting).thenClose { store in
                    let people = try await store.select(PersonV2.self).order { $0.id }.all()
                    let moved = [
                        PersonV2(id: 1, email: "ada@example.org", level: 1, first: "Ada", last: "King Lovelace"),
                        PersonV2(id: 2, email: nil, level: 1, first: "Plato", last: ""),
                    ]
                    #expect(people == moved)
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `articles are found by their words, the most relevant first`(_ kind: Backend) async throws {
        try await withStore(kind) { store in
            try await store.insert([
                Article(id: 1, title: "Tea", body: "Ice and storage are not its business."),
                Article(id: 2, title: "Storage engines", body: "A storage engine keeps records on ice."),
                Article(id: 3, title: "Gardens", body: "Roses, and a shed."),
            ])
            // SEARCH-BEGIN
            let articles = try await store.select(Article.self)
                .where { $0.matches("storage ice") }
                .order { $0.relevance.descending }
                .limit(20)
                .all()
            // SEARCH-END
            #expect(articles.map(\.id) == [2, 1])
        }
    }

    @Test(arguments: Backend.allCases)
    func `the last change is undone, and the history has both`(_ kind: Backend) async throws {
        // HISTORY-BEGIN
        let history = Store.HistoryOptions(records: [Author.self, Book.self])
        // HISTORY-END
        try await withBooks(kind, history: history) { store in
            let former = try await store.select(Book.self).order { $0.id }.all()
            var kinds: [String] = []
            // UNDO-BEGIN
            try await store.delete(Author.self, key: 1)
            try await store.undoLast()
            for try await entry in store.history(of: Author.self) {
                kinds.append("\(entry.kind) in \(entry.commit)")
            }
            // UNDO-END
            #expect(kinds == ["inserted in 1", "inserted in 1", "deleted in 3", "inserted in 4"])
            #expect(try await store.select(Book.self).order { $0.id }.all() == former)
            #expect(try await store.find(Author.self, key: 1)?.name == "Ursula K. Le Guin")
        }
    }
}
