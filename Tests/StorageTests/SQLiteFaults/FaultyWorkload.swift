import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// A workload with every verb that writes, and what the store holds after each step that succeeds.
enum FaultyWorkload {
    @Storable struct Note: Equatable {
        var id: Int
        var title = ""
        @Unique var mark: Int?
        var body = ""
        var tags: [Tag] = []
    }
    @Storable struct Tag: Equatable {
        var id: Int
        var name = ""
    }
    @Storable struct Entry: Equatable {
        var id: Int?
        var text = ""
    }
    @Storable struct Late: Equatable {
        var id: String
        var number = 0
    }

    /// The contents of a store.
    struct State: Equatable {
        var notes: [Int: Note] = [:]
        var entries: [Int: String] = [:]
        var late: [String: Int] = [:]

        init() {}

        init(_ store: Store) async throws {
            for note in try await store.select(Note.self).all() { notes[note.id] = note }
            for entry in try await store.select(Entry.self).all() { entries[entry.id ?? 0] = entry.text }
            for late in try await store.select(Late.self).all() { self.late[late.id] = late.number }
        }

        mutating func put(_ list: [Note]) { for note in list { notes[note.id] = note } }

        /// Adds an entry under the key that the store gives it; none is deleted but by truncating.
        mutating func append(_ text: String) { entries[entries.count + 1] = text }

        /// The keys of records that are in one alone, or differ.
        func difference(from other: State) -> String {
            let keys = Set(notes.keys).union(other.notes.keys).filter { notes[$0] != other.notes[$0] }.sorted()
            return "notes \(keys), entries \(entries) and \(other.entries), late \(late) and \(other.late)"
        }
    }

    struct Step: Sendable {
        let name: String
        /// Changes the expected state where the store has changed what it has.
        let run: @Sendable (Store, inout State) async throws -> Void
    }

    static func note(_ id: Int, _ title: String = "n", tags: Int = 2) -> Note {
        Note(
            id: id, title: title, mark: id * 10, body: String(repeating: "x", count: 9_000),
            tags: (0..<tags).map { Tag(id: $0, name: "\(id).\($0)") })
    }

    static let steps: [Step] = [
        Step(name: "insert one") { store, state in
            try await store.insert(note(1))
            state.put([note(1)])
        },
        Step(name: "insert many") { store, state in
            let notes = (100..<170).map { note($0) }
            try await store.insert(notes)
            state.put(notes)
        },
        // The last but one is refused: the rows before it stand in the same statement.
        Step(name: "insert one twice among many") { store, _ in
            let notes = (200..<220).map { note($0) } + [note(200)] + (220..<240).map { note($0) }
            await refused(.duplicateKey) { try await store.insert(notes) }
        },
        Step(name: "save") { store, state in
            let notes = (150..<185).map { note($0, "saved", tags: $0 % 4) }
            try await store.save(notes)
            state.put(notes)
        },
        Step(name: "save with a value that another has") { store, _ in
            var notes = (185..<225).map { note($0) }
            notes[20].mark = notes[3].mark
            await refused(.constraint) { [notes] in try await store.save(notes) }
        },
        Step(name: "update") { store, state in
            let notes = (100..<140).map { note($0, "updated", tags: 1) }
            try await store.update(notes)
            state.put(notes)
        },
        Step(name: "partial update") { store, state in
            let body = String(repeating: "y", count: 8_000)
            try await store.update(Note.self).where { $0.id < 150 }.set(\.body, to: body).run()
            for id in state.notes.keys where id < 150 { state.notes[id]?.body = body }
        },
        Step(name: "partial update that is refused") { store, state in
            try await store.save([note(2), note(3)])
            state.put([note(2), note(3)])
            await refused(.constraint) {
                try await store.update(Note.self).where { $0.id < 150 }.set(\.mark, to: 7).run()
            }
        },
        Step(name: "assigned keys") { store, state in
            let stored = try await store.insert([Entry(text: "a"), Entry(text: "b")])
            for entry in stored { state.append(entry.text) }
        },
        Step(name: "delete by keys") { store, state in
            try await store.delete(Note.self, keys: Array(100..<110))
            for id in 100..<110 { state.notes[id] = nil }
        },
        Step(name: "delete by a condition") { store, state in
            try await store.delete(Note.self).where { $0.id >= 160 && $0.id < 170 }.run()
            for id in 160..<170 { state.notes[id] = nil }
        },
        Step(name: "transaction") { store, state in
            let notes = (300..<340).map { note($0, tags: 1) }
            try await store.transaction { tx in
                try tx.insert(notes)
                try tx.delete(Note.self, key: 110)
                try tx.insert(Entry(text: "in a transaction"))
            }
            state.put(notes)
            state.notes[110] = nil
            state.append("in a transaction")
        },
        Step(name: "transaction whose body goes on after errors", run: goesOn),
        Step(name: "savepoint") { store, state in
            let notes = (400..<420).map { note($0, tags: 0) }
            try await store.transaction { tx in
                try? tx.savepoint {
                    try tx.insert(notes)
                    throw StorageError(.cancelled, "undone")
                }
                try tx.save(notes[0])
            }
            state.put([notes[0]])
        },
        Step(name: "a model used first") { store, state in
            try await store.insert(Late(id: "a", number: 1))
            state.late["a"] = 1
        },
        Step(name: "records without a type") { store, state in
            try await store.records("Late").set("number", to: .int(2)).run()
            for key in state.late.keys { state.late[key] = 2 }
        },
        Step(name: "compact") { store, _ in try await store.compact() },
        Step(name: "truncate") { store, state in
            try await store.truncate(Entry.self)
            state.entries = [:]
        },
        Step(name: "insert at the end") { store, state in
            try await store.insert(Entry(text: "last"))
            state.append("last")
        },
    ]

    /// A call that fails in any case: by what it asks for, or by the disk.
    private static func refused(_ code: StorageError.Code, _ call: () async throws -> Any) async {
        do {
            _ = try await call()
            Issue.record("\(code) was expected")
        } catch let error as StorageError {
            expect([code, .io, .full].contains(error.code), "\(error)")
        } catch {
            Issue.record("\(error)")
        }
    }

    /// Every call that the body saw succeed is committed, if the transaction is.
    @Sendable private static func goesOn(_ store: Store, _ state: inout State) async throws {
        let before = state
        state = try await store.transaction { tx in
            var state = before
            let notes = (500..<540).map { note($0, tags: 1) }
            if (try? tx.insert(notes)) != nil { state.put(notes) }
            if (try? tx.save(note(540))) != nil { state.put([note(540)]) }
            if (try? tx.delete(Note.self, key: 111)) != nil { state.notes[111] = nil }
            let body = "short"
            if (try? tx.update(Note.self).where({ $0.id < 120 }).set(\.body, to: body).run()) != nil {
                for id in state.notes.keys where id < 120 { state.notes[id]?.body = body }
            }
            if (try? tx.insert(Entry(text: "went on"))) != nil { state.append("went on") }
            return state
        }
    }
}
