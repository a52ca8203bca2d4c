internal import StorageAPI

extension Conformance {
    /// E4: how long the author and the note of a transaction may be.
    static let signatureCases: [ConformanceCase] = [
        ConformanceCase(
            "limits/signature", for: [.e4: [2], .h2: [1]],
            "An author and a note of the longest kind are kept, and one more byte is limitExceeded, with nothing written."
        ) { t in
            let store = try await t.open(keysOf: [Pen.self])
            let longest = String(repeating: "é", count: 1 << 15)
            try await store.transaction { handle, tx in
                (handle.author, handle.note) = (longest, longest)
                try tx.insert(Pen(id: 1))
            }
            let entry = try t.required(try await store.history().last)
            try t.expect(entry.author == longest && entry.note == longest, "The author or the note is another.")
            for isAuthor in [true, false] {
                let error = try await t.expectError(.limitExceeded) {
                    try await store.transaction { handle, tx in
                        try tx.insert(Pen(id: 2))
                        if isAuthor { handle.author = longest + "x" } else { handle.note = longest + "x" }
                    }
                }
                try t.expect(error.message.contains(isAuthor ? "author" : "note"), "\(error) does not name it.")
                try t.expect(error.key == nil, "\(error) has a key.")
            }
            try await t.expectError(.limitExceeded) {
                try await store.store.undo(1, author: String(repeating: "x", count: 60_000_000))
            }
            try t.expect(try await store.select(Pen.self).keys(), equals: [1])
            try t.expect(try await store.history().map(\.commit), equals: [1])
        }
    ]
}
