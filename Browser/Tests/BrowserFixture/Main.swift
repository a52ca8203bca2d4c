import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageAPI
import StorageDriver
import StorageSync

#if PostgreSQL
import PostgreSQLBackend
#endif

/// Makes the stores that the pages are tested with, and writes to them as another program does.
///
///     browser-fixture make URL            todos with projects, steps and a history
///     browser-fixture many URL COUNT      a model of many records
///     browser-fixture hostile URL         names and values that would be markup
///     browser-fixture large URL MB COUNT  records with texts of so many megabytes, or of 10
///     browser-fixture notes URL           notes by UUIDs, whose texts are searched
///     browser-fixture shelf URL           books with pictures, long texts and lists of references
///     browser-fixture shelve URL          one more book
///     browser-fixture replicate URL URL   a hub of todos, and a replica of which a todo waits for the hub
///     browser-fixture change URL          one more todo, and a change of the first
///     browser-fixture write URL SECONDS   todos as fast as they can be written
@main
struct BrowserFixture {
    private static let files: [any StorageBackend.Type] = [SQLiteBackend.self, ArchiveBackend.self]
    #if PostgreSQL
    private static let backends = files + [PostgreSQLBackend.self]
    #else
    private static let backends = files
    #endif

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count > 2 else { exit(64) }
        switch words[1] {
        case "make", "change", "write":
            let store = try await Store(
                url: words[2], backends: backends, models: [Project.self, Todo.self],
                options: .init(history: Store.HistoryOptions(records: [Todo.self, Project.self])))
            switch words[1] {
            case "make": try await make(store)
            case "change": try await change(store)
            default: try await write(store, seconds: words.count > 3 ? Double(words[3]) ?? 1 : 1)
            }
            try await store.close()
        case "replicate": try await replicate(words[2], words.count > 3 ? words[3] : "")
        case "shelf", "shelve":
            let store = try await Store(url: words[2], backends: backends, models: [Tag.self, Book.self])
            try await words[1] == "shelf" ? shelf(store) : shelve(store)
            try await store.close()
        default:
            let store = try await Store(url: words[2], backends: backends)
            switch words[1] {
            case "many": try await many(store, words.count > 3 ? Int(words[3]) ?? 0 : 0)
            case "hostile": try await hostile(store)
            case "large":
                let numbers = words.dropFirst(3).compactMap { Int($0) }
                try await large(store, megabytes: numbers.first ?? 10, count: numbers.dropFirst().first ?? 40)
            case "notes": try await notes(store)
            default: exit(64)
            }
            try await store.close()
        }
    }

    private static func replicate(_ hub: String, _ replica: String) async throws {
        let models: [any Storable.Type] = [Project.self, Todo.self]
        let options = Store.Options(history: Store.HistoryOptions(records: models))
        let home = try await Store(url: hub, backends: backends, models: models, options: options)
        let store = try await Store(url: replica, backends: backends, models: models, options: options)
        try await make(home)
        let way = Way(hub: try await Hub(home, models: models))
        try await Replica(store, models: models, to: way).sync()
        try await store.save(Todo(id: 1000, title: "Waits for the hub", made: .now, project: 1))
        // Its message is lost.
        try? await Replica(store, models: models, to: Way(hub: nil)).sync()
        try await store.close()
        try await home.close()
    }

    /// The way to a hub of this process, or to none.
    private struct Way: SyncTransport {
        let hub: Hub?

        func exchange(_ message: [UInt8]) async throws -> [UInt8] {
            guard let hub else { throw CocoaError(.fileNoSuchFile) }
            return try await hub.answer(message)
        }
    }

    private static func make(_ store: Store) async throws {
        let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
        try await store.insert([Project(id: 1, name: "House"), Project(id: 2, name: "Garden")])
        for id in 1...30 {
            try await store.insert(
                Todo(
                    id: id, title: "Paint the wall \(id)", made: start.addingTimeInterval(Double(id) * 200_000),
                    project: id % 3 == 0 ? 2 : 1, tags: id % 2 == 0 ? ["paint", "wall"] : [],
                    steps: [Step("buy paint", 30), Step("cover the floor", 10), Step("paint")]))
        }
        try await store.transaction { transaction in
            transaction.author = "ann"
            transaction.note = "the cheap one was gone"
            guard var todo = try transaction.find(Todo.self, key: 7) else { return }
            todo.title = "Paint the wall in blue"
            todo.isDone = true
            todo.steps[0].minutes = 45
            try transaction.save(todo)
        }
        try await store.delete(Todo.self, key: 13)
    }

    private static func change(_ store: Store) async throws {
        let next = try await store.select(Todo.self).count() + 1000
        try await store.transaction { transaction in
            guard var todo = try transaction.find(Todo.self, key: 1) else { return }
            todo.title = "Changed from elsewhere"
            try transaction.save(todo)
            try transaction.save(Todo(id: next, title: "Written elsewhere", made: .now, project: 1))
        }
    }

    private static func write(_ store: Store, seconds: Double) async throws {
        let end = Date.now.addingTimeInterval(seconds)
        var id = 100_000
        while Date.now < end {
            id += 1
            try await store.save(Todo(id: id, title: "Written at full speed", made: .now, project: 1))
        }
        print(id - 100_000)
    }

    private static func many(_ store: Store, _ count: Int) async throws {
        try await store.prepare([
            RecordSchema(
                name: "Event",
                properties: [
                    .init(name: "id", kind: .column(.int64), isKey: true), .init(name: "name", kind: .column(.string)),
                    .init(name: "kind", kind: .column(.string), isIndexed: true),
                    .init(name: "amount", kind: .column(.decimal)),
                    .init(name: "at", kind: .column(.date), isIndexed: true),
                    .init(name: "isOpen", kind: .column(.bool)),
                ])
        ])
        for start in stride(from: 0, to: count, by: 50_000) {
            try await store.insert((start..<min(start + 50_000, count)).map(event))
        }
    }

    private static func event(_ id: Int) -> DynamicRecord {
        let kinds = ["login", "purchase", "refund", "visit", "comment"]
        let fields: [DynamicRecord.Field] = [
            .init(name: "id", content: .value(.int(Int64(id)), .int64)),
            .init(name: "name", content: .value(.text("Event number \(id)"), .string)),
            .init(name: "kind", content: .value(.text(kinds[id * 7 % 5]), .string)),
            .init(name: "amount", content: .value(.text("\(id % 1000).5"), .decimal)),
            .init(name: "at", content: .value(.double(790_000_000 + Double(id) * 31), .date)),
            .init(name: "isOpen", content: .value(.int(id % 3 == 0 ? 1 : 0), .bool)),
        ]
        return DynamicRecord(model: "Event", fields: fields)
    }

    private static func hostile(_ store: Store) async throws {
        let name = "<script>alert(1)</script>"
        try await store.prepare([
            RecordSchema(
                name: name,
                properties: [
                    .init(name: "id", kind: .column(.string), isKey: true),
                    .init(name: "a\"b' onx=`&\u{202E}<i>", kind: .column(.string)),
                    .init(name: "x y", kind: .column(.string), isOptional: true),
                ])
        ])
        let values = [
            "<script>document.title='hit'</script>", "\"><img src=x onerror=alert(1)>", "\u{0}\u{1}\u{7F}\u{85}",
            "\u{202E}gnp.exe", "العربية ١٢٣", "a/b?c=d&e#f %00 +", String(repeating: "w", count: 5000), "",
            "👩‍🚀 e\u{301}",
        ]
        try await store.insert(
            values.map { value in
                DynamicRecord(
                    model: name,
                    fields: [
                        .init(name: "id", content: .value(.text("k" + value), .string)),
                        .init(name: "a\"b' onx=`&\u{202E}<i>", content: .value(.text(value), .string)),
                        .init(name: "x y", content: .value(.null, .string)),
                    ])
            })
    }

    private static func large(_ store: Store, megabytes: Int, count: Int) async throws {
        try await store.prepare([
            RecordSchema(
                name: "Page",
                properties: [
                    .init(name: "id", kind: .column(.int64), isKey: true), .init(name: "text", kind: .column(.string)),
                    .init(name: "scan", kind: .column(.data)),
                ])
        ])
        let text = String(repeating: "long ", count: megabytes * 200_000)
        for id in 1...count {
            try await store.insert(
                DynamicRecord(
                    model: "Page",
                    fields: [
                        .init(name: "id", content: .value(.int(Int64(id)), .int64)),
                        .init(name: "text", content: .value(.text(text), .string)),
                        .init(name: "scan", content: .value(.blob([UInt8](repeating: 7, count: 1000)), .data)),
                    ]))
        }
    }
}
