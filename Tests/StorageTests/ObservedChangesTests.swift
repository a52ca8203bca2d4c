import StorageKit
import Testing

@Storable
private struct Note: Equatable {
    var id: Int
    var text: String
}

@Storable
private struct Tag: Equatable {
    var id: Int
}

/// Tests the feed of one store's changes, on every engine.
@Suite struct ObservedChangesTests {
    @Test(arguments: Backend.allCases)
    func `each commit is told once, with its net effect by kind`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Note(id: 1, text: "a"))
            var changes = store.changes(of: Note.self).makeAsyncIterator()
            try await store.save([Note(id: 1, text: "b"), Note(id: 2, text: "c")])
            try await store.save(Tag(id: 9))
            try await store.delete(Note.self, keys: [1, 7])
            try await store.transaction { tx in
                tx.author = "import"
                tx.note = "nightly"
                try tx.insert(Note(id: 3, text: "d"))
                try tx.delete(Note.self, key: 3)
                try tx.delete(Note.self, key: 2)
                try tx.insert(Note(id: 2, text: "e"))
                try? tx.savepoint { () throws(StorageError) in
                    try tx.insert(Note(id: 4, text: "f"))
                    throw StorageError(.invalidValue, "No.")
                }
                #expect(throws: StorageError.self) { try tx.insert([Note(id: 5, text: ""), Note(id: 2, text: "")]) }
            }
            #expect(try await changes.next()?.text == "+[2] ~[1] -[]")
            #expect(try await changes.next()?.text == "+[] ~[] -[1]")
            #expect(try await changes.next()?.text == "+[] ~[2] -[] import nightly")
            try await store.truncate(Note.self)
            #expect(try await changes.next()?.text == "everything")
        }
    }
}

extension Store.Changes.Element where Changed == Store.KeyChanges<Int> {
    fileprivate var text: String {
        switch self {
        case .gap: "gap"
        case .commit(let commit):
            ([commit.changes.text] + [commit.author, commit.note].compactMap { $0 }).joined(separator: " ")
        }
    }
}

extension Store.KeyChanges where Key == Int {
    fileprivate var text: String {
        switch self {
        case .everything: "everything"
        case .keys(let inserted, let updated, let deleted): "+\(inserted) ~\(updated) -\(deleted)"
        }
    }
}
