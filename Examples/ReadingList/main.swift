// A reading list for the command line: books with tags and notes, found by words, with undo, CSV in and JSON out.
//   swift run ReadingListExample books.db add "Dune" "Frank Herbert" novel desert
//   swift run ReadingListExample books.db list [TAG]         the books, or the ones with a tag
//   swift run ReadingListExample books.db note "Dune" "The spice must flow."
//   swift run ReadingListExample books.db search "spice flow*"
//   swift run ReadingListExample books.db follow 12          the list after each change by any program, up to 12 books
//   swift run ReadingListExample books.db tags | undo        how many books each tag has; undo the last change
//   swift run ReadingListExample books.db import books.csv   with the columns title, author and stars; export books.json

import Foundation
import SQLiteBackend
import StorageKit

@Storable struct Tag {
    var id: Int?
    @Unique var name: String
}

@Storable struct Note { @Searchable var text: String }

@Storable struct Book {
    var id: Int?
    @Searchable(weight: 2) @Unique var title: String
    @Searchable var author = ""
    var stars: Int?
    @Reference(onDelete: .nullify) var tags: [Ref<Tag>] = []
    var notes: [Note] = []
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2 else {
    print("usage: ReadingListExample PATH add|list|note|search|tags|follow|undo|import|export …")
    exit(64)
}
let rest = Array(words.dropFirst(2))
do {
    let store = try await Store(
        SQLiteBackend(path: words[0]), models: Book.self, Tag.self,
        options: .init(history: .init(records: [Book.self, Tag.self]), author: "reading list"))
    try await run(words[1], in: store)
    try await store.close()
} catch let error as StorageError {
    print(error.message)
    exit(1)
}

func run(_ command: String, in store: Store) async throws {
    switch (command, rest.count) {
    case ("add", 1...):
        try await store.transaction { tx throws(StorageError) in
            var book = Book(title: rest[0], author: rest.dropFirst().first ?? "")
            for name in rest.dropFirst(2) {
                book.tags.append(try tx.save(Tag(name: name), matching: \.name).storedRef)
            }
            try tx.insert(book)
        }
    case ("list", 0...1):
        let books = store.select(Book.self).order { $0.title }.with(\.tags)
        show(try await (rest.isEmpty ? books : books.where { $0.tags.any { $0.name == rest[0] } }).all())
    case ("note", 2):
        try await store.transaction { tx throws(StorageError) in
            var book = try tx.select(Book.self).where { $0.title == rest[0] }.first() ?? Book(title: rest[0])
            book.notes.append(Note(text: rest[1]))
            try tx.save(book)
        }
    case ("search", 1):
        for hit in try await store.select(Book.self).where({ $0.matches(rest[0]) }).limit(10).hits() {
            let texts = [hit.record.title, hit.record.author] + hit.record.notes.map(\.text)
            let excerpts = texts.map { $0.excerpt(for: rest[0]) }.filter { !$0.highlights.isEmpty }
            print("\(hit.record.title): \(excerpts.map(\.text).joined(separator: " … "))")
        }
    case ("tags", 0):
        let tags = store.select(Book.self).group { $0.tags.elements { $0.name } }.order { $0.count.descending }
        for (name, count) in try await tags.all({ ($0.key, $0.count) }) { print("\(count)  \(name)") }
    case ("follow", 1):
        let books = store.select(Book.self).order { $0.title }.with(\.tags)
        for try await rows in books.values() {
            show(rows)
            print("-- \(rows.count) books")
            if rows.count >= Int(rest[0]) ?? 0 { break }
        }
    case ("undo", 0):
        let count = try await store.undoLast(author: "reading list")
        print(count == 0 ? "There is nothing to undo." : "The last change is undone.")
    case ("import", 1):
        let books = try Book.models(csv: Data(contentsOf: URL(fileURLWithPath: rest[0])))
        try await store.transaction { tx throws(StorageError) in
            for book in books {
                var known = try tx.select(Book.self).where { $0.title == book.title }.first() ?? book
                (known.author, known.stars) = (book.author, book.stars)
                try tx.save(known)
            }
        }
        print("\(books.count) books are stored.")
    case ("export", 1):
        let books = store.select(Book.self).order { $0.title }.with(\.tags)
        let count = try await books.export(to: URL(fileURLWithPath: rest[0]), replacing: true)
        print("\(count) books are in \(rest[0]).")
    default: print("\(command) is no command, or has other arguments; run the program without any.")
    }
}

func show(_ books: [(Book, [Tag])]) {
    for (book, tags) in books {
        let stars = String(repeating: "★", count: book.stars ?? 0)
        print(
            ([book.title, book.author, stars] + tags.map { "#" + $0.name }).filter { !$0.isEmpty }.joined(
                separator: "  "))
    }
}
