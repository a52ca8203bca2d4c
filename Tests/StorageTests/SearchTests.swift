import CSQLite
import Foundation
import Logging
import MemoryBackend
import SQLiteBackend
import StorageDriver
import StorageKit
import Synchronization
import TestSupport
import Testing

/// Tests of interrupted builds, several stores of one file, unusual texts, and refusals; the suite covers the rest.
@Suite("F Full text")
struct SearchTests {
    @Storable struct Note: Equatable {
        var id: Int
        @Searchable(weight: 2) var title: String
        @Searchable var body: String? = nil
        @Searchable var tags: [String] = []
    }

    @Storable struct Page: Equatable {
        @Searchable var text: String
    }
    @Storable struct Book: Equatable {
        var id: Int
        @Searchable var title: String
        var year = 0
        var pages: [Page] = []
    }

    @Storable struct Notice: Equatable {
        var id: Int
        @Searchable var text: String
        @Expires var until: Date?
    }

    /// The same before it had the marks.
    @Storable("Note") struct PlainNote {
        var id: Int
        var title: String
        var body: String? = nil
        var tags: [String] = []
    }
    @Storable struct Count {
        var id: Int
        @Searchable var number: Int
    }
    @Storable struct Weightless {
        var id: Int
        @Searchable(weight: 0) var title: String
    }

    private static func problems(_ store: Store) async throws -> [String] {
        var problems: [String] = []
        try await store.verify { problems.append($0.description) }
        return problems
    }

    private static func found(_ store: Store, _ text: String) async throws -> [Int] {
        try await store.select(Note.self).where { $0.matches(text) }.keys()
    }

    @Test func `the best are those that have not expired, on each page`() async throws {
        let now = Mutex(Date(timeIntervalSinceReferenceDate: 0))
        let store = try await Store(
            InMemoryBackend(), models: Notice.self, options: .init(clock: { now.withLock(\.self) }))
        let until = Date(timeIntervalSinceReferenceDate: 10)
        // A shorter text is of more relevance, so what expires is found before what stays.
        try await store.insert(
            (1...1500).map { id in
                id <= 1200
                    ? Notice(id: id, text: "news", until: until) : Notice(id: id, text: "news of today", until: nil)
            })
        now.withLock { $0 += 20 }
        for offset in [0, 3] {
            let found = try await store.select(Notice.self).where { $0.matches("news") }
                .order { $0.relevance.descending }.limit(5).offset(offset).all()
            expect(found.map(\.id), equals: Array(1201 + offset..<1206 + offset))
        }
        try await store.close()
    }

    @Test(arguments: ["insert", "save", "transaction"])
    func `a record in the place of an expired one is the only one of its key in the index`(_ verb: String) async throws
    {
        let now = Mutex(Date(timeIntervalSinceReferenceDate: 0))
        let store = try await Store(
            InMemoryBackend(), models: Notice.self, options: .init(clock: { now.withLock(\.self) }))
        let until = Date(timeIntervalSinceReferenceDate: 10)
        try await store.insert((1...1500).map { Notice(id: $0, text: "old \($0)", until: until) })
        now.withLock { $0 += 20 }
        let new = Notice(id: 1400, text: "new 1400", until: nil)
        switch verb {
        case "insert": try await store.insert(new)
        case "save": try await store.save(new)
        default: try await store.transaction { try $0.insert(new) }
        }
        for (text, expected) in [("old", []), ("new", [1400]), ("1400", [1400])] {
            let found = try await store.select(Notice.self).where { $0.matches(text) }.keys()
            expect(found, equals: expected, "\(text)")
        }
        let problems = Mutex<[String]>([])
        try await store.verify { problem in problems.withLock { $0.append("\(problem)") } }
        expect(problems.withLock(\.self), equals: [])
        try await store.close()
    }

    @Test func `a build that is interrupted continues where it ended, and no query is answered meanwhile`() async throws
    {
        try await withFolder { folder in
            let backend = SQLiteBackend(path: folder.appending(path: "notes.db").path, durability: .relaxed)
            let plain = try await Store(backend, models: PlainNote.self)
            try await plain.insert((1...10_000).map { PlainNote(id: $0, title: "note \($0)") })
            try await plain.close()

            // The task that opens the store is cancelled after the first step.
            let steps = Mutex<[Int]>([])
            let opening = Mutex<Task<Void, any Error>?>(nil)
            let task = Task {
                try await eventually { opening.withLock { $0 != nil } }
                let options = Store.Options(indexing: { progress in
                    steps.withLock { $0.append(progress.indexed) }
                    opening.withLock { $0?.cancel() }
                })
                _ = try await Store(backend, models: Note.self, options: options)
            }
            opening.withLock { $0 = task }
            await #expect(throws: StorageError.self) { try await task.value }
            expect(steps.withLock(\.self), equals: [4096])

            // A program that knows no type finds half an index, and is told so.
            let other = try await Store(backend, models: [])
            let error = await #expect(throws: StorageError.self) {
                try await other.records("Note").where(text: "matches \"note\"").count()
            }
            expect(error?.code, equals: .busy)
            try await expect(Self.problems(other).contains { $0.contains("not complete") })
            // What it writes meanwhile is in the index later, on both sides of where the build is.
            try await other.update("Note").where(text: "id in (1, 9999)").set(text: "title = \"changed\"").run()
            try await other.close()

            steps.withLock { $0 = [] }
            let store = try await Store(
                backend, models: Note.self,
                options: .init(indexing: { progress in
                    expect(progress.model == "Note" && progress.total == 10_000)
                    steps.withLock { $0.append(progress.indexed) }
                }))
            expect(steps.withLock(\.self), equals: [8192, 10_000])
            try await expect(Self.found(store, "changed"), equals: [1, 9999])
            try await expect(Self.found(store, "note").count, equals: 9998)
            try await expect(Self.problems(store), equals: [])
            try await store.close()
        }
    }

    @Test func `the first searched property raises the format, so programs without search refuse it`() async throws {
        try await withDatabase { path in
            func format() throws -> [String] {
                try sqliteColumn(path, "SELECT value FROM storage_info WHERE key = 'format'")
            }
            let backend = SQLiteBackend(path: path, durability: .relaxed)
            try await Store(backend, models: PlainNote.self).thenClose { store in
                try await store.insert(PlainNote(id: 1, title: "a"))
            }
            try expect(format(), equals: ["1"])
            let found = try await Store(backend, models: Note.self).thenClose { try await Self.found($0, "a") }
            expect(found, equals: [1])
            try expect(format(), equals: ["2"])
        }
    }

    @Test func `an index whose marks a program without search has lost is rebuilt with the marks`() async throws {
        try await withFolder { folder in
            let backend = SQLiteBackend(path: folder.appending(path: "notes.db").path, durability: .relaxed)
            let first = try await Store(backend, models: Note.self)
            try await first.insert([Note(id: 1, title: "fox"), Note(id: 2, title: "dog")])
            try await first.close()
            // Such a program records the tables as it knows them.
            let engine = try backend.open(logger: Logger.silent)
            try engine.write { (writer) throws(StorageError) in
                for table in try writer.tables() where table.path.first == "Note" {
                    var plain = table
                    for index in plain.columns.indices { plain.columns[index].searchWeight = nil }
                    try writer.change(.alter(from: table, to: plain, added: []))
                }
            }
            try engine.close()
            let older = try await Store(backend, models: PlainNote.self)
            try await older.save([PlainNote(id: 1, title: "wolf"), PlainNote(id: 3, title: "heron")])
            try await older.delete(PlainNote.self, key: 2)
            try await older.close()
            let store = try await Store(backend, models: Note.self)
            try await expect(Self.found(store, "wolf OR heron"), equals: [1, 3])
            try await expect(Self.found(store, "fox OR dog"), equals: [])
            try await expect(Self.problems(store), equals: [])
            try await store.close()
        }
    }

    /// An earlier version numbered the properties of owned records first if the table of the record had been rebuilt, and found
    /// no record then. And one made other words of texts.
    @Test(arguments: [(#"["title","pages.text"]"#, #"["pages.text","title"]"#), ("words.2", "words.1")])
    func `an index that an earlier version made otherwise answers nothing, and is built again at opening`(
        _ settings: String, _ earlier: String
    ) async throws {
        try await withDatabase { path in
            let backend = SQLiteBackend(path: path, durability: .relaxed)
            try await Store(backend, models: Book.self).thenClose { store in
                try await store.insert([
                    Book(id: 1, title: "moon", pages: [Page(text: "sun")]), Book(id: 2, title: "sun"),
                ])
                try await store.withUnsafeSQLiteHandle { database in
                    let sql = "UPDATE storage_search SET settings = replace(settings, '\(settings)', '\(earlier)')"
                    try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
                    try #require(sqlite3_changes(database) == 1)
                }
            }
            let reader = try await Store(SQLiteBackend(path: path, isReadOnly: true), models: Book.self)
            let error = await #expect(throws: StorageError.self) {
                try await reader.select(Book.self).where { $0.matches("sun") }.keys()
            }
            expect(error?.code, equals: .busy)
            try await expect(Self.problems(reader).contains { $0.contains("make it anew") })
            try await reader.close()

            let steps = Mutex(0)
            let options = Store.Options(indexing: { _ in steps.withLock { $0 += 1 } })
            var made = 0
            for isFirst in [true, false] {
                let store = try await Store(backend, models: Book.self, options: options)
                try await expect(store.select(Book.self).where { $0.matches("sun") }.keys(), equals: [1, 2])
                try await expect(store.select(Book.self).where { $0.title.matches("sun") }.keys(), equals: [2])
                try await expect(Self.problems(store), equals: [])
                if isFirst { made = steps.withLock(\.self) }
                expect(made > 0 && steps.withLock(\.self) == made, "The first opening makes the index, and no other.")
                try await store.close()
            }
        }
    }

    @Test func `two stores of one file write one index`() async throws {
        try await withFolder { folder in
            let backend = SQLiteBackend(path: folder.appending(path: "notes.db").path, durability: .relaxed)
            let first = try await Store(backend, models: Note.self)
            let second = try await Store(backend, models: Note.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, store) in [first, second].enumerated() {
                    group.addTask {
                        for id in 0..<150 {
                            try await store.save(Note(id: id * 2 + number, title: "note \(id % 10)"))
                            if id.isMultiple(of: 7) { try await store.delete(Note.self, key: id) }
                            _ = try await Self.found(store, "note")
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await expect(Self.found(first, "note").count, equals: first.select(Note.self).count())
            try await expect(Self.found(second, "3"), equals: Self.found(first, "3"))
            try await expect(Self.problems(first), equals: [])
            try await first.rebuildSearch(of: Note.self)
            try await expect(Self.found(second, "3"), equals: Self.found(first, "3"))
            try await second.save(Note(id: 1000, title: "after the rebuilding"))
            try await expect(Self.found(first, "rebuilding"), equals: [1000])
            try await expect(Self.problems(second), equals: [])
            try await first.close()
            try await second.close()
        }
    }

    @Test
    func `unusual texts and queries are texts and queries`() async throws {
        try await withStore(.sqlite) { store in
            let long = String(repeating: "x", count: 1 << 20)
            let texts = [
                long, String(repeating: "word ", count: 200_000), "a\u{0}b", "\u{301}\u{301}", "👩‍👩‍👧‍👦 🇩🇪", "שלום עולם", "",
                " ",
                "\u{FEFF}", "e\u{301}", String(repeating: "月", count: 10_000),
            ]
            try await store.insert(texts.enumerated().map { Note(id: $0, title: $1, tags: [$1, $1]) })
            let queries = [
                "word", "שלום", "👩‍👩‍👧‍👦", "月月", "é", "\"", "\"\"", "-", "*", ":", "title:", "a OR", "OR OR OR", "-a -b",
                (0..<10_000).map { "w\($0)" }.joined(separator: " "), String(repeating: "(", count: 10_000), long,
                "\u{0}",
                String(repeating: "\" ", count: 5000),
            ]
            for query in queries { _ = try await Self.found(store, query) }
            try await expect(Self.found(store, "word"), equals: [1])
            try await expect(Self.found(store, "שלום"), equals: [5])
            try await expect(Self.found(store, "é"), equals: [9])
            try await expect(Self.found(store, "月月"), equals: [10])
            try await expect(Self.found(store, long), equals: [0])
            try await expect(Self.problems(store), equals: [])
        }
    }

    @Test func `an update of properties that are not searched writes nothing into the index`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "notes.db").path
            let store = try await Store(SQLiteBackend(path: path, durability: .relaxed), models: Book.self)
            try await store.insert(
                (0..<10).map { Book(id: $0, title: "book \($0)", pages: [Page(text: "page \($0)")]) })
            func commits() async throws -> Int {
                try await store.withUnsafeSQLiteHandle { database in
                    var count = 0
                    try withUnsafeMutablePointer(to: &count) { count in
                        let code = sqlite3_exec(
                            database, "SELECT max(number) FROM storage_search_1_pending",
                            { count, _, values, _ in
                                count?.assumingMemoryBound(to: Int.self).pointee =
                                    values?[0].flatMap { Int(String(cString: $0)) } ?? 0
                                return 0
                            }, count, nil)
                        try #require(code == SQLITE_OK)
                    }
                    return count
                }
            }
            let before = try await commits()
            try await store.update(Book.self).where { $0.id < 5 }.set(\.year, to: 2000).run()
            try await expect(commits(), equals: before)
            try await store.transaction { tx in
                try tx.update(Book.self).where { $0.id == 1 }.set(\.year, to: 2001).run()
                try tx.save(Book(id: 1, title: "book 1", pages: [Page(text: "changed")]))
                try tx.update(Book.self).where { $0.id == 2 }.set(\.year, to: 2001).set(\.title, to: "other").run()
            }
            try await expect(commits(), equals: before + 1)
            try await expect(store.select(Book.self).where { $0.matches("changed") }.keys(), equals: [1])
            try await expect(store.select(Book.self).where { $0.matches("other") }.keys(), equals: [2])
            try await expect(Self.problems(store), equals: [])
            try await store.close()
        }
    }

    @Test func `a mark on another type, and a weight of nothing, are refused`() async throws {
        for (type, reason) in [(Count.self as any Storable.Type, "only String"), (Weightless.self, "weight 0.0")] {
            let error = await #expect(throws: StorageError.self) { try await Store(InMemoryBackend(), models: [type]) }
            expect(error?.code, equals: .configuration)
            expect(error?.message.contains(reason), equals: true, "\(error?.message ?? "")")
        }
    }

    @Test func `an index with more properties than a model may have now keeps them, and gets no more`() async throws {
        func schema(searched count: Int) -> RecordSchema {
            let texts = (0..<212).map {
                RecordSchema.Property(name: "p\($0)", kind: .column(.string), searchWeight: $0 < count ? 1 : nil)
            }
            return RecordSchema(name: "Wide", properties: [.init(name: "id", kind: .column(.int64))] + texts)
        }
        try await withDatabase { path in
            let backend = SQLiteBackend(path: path, durability: .relaxed)
            try await Store(backend, models: []).thenClose { store in
                try await store.migrate(to: [schema(searched: 200)])
                let texts = (0..<212).map {
                    DynamicRecord.Field(name: "p\($0)", content: .value(.text("word\($0)"), .string))
                }
                let id = DynamicRecord.Field(name: "id", content: .value(.int(1), .int64))
                try await store.insert(DynamicRecord(model: "Wide", fields: [id] + texts))
            }
            // As an earlier version would have marked ten more.
            let engine = try backend.open(logger: Logger.silent)
            try engine.write { (writer) throws(StorageError) in
                for table in try writer.tables() where table.path == ["Wide"] {
                    var marked = table
                    let names = (200..<210).map { "p\($0)" }
                    for place in marked.columns.indices where names.contains(marked.columns[place].property) {
                        marked.columns[place].searchWeight = 1
                    }
                    try writer.change(.alter(from: table, to: marked, added: []))
                }
            }
            try engine.close()
            let more = (200..<210).map { ",\"p\($0)\"" }.joined()
            try otherProgram(path) { database in
                let sql = """
                    UPDATE storage_search
                    SET settings = replace(replace(settings, '"p199"', '"p199"\(more)'), 'words.2', 'words.1')
                    """
                try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
            }
            try await Store(backend, models: []).thenClose { store in
                try await store.rebuildSearch(of: "Wide")
                for word in [0, 199, 209] {
                    let found = store.records("Wide").where(text: "p\(word) matches 'word\(word)'")
                    try await expect(found.count(), equals: 1, "word\(word)")
                }
                try await expect(Self.problems(store), equals: [])
                let error = await #expect(throws: StorageError.self) {
                    try await store.migrate(to: [schema(searched: 211)])
                }
                expect(error?.code, equals: .limitExceeded)
                try await store.migrate(to: [schema(searched: 209)])
                try await expect(store.records("Wide").where(text: "matches 'word208'").count(), equals: 1)
                try await expect(Self.problems(store), equals: [])
            }
        }
    }
}
