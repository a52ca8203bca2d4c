import MemoryBackend
import StorageKit
import StorageObservation
import TestSupport
import Testing

// This target is compiled with MainActor as its default isolation, as new projects of Xcode are.

@Storable struct Book: Equatable {
    var id: Int?
    var title: String
    var genre: Genre = .novel
    var format = Format()
    var shelf = Shelf(rawValue: 1)
    var copies: Int = Stock.minimum
    var author: Ref<Author>
    var chapters: [Chapter] = []
}

@Storable struct Author: Equatable {
    var id: Int
    var name: String
    @Ignored var isShown = false
}

@Storable struct Chapter: Equatable {
    var title: String
}

extension Author.Columns {
    var books: Inverse<Book> { inverse(\.author) }
}

enum Genre: String { case novel, poems }

// What the store makes, decodes or calls away from the main actor.
nonisolated struct Format: Codable, Equatable { var width = 12.5, isBound = true }
nonisolated struct Shelf: RawRepresentable, Equatable { var rawValue: Int }
nonisolated enum Stock { static let minimum = 1 }

/// The state of a view.
final class Library {
    private(set) var titles: [String] = []

    func follow(_ store: Store, until count: Int) async throws {
        for try await books in store.select(Book.self).order({ $0.title }).values() {
            titles = books.map(\.title)
            if books.count == count { return }
        }
    }
}

@Suite struct MainActorTests {
    @Test func `a target whose default isolation is the main actor declares, stores, queries and observes models`()
        async throws
    {
        let store = try await Store(InMemoryBackend(), models: Book.self, Author.self)
        try await store.save(Author(id: 1, name: "Ann"))
        let author = Ref<Author>(key: 1)
        var book = Book(title: "b", author: author, chapters: [Chapter(title: "one")])
        book.genre = .poems
        book.shelf = Shelf(rawValue: 7)
        book.format.width = 20
        book = try await store.insert(book)
        try await expect(store.find(Book.self, key: 1), equals: book)
        try await store.insert(Book(title: "a", author: author))
        try await expect(
            store.select(Book.self).where { $0.genre == .poems && $0.shelf == Shelf(rawValue: 7) }.count()
                == 1)
        try await expect(store.select(Author.self).where { $0.books.count == 2 }.count(), equals: 1)
        let library = Library()
        try await library.follow(store, until: 2)
        expect(library.titles, equals: ["a", "b"])
        expect(LiveQuery(store.select(Book.self).order { $0.title }).isLoading)
    }
}
