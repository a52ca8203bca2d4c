internal import MemoryBackend
internal import StorageAPI
internal import StorageDriver

extension Conformance {
    /// T13: rows that libraries keep in the store for themselves.
    static let annexCases: [ConformanceCase] = [
        ConformanceCase(
            "annexes/rows", for: [.t13: [1]],
            "Rows are read by key and in the order of their keys' bytes, from any key on, by every kind of call."
        ) { t in
            var store = try await t.open(Pen.self)
            try t.expect(try await store.annex("none", limit: 9), equals: [])
            try t.expect(try await store.store.annexValue("none", key: [1]) == nil, "An annex without rows has one.")
            t.note("try await store.setAnnex(\"none\", key: [1], to: nil); try await store.removeAnnex(\"none\")")
            try await store.store.setAnnex("none", key: [1], to: nil)
            try await store.store.removeAnnex("none")
            let keys: [[UInt8]] = [
                [], [0], [0, 0], [0, 1], [0x41], [0x61], [0x7F, 0xFF], [0x80], [0xC3, 0xA9], [0xFF], [0xFF, 0],
            ]
            let rows: [(key: [UInt8], value: [UInt8])] = keys.enumerated().map {
                ($1, $0 == 3 ? [] : [UInt8($0), 0, 0xFF])
            }
            t.note("try await store.setAnnex(\"a\", rows: …)")
            try await store.store.setAnnex("a", rows: rows.reversed().map { ($0.key, $0.value) })
            // Another annex, whose name is the same but for its bytes, and another that only begins alike.
            try await store.store.setAnnex("e\u{301}", key: [5], to: [1])
            try store.store.blocking.setAnnex("é", key: [5], to: [2])
            try await store.store.setAnnex("aa", key: [0x42], to: [3])
            if t.place.outlivesClosing(store.info) {
                try await store.close()
                store = try await t.open(Pen.self)
            }
            let texts = rows.map { "\($0.key) \($0.value)" }
            try t.expect(try await store.annex("a", limit: 100), equals: texts)
            for (place, row) in rows.enumerated() {
                let later = Array(texts.dropFirst(place + 1).prefix(3))
                try t.expect(try await store.annex("a", after: row.key, limit: 3), equals: later)
                try t.expect(
                    try await store.annex("a", before: row.key, limit: 100), equals: Array(texts.prefix(place)))
                let two = texts.dropFirst(place + 1).prefix(2)
                if place + 3 < rows.count {
                    try t.expect(
                        try await store.annex("a", after: row.key, before: rows[place + 3].key, limit: 9),
                        equals: Array(two))
                }
                try t.expect(try await store.store.annexValue("a", key: row.key), equals: row.value)
                try t.expect(try store.store.blocking.annexValue("a", key: row.key), equals: row.value)
            }
            let places = [rows.count - 1, 0, 0, 3]
            for keys in [places.map { rows[$0].key }, places.map { rows[$0].key } + [[9, 9, 9]], []] {
                let wanted = keys.map { key in rows.first { $0.key == key }?.value }
                try t.expect(try await store.store.annexValues("a", keys: keys), equals: wanted)
                try t.expect(try store.store.blocking.annexValues("a", keys: keys), equals: wanted)
            }
            try t.expect(try await store.annex("a", after: [0x42], limit: 1), equals: [texts[5]])
            try t.expect(
                try store.store.blocking.annexRows("a", after: [0xFF], limit: 5).map { "\($0.key) \($0.value)" },
                equals: [texts[10]])
            try t.expect(try await store.annex("é", limit: 5), equals: ["[5] [2]"])
            try t.expect(try await store.annex("e\u{301}", limit: 5), equals: ["[5] [1]"])
            // The last value of a key holds.
            try await store.store.setAnnex(
                "a", rows: [([0], [7]), ([0x41], [8]), ([0], nil), ([0x41], [9]), ([3], nil)])
            try t.expect(try await store.store.annexValue("a", key: [0]) == nil, "A removed row is there.")
            try t.expect(try await store.store.annexValue("a", key: [0x41]), equals: [9])
            try await store.store.removeAnnex("a")
            try t.expect(try await store.annex("a", limit: 5), equals: [])
            try t.expect(try await store.annex("aa", limit: 5), equals: ["[66] [3]"])
            var many: [(key: [UInt8], value: [UInt8]?)] = []
            for number in 0..<1000 { many.append(([UInt8(number / 256), UInt8(number % 256)], [UInt8(number % 251)])) }
            try await store.store.setAnnex("many", rows: many)
            var seen: [[UInt8]] = []
            while true {
                let part = try await store.store.annexRows("many", after: seen.last, limit: 300)
                if part.isEmpty { break }
                seen += part.map(\.key)
            }
            try t.expect(seen, equals: many.map(\.key))
            try store.store.blocking.removeAnnex("many")
            try t.expect(try await store.annex("many", limit: 5), equals: [])
        },
        ConformanceCase(
            "annexes/transactions", for: [.t13: [2]],
            "Rows are committed with their transaction's records, undone with it and with a savepoint, and part of a snapshot."
        ) { t in
            let store = try await t.open(Pen.self)
            try await t.expectError(.invalidValue) {
                try await store.store.transaction { tx in
                    try tx.setAnnex("a", key: [1], to: [1])
                    try tx.insert(Pen(id: 1))
                    throw StorageError(.invalidValue, "The transaction is undone.")
                }
            }
            try t.expect(try await store.annex("a", limit: 9), equals: [])
            t.note("try await store.transaction { tx in try tx.setAnnex(…); try tx.savepoint { … } }")
            try await store.store.transaction { (tx: inout Store.Transaction) throws(StorageError) -> Void in
                try tx.insert(Pen(id: 1))
                try tx.setAnnex("a", rows: [([1], [1]), ([2], [2])])
                do throws(StorageError) {
                    try tx.savepoint { () throws(StorageError) in
                        try tx.setAnnex("a", key: [1], to: nil)
                        try tx.setAnnex("b", key: [1], to: [1])
                        try tx.insert(Pen(id: 1))
                    }
                } catch { guard error.code == .duplicateKey else { throw error } }
                guard try tx.annexRows("a", limit: 9).map(\.key) == [[1], [2]], try tx.annexValue("a", key: [2]) == [2],
                    try tx.annexRows("b", limit: 9).isEmpty
                else { throw StorageError(.corrupt, "The transaction does not see its rows.") }
                try tx.setAnnex("a", key: [3], to: [3])
            }
            try t.expect(try await store.annex("a", limit: 9), equals: ["[1] [1]", "[2] [2]", "[3] [3]"])
            try t.expect(try await store.select(Pen.self).keys(), equals: [1])
            let handle = store.store
            let seen = try await store.store.read { (snapshot) throws(StorageError) -> [[UInt8]] in
                let first = try snapshot.annexRows("a", limit: 9).map(\.key)
                return try first + [snapshot.annexValue("a", key: [3]) ?? []]
            }
            try t.expect(seen, equals: [[1], [2], [3], [3]])
            try await t.expectError(.constraint) {
                try await handle.transaction { tx in
                    try tx.removeAnnex("a")
                    throw StorageError(.constraint, "The transaction is undone.")
                }
            }
            try t.expect(try await store.annex("a", limit: 9).count, equals: 3)
        },
        ConformanceCase(
            "annexes/apart", for: [.t13: [3]],
            "Neither lists of models, copies, digests, comparisons, verification, observers nor the history have the rows."
        ) { t in
            let store = try await t.open(recordsOf: [Pen.self])
            try await store.insert(Pen(id: 1))
            let (digest, token) = (try await store.store.digest(of: "Pen"), try await store.store.historyToken())
            var changes = store.store.changes(of: Pen.self).makeAsyncIterator()
            t.note("try await store.setAnnex(\"a\", key: [1], to: [1])")
            try await store.store.setAnnex("a", key: [1], to: [1])
            try await store.store.transaction { tx in try tx.setAnnex("a", key: [2], to: [2]) }
            try t.expect(try await store.store.historyToken(), equals: token)
            try t.expect(try await store.store.recordSchemas().map(\.name), equals: ["Pen"])
            try t.expect(try await store.store.digest(of: "Pen"), equals: digest)
            var problems: [String] = []
            try await store.store.verify { problems.append($0.description) }
            try t.expect(problems, equals: [])
            try await store.insert(Pen(id: 2))
            guard case .commit(let commit)? = try await changes.next(),
                case .keys(let inserted, let updated, let deleted) = commit.changes
            else {
                throw StorageError(.corrupt, "The feed does not begin with the commit of a record.")
            }
            try t.expect(inserted + updated + deleted, equals: [2])
            let copy = try await Store(InMemoryBackend())
            try await copy.copy(from: store.store, history: true)
            try t.expect(try await copy.annexRows("a", limit: 9).isEmpty, "A copy has the rows of an annex.")
            try t.expect(try await copy.differences(from: store.store), equals: [])
            // The rows of the target stay.
            try await copy.setAnnex("b", key: [9], to: [9])
            try await copy.copy(from: store.store, replacing: true)
            try t.expect(try await copy.annexValue("b", key: [9]), equals: [9])
            try await copy.close()
        },
        ConformanceCase(
            "annexes/limits", for: [.t13: [4]],
            "A name, a key or a value that is too long is refused with all rows of its call; the longest are kept."
        ) { t in
            let store = try await t.open(Pen.self)
            for name in ["", String(repeating: "x", count: 256), String(repeating: "é", count: 128)] {
                try await t.expectError(.invalidValue) { try await store.store.setAnnex(name, key: [1], to: [1]) }
                try await t.expectError(.invalidValue) { try await store.store.annexValue(name, key: [1]) }
                try await t.expectError(.invalidValue) { try await store.store.annexRows(name, limit: 1) }
                try await t.expectError(.invalidValue) { try await store.store.removeAnnex(name) }
            }
            let key = [UInt8](repeating: 0xFF, count: 1025)
            try await t.expectError(.limitExceeded) {
                try await store.store.setAnnex("a", rows: [([1], [1]), (key, [1])])
            }
            try await t.expectError(.limitExceeded) { try await store.store.setAnnex("a", key: key, to: nil) }
            try await t.expectError(.limitExceeded) { try await store.store.annexValue("a", key: key) }
            try await t.expectError(.limitExceeded) { try await store.store.annexRows("a", after: key, limit: 1) }
            for limit in [0, -1] {
                try await t.expectError(.invalidQuery) { try await store.store.annexRows("a", limit: limit) }
            }
            let names = [String(repeating: "x", count: 255), String(repeating: "é", count: 127)]
            let value = [UInt8](repeating: 7, count: 1 << 20)
            for name in names {
                try t.expect(try await store.annex(name, limit: 1), equals: [])
                try await store.store.setAnnex(
                    name, rows: [(Array(key.dropLast()), value), (Array(key.dropLast(2)), [1])])
            }
            for name in names {
                let rows = try await store.store.annexRows(name, limit: 9)
                try t.expect(rows.map(\.key.count), equals: [1023, 1024])
                try t.expect(rows.last?.value == value, "A long value has changed.")
            }
            try t.expect(try await store.annex("a", limit: 1), equals: [])
        },
    ]
}

extension RecordedStore {
    fileprivate func annex(
        _ name: String, after key: [UInt8]? = nil, before end: [UInt8]? = nil, limit: Int
    ) async throws -> [String] {
        let bounds = [key, end].map { $0.map { "\($0)" } ?? "nil" }
        trial.note(
            "try await \(self.name).annexRows(\(name), after: \(bounds[0]), before: \(bounds[1]), limit: \(limit))")
        return try await store.annexRows(name, after: key, before: end, limit: limit).map { "\($0.key) \($0.value)" }
    }
}
