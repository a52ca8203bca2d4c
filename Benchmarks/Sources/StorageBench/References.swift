import ArchiveBackend
import CBaseline
import Foundation
import GRDB
import SQLiteBackend
import StorageAPI

/// Measures the cost of references, beside C, handwritten Swift or GRDB on the same data in the same run.
final class References {
    private static let counts = cbaseline_reference_counts(authors: 5_000, tags: 1_000)
    private static let loaded = 1_000
    private let rounds = 7
    private let books: [Book]
    private let sqlite: Store
    private let archive: Store
    private let plain: Database
    private let checked: Database
    private let pool: DatabasePool
    private let byHand: ReferencesByHand

    static func run(_ folder: URL) async throws {
        let references = try await References(folder, 100_000)
        print("| what | against | ratio | goal | times | the archive against SQLite |")
        print("|---|---|---|---|---|---|")
        // Inserting leaves the data that the others read.
        try await references.inserts()
        try await references.loads()
        try await references.filters()
        try await references.cascades()
    }

    private init(_ folder: URL, _ count: Int) async throws {
        books = (0..<count).map { number in
            Book(
                id: number, title: "A book with the number \(number)", year: 1900 + number % 120,
                author: Ref(key: number * 7919 % Int(Self.counts.authors)),
                tags: (0..<3).map { Ref(key: (number * 31 + $0 * 337) % Int(Self.counts.tags)) })
        }
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        sqlite = try await Store(
            SQLiteBackend(path: path("references.db"), durability: .relaxed), models: Author.self, Tag.self, Book.self)
        archive = try await Store(
            ArchiveBackend(path: path("references.karch"), durability: .relaxed), models: Author.self, Tag.self,
            Book.self)
        let authors = (0..<Int(Self.counts.authors)).map { Author(id: $0, name: "Author-\($0)", born: 1900 + $0 % 100) }
        let tags = (0..<Int(Self.counts.tags)).map { Tag(id: $0, name: "Tag-\($0)") }
        for store in [sqlite, archive] {
            try await store.insert(authors)
            try await store.insert(tags)
        }
        (plain, checked) = (try Database(path("plain.db")), try Database(path("checked.db")))
        var counts = Self.counts
        try plain.check(cbaseline_references_prepare(plain.handle, 0, &counts))
        try checked.check(cbaseline_references_prepare(checked.handle, 1, &counts))
        pool = try DatabasePool(grdb: URL(fileURLWithPath: path("plain.db")), makesTables: false)
        byHand = ReferencesByHand(plain)
    }

    // MARK: Cases

    private func inserts() async throws {
        var given: [cbaseline_book] = []
        let titles = books.map { strdup($0.title) }
        defer { for title in titles { free(title) } }
        for (book, title) in zip(books, titles) {
            given.append(
                cbaseline_book(
                    id: Int64(book.id), year: Int64(book.year), author: Int64(book.author.key),
                    tags: (Int64(book.tags[0].key), Int64(book.tags[1].key), Int64(book.tags[2].key)),
                    title: UnsafePointer(title), length: Int32(book.title.utf8.count)))
        }
        var times = Times()
        for _ in 0..<rounds {
            for store in [sqlite, archive] { try await store.truncate(Book.self) }
            for database in [plain, checked] { try database.execute("DELETE FROM BookTag; DELETE FROM Book") }
            try await times.measure("sqlite") { try await self.sqlite.insert(self.books) }
            try await times.measure("archive") { try await self.archive.insert(self.books) }
            for (name, database) in [("C", plain), ("checked", checked)] {
                try await times.measure(name) {
                    try database.check(cbaseline_references_insert(database.handle, given, given.count))
                }
            }
        }
        let what = "insert of 100,000 books with checked references"
        times.row(what, "C without checks", "C", goal: "at most 1.5")
        times.row(what, "C with foreign keys", "checked", goal: "–")
    }

    private func loads() async throws {
        var times = Times()
        let count = Self.loaded
        func load(_ store: Store) async throws -> Int {
            try await store.select(Book.self).limit(count).with(\.author).with(\.tags).all()
                .reduce(0) { $0 + $1.0.id + $1.1.id + $1.2.reduce(0) { $0 + $1.id } }
        }
        for _ in 0..<rounds * 3 {
            let sums = [
                try await times.measure("sqlite") { try await load(self.sqlite) },
                try await times.measure("archive") { try await load(self.archive) },
                try await times.measure("hand") { try self.byHand.load(count) },
                try await times.measure("GRDB") {
                    try await self.pool.read { try BookInfo.first(count).fetchAll($0) }
                        .reduce(0) { $0 + $1.book.id + $1.writer.id + $1.tags.reduce(0) { $0 + $1.id } }
                },
            ]
            guard Set(sums).count == 1 else { throw BenchmarkError("loads differ: \(sums)") }
        }
        let what = "1,000 books with their authors and three tags each"
        times.row(what, "Swift by hand", "hand", goal: "at most 1.25")
        times.row(what, "GRDB's including(all:)", "GRDB", goal: "at most 0.33")
    }

    private func filters() async throws {
        try await filter(
            "filter through a to-one reference",
            { try await $0.select(Book.self).where { $0.author.name == "Author-77" }.all().count },
            books: [
                "author IN (SELECT id FROM Author WHERE name = 'Author-77')",
                "EXISTS (SELECT 1 FROM Author WHERE id = author AND name = 'Author-77')",
            ])
        try await filter(
            "… that half of the books pass",
            { try await $0.select(Book.self).where { $0.author.name < "Author-3" }.all().count },
            books: [
                "author IN (SELECT id FROM Author WHERE name < 'Author-3')",
                "EXISTS (SELECT 1 FROM Author WHERE id = author AND name < 'Author-3')",
            ])
        var times = Times()
        let select = "SELECT id, name, born FROM Author WHERE "
        for _ in 0..<rounds {
            let counts = [
                try await times.measure("sqlite") { try await self.inverse(self.sqlite) },
                try await times.measure("archive") { try await self.inverse(self.archive) },
                try await times.measure("0") {
                    cbaseline_references_authors(
                        self.plain.handle,
                        select
                            + "(SELECT count(*) FROM Book WHERE Book.author = Author.id AND year > 2000) > 2 ORDER BY id"
                    )
                },
                try await times.measure("1") {
                    cbaseline_references_authors(
                        self.plain.handle,
                        select
                            + "id IN (SELECT author FROM Book WHERE year > 2000 GROUP BY author HAVING count(*) > 2) ORDER BY id"
                    )
                },
            ]
            guard Set(counts).count == 1 else { throw BenchmarkError("inverses differ: \(counts)") }
        }
        times.row(
            "filter by the number of books after 2000 (an inverse)", "the better of two SQLs in C",
            times.better("0", "1"), goal: "at most 1.15")
        times = Times()
        for _ in 0..<rounds {
            let counts = [
                try await times.measure("sqlite") {
                    try await self.sqlite.select(Author.self).where { $0.books.count > 2 }.all().count
                },
                try await times.measure("archive") {
                    try await self.archive.select(Author.self).where { $0.books.count > 2 }.all().count
                },
                try await times.measure("0") {
                    cbaseline_references_authors(
                        self.plain.handle,
                        select + "(SELECT count(*) FROM Book WHERE Book.author = Author.id) > 2 ORDER BY id")
                },
                try await times.measure("1") {
                    cbaseline_references_authors(
                        self.plain.handle,
                        select + "id IN (SELECT author FROM Book GROUP BY author HAVING count(*) > 2) ORDER BY id")
                },
            ]
            guard Set(counts).count == 1 else { throw BenchmarkError("counts differ: \(counts)") }
        }
        times.row(
            "filter by books.count > 2", "the better of two SQLs in C", times.better("0", "1"), goal: "at most 1.15")
    }

    private func inverse(_ store: Store) async throws -> Int {
        try await store.select(Author.self).where { $0.books.count { $0.year > 2000 } > 2 }.all().count
    }

    /// - Parameter conditions: what experts write in SQL; the one that is faster counts.
    private func filter(
        _ what: String, _ body: (Store) async throws -> Int, books conditions: [String]
    ) async throws {
        var times = Times()
        for _ in 0..<rounds {
            var counts = [
                try await times.measure("sqlite") { try await body(self.sqlite) },
                try await times.measure("archive") { try await body(self.archive) },
            ]
            for (number, condition) in conditions.enumerated() {
                let found = "FROM Book WHERE \(condition) ORDER BY id"
                counts.append(
                    try await times.measure("\(number)") {
                        cbaseline_references_books(
                            self.plain.handle, "SELECT id, title, year, author \(found)",
                            "SELECT book, tag FROM BookTag WHERE book IN (SELECT id \(found)) ORDER BY book, position")
                    })
            }
            guard Set(counts).count == 1 else { throw BenchmarkError("\(what): results differ: \(counts)") }
        }
        times.row(what, "the better of two SQLs in C", times.better("0", "1"), goal: "at most 1.15")
    }

    private func cascades() async throws {
        var times = Times()
        for round in 0..<Int(Self.counts.authors) / 1_000 {
            let keys = round * 1_000..<round * 1_000 + 1_000
            for (name, store) in [("sqlite", sqlite), ("archive", archive)] {
                let count = try await times.measure(name) { try await store.delete(Author.self, keys: Array(keys)) }
                guard count == 1_000 else { throw BenchmarkError("\(count) authors are deleted") }
            }
            try await times.measure("checked") {
                try self.checked.check(
                    cbaseline_references_delete(self.checked.handle, Int64(keys.lowerBound), Int64(keys.upperBound)))
            }
            let left = 100_000 - (round + 1) * 20_000
            for store in [sqlite, archive] {
                guard try await store.select(Book.self).count() == left else { throw BenchmarkError("books are left") }
            }
        }
        times.row(
            "delete of 1,000 authors, which cascades to 20,000 books", "ON DELETE CASCADE in C", "checked",
            goal: "at most 2.0")
    }
}

/// The times of several ways, measured in turn.
private struct Times {
    private var milliseconds: [String: [Double]] = [:]

    @discardableResult
    mutating func measure<T>(_ name: String, _ body: () async throws -> T) async throws -> T {
        let began = ContinuousClock.now
        let result = try await body()
        milliseconds[name, default: []].append((ContinuousClock.now - began) / .milliseconds(1))
        return result
    }

    func better(_ first: String, _ second: String) -> String { median(first) < median(second) ? first : second }

    private func median(_ name: String) -> Double { milliseconds[name, default: []].median }

    private func ratio(_ name: String, _ other: String) -> Double {
        zip(milliseconds[name, default: []], milliseconds[other, default: []]).map { $0 / $1 }.median
    }

    func row(_ what: String, _ against: String, _ other: String, goal: String) {
        let times = String(format: "%.1f, %.1f ms", median("sqlite"), median(other))
        print(
            "| \(what) | \(against) | " + String(format: "%.2f", ratio("sqlite", other)) + " | \(goal) | \(times) | "
                + String(format: "%.2f |", ratio("archive", "sqlite")))
    }
}
