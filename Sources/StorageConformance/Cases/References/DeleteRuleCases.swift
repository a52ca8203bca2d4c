internal import StorageAPI

extension Conformance {
    /// R3, R4.
    static let deleteRuleCases: [ConformanceCase] = [
        ConformanceCase(
            "references/deny", for: [.r3: [1]],
            "What something refers to is not deleted; the error names what refers, and how many."
        ) { t in
            let store = try await library(t)
            try await store.insert((1...12).map { Loan(id: $0, volume: 1) })
            let error = try await t.expectError(.constraint) { try await store.delete(Volume.self, key: 1) }
            try t.expect(error.property, equals: "Loan.volume")
            try t.expect(error.message.contains("12 records"), "The error does not say how many: \(error)")
            try t.expect(error.message.contains("10; …"), "The error does not name the first ten: \(error)")
            try await t.expectError(.constraint) { try await store.delete(Writer.self, key: 3) }
            try await t.expectError(.constraint) { try await store.delete(Writer.self) { $0.where { $0.id == 3 } } }
            try t.expect(try await store.all(Volume.self), equals: volumes)
            try t.expect(try await store.all(Writer.self), equals: writers)
            try await store.delete(Loan.self, keys: Array(1...12))
            try t.expect(try await store.delete(Volume.self, key: 1), equals: 1)
        },
        ConformanceCase(
            "references/cascade", for: [.r3: [1, 2, 3]],
            "What cascades goes with the record in the same call, and what that is referred to by; the count is the call's."
        ) { t in
            let store = try await library(t)
            // Bob edits a volume of Ann, and has one of his own: both go, and deny is judged after that.
            let error = try await t.expectError(.constraint) { try await store.delete(Writer.self, key: 2) }
            try t.expect(error.property, equals: "Volume.editor")
            try t.expect(try await store.delete(Writer.self, keys: [1, 2]), equals: 2)
            try t.expect(try await store.all(Volume.self), equals: [])
            var left = [writers[2], writers[3]]
            left[0].mentor = nil
            try t.expect(try await store.all(Writer.self), equals: left)
            let chapters = try await store.select(Chapter.self).run("owned(by: Volume.self, \\.chapters).count()") {
                try await $0.owned(by: Volume.self, \.chapters).count()
            }
            try t.expect(chapters, equals: 0)
        },
        ConformanceCase(
            "references/nullify", for: [.r3: [1], .r7: [1]],
            "What nullifies becomes nil, and an array loses its elements and keeps the order of the others."
        ) { t in
            let store = try await library(t)
            try await store.delete(Label.self, key: "war")
            try t.expect(try await store.all(Volume.self).map(\.labels), equals: [["new", "art"], ["new"], []])
            try await store.delete(Writer.self, key: 4)
            try t.expect(
                try await store.find(Volume.self, key: 3)?.chapters,
                equals: [Chapter(title: "a", guest: nil, sources: [1, 2, 1]), Chapter(title: "b")])
            try await store.delete(Volume.self, key: 1)
            try t.expect(
                try await store.find(Volume.self, key: 3)?.chapters.map(\.sources), equals: [[2], []])
            var changed = try t.required(try await store.find(Volume.self, key: 2))
            changed.labels = ["art", "new"]
            try await store.save(changed)
            try t.expect(try await store.find(Volume.self, key: 2)?.labels, equals: ["art", "new"])
        },
        ConformanceCase(
            "references/not-stored", for: [.w6: [2], .r2: [3]],
            "A delete of what is not stored does nothing to what a transaction has written to refer to it."
        ) { t in
            let store = try await library(t)
            let written = Volume(id: 9, author: 9, editor: 9, labels: ["sea"])
            let loan = Loan(id: 9, volume: 8)
            try await store.transaction { _, tx in
                try tx.insert(written)
                try tx.insert(loan)
                try t.expect(try tx.delete(Writer.self, keys: [9]), equals: 0)
                try t.expect(try tx.delete(Label.self, keys: ["sea"]), equals: 0)
                try t.expect(try tx.delete(Volume.self, keys: [8]), equals: 0)
                try tx.insert(Writer(id: 9))
                try tx.insert(Label(name: "sea"))
                try tx.insert(Volume(id: 8, author: 9))
            }
            try t.expect(try await store.find(Volume.self, key: 9), equals: written)
            try t.expect(try await store.find(Loan.self, key: 9), equals: loan)
        },
        ConformanceCase(
            "references/cycles", for: [.r3: [2]], "Cycles end: records that refer to each other go or stay together."
        ) { t in
            let store = try await t.open(Ring.self)
            try await store.insert([
                Ring(id: 1, next: 2), Ring(id: 2, next: 3), Ring(id: 3, next: 1), Ring(id: 4, next: 4),
            ])
            try t.expect(try await store.delete(Ring.self, key: 2), equals: 1)
            try t.expect(try await store.all(Ring.self), equals: [Ring(id: 4, next: 4)])
            try await store.delete(Ring.self, key: 4)
            try t.expect(try await store.all(Ring.self), equals: [])
        },
        ConformanceCase(
            "references/denied-cycle", for: [.r3: [1, 3]],
            "Records that deny each other's deletion stay until one lets the other go, or go in one call."
        ) { t in
            let store = try await t.open(Ply.self, Article.self)
            // In one call they go together, and a record does not deny its own deletion.
            try await store.insert([Article(id: 1, about: 2), Article(id: 2, about: 1), Article(id: 3, about: 3)])
            try await t.expectError(.constraint) { try await store.delete(Article.self, key: 1) }
            try t.expect(try await store.delete(Article.self, key: 3), equals: 1)
            try t.expect(try await store.delete(Article.self, keys: [1, 2]), equals: 2)
            try await store.insert(Knot(id: 1))
            try await store.transaction { _, tx in
                try tx.insert(Mesh(code: "a", owner: 1, ply: Ref(key: (1, "x"))))
                try tx.insert(Ply(rank: 1, side: "x", strand: Strand(held: "a")))
            }
            try await t.expectError(.constraint) { try await store.delete(Mesh.self, keys: ["a"]) }
            try await t.expectError(.constraint) { try await store.delete(Ply.self, keys: [(1, "x")]) }
            // The mesh would go with its owner.
            try await t.expectError(.constraint) { try await store.delete(Knot.self, keys: [1]) }
            try await store.save(Ply(rank: 1, side: "x"))
            try t.expect(try await store.delete(Knot.self, keys: [1]), equals: 1)
            try t.expect(try await store.all(Mesh.self).count, equals: 0)
            try await store.insert(Knot(id: 2, pairs: [Ref(key: (1, "x"))]))
            try await t.expectError(.constraint) { try await store.delete(Ply.self, keys: [(1, "x")]) }
            try await store.delete(Knot.self, keys: [2])
            try t.expect(try await store.delete(Ply.self, keys: [(1, "x")]), equals: 1)
        },
        ConformanceCase(
            "references/long-cascade", for: [.r3: [2]], "A cascade goes through a chain of any length and width."
        ) { t in
            let store = try await t.open(Ring.self)
            let length = 2000
            try await store.insert((1...length).map { Ring(id: $0, next: Ref(key: max($0 - 1, 1))) })
            try t.expect(try await store.delete(Ring.self, key: 1), equals: 1)
            try t.expect(try await store.select(Ring.self).count(), equals: 0)
            // The same in 50 levels of 40, beside one that stays.
            try await store.insert((1...length).map { Ring(id: $0, next: Ref(key: $0 > 40 ? $0 - 40 : $0)) })
            try await store.insert(Ring(id: -1, next: -1))
            try t.expect(try await store.delete(Ring.self, keys: Array(1...40)), equals: 40)
            try t.expect(try await store.select(Ring.self).keys(), equals: [-1])
        },
        ConformanceCase(
            "references/replacing", for: [.r4: [1, 2]],
            "Replacing a record is no deletion; a truncation of what others refer to is refused."
        ) { t in
            let store = try await library(t)
            try await store.save(Writer(id: 1, name: "Anna"))
            try await store.update(Writer(id: 2, name: "Bobby"))
            try t.expect(try await store.all(Volume.self), equals: volumes)
            let error = try await t.expectError(.constraint) { try await store.truncate(Writer.self) }
            try t.expect(error.message.contains("Volume"), "The error does not say what refers: \(error)")
            try await store.truncate(Volume.self)
            try await store.truncate(Writer.self)
            try t.expect(try await store.all(Writer.self), equals: [])
        },
        ConformanceCase(
            "references/undeclared", for: [.r3: [4]], needs: [.durability],
            "A program that never declared the referring model obeys its rules."
        ) { t in
            let store = try await library(t)
            try await store.close()
            let other = try await t.open(Label.self, Writer.self)
            try await other.delete(Label.self, key: "new")
            try await t.expectError(.constraint) { try await other.delete(Writer.self, key: 3) }
            try await t.expectError(.constraint) { try await other.truncate(Writer.self) }
            try await other.delete(Writer.self, keys: [1, 2])
            try await other.close()
            let again = try await t.open(Volume.self)
            try t.expect(try await again.all(Volume.self), equals: [])
        },
    ]

    /// R5, R6 and Q.
    static let referenceQueryCases: [ConformanceCase] = [
        ConformanceCase(
            "references/through", for: [.r5: [2]],
            "Filters and orders go through references; a property through nil is nil."
        ) { t in
            let store = try await library(t)
            func ids(_ build: (Select<Volume, Store>) -> Select<Volume, Store>) async throws -> [Int] {
                try await store.all(Volume.self, build).map(\.id)
            }
            try t.expect(try await ids { $0.where { $0.author == 1 } }, equals: [1, 2])
            try t.expect(try await ids { $0.where { $0.author != 1 } }, equals: [3])
            try t.expect(try await ids { $0.where { $0.editor == nil } }, equals: [2])
            try t.expect(try await ids { $0.where { $0.editor != 2 } }, equals: [2, 3])
            try t.expect(try await ids { $0.where { $0.author.isIn([2, 3]) } }, equals: [3])
            try t.expect(try await ids { $0.where { $0.author.name == "Ann" } }, equals: [1, 2])
            try t.expect(try await ids { $0.where { $0.author.name.hasPrefix("B") } }, equals: [3])
            try t.expect(try await ids { $0.where { $0.author.id > 1 } }, equals: [3])
            try t.expect(try await ids { $0.where { $0.editor.born == nil } }, equals: [1, 2])
            try t.expect(try await ids { $0.where { $0.editor.born > 1900 } }, equals: [3])
            try t.expect(try await ids { $0.where { $0.editor.mentor.name == "Ann" } }, equals: [1])
            try t.expect(try await ids { $0.where { $0.author.mentor == nil } }, equals: [1, 2])
            try t.expect(
                try await ids { $0.order { $0.author.name.descending }.order { $0.title } }, equals: [3, 1, 2])
            try t.expect(try await ids { $0.order { $0.editor.born } }, equals: [1, 2, 3])
        },
        ConformanceCase(
            "references/arrays", for: [.r5: [3], .r7: [2]],
            "any, all, none, count and contains ask about arrays of references."
        ) { t in
            let store = try await library(t)
            func ids(_ build: (Select<Volume, Store>) -> Select<Volume, Store>) async throws -> [Int] {
                try await store.all(Volume.self, build).map(\.id)
            }
            try t.expect(try await ids { $0.where { $0.labels.contains("new") } }, equals: [1, 2])
            try t.expect(try await ids { $0.where { $0.labels.any { $0.rank > 2 } } }, equals: [2])
            try t.expect(try await ids { $0.where { $0.labels.all { $0.rank > 1 } } }, equals: [2, 3])
            try t.expect(try await ids { $0.where { $0.labels.none { $0.rank == 1 } } }, equals: [2, 3])
            try t.expect(try await ids { $0.where { $0.labels.count { $0.rank == 3 } == 2 } }, equals: [2])
            try t.expect(try await ids { $0.where { $0.labels.count == 3 } }, equals: [2])
            try t.expect(try await ids { $0.where { $0.labels.isEmpty } }, equals: [3])
            try t.expect(try await ids { $0.where { $0.labels.max { $0.rank } == 2 } }, equals: [1])
            try t.expect(try await ids { $0.where { $0.labels.sum { $0.rank } == 8 } }, equals: [2])
            try t.expect(
                try await ids { $0.where { $0.chapters.any { $0.guest.name == "Dee" } } }, equals: [3])
            try t.expect(
                try await ids { $0.where { $0.chapters.any { $0.sources.any { $0.author.name == "Ann" } } } },
                equals: [3])
            try t.expect(try await ids { $0.where { $0.chapters.any { $0.guest == 4 } } }, equals: [3])
        },
        ConformanceCase(
            "references/inverses", for: [.r5: [3], .r6: [1]],
            "An inverse gives each referring record once, in filters, counts, quantifiers and aggregates."
        ) { t in
            let store = try await library(t)
            func ids(_ build: (Select<Writer, Store>) -> Select<Writer, Store>) async throws -> [Int] {
                try await store.all(Writer.self, build).map(\.id)
            }
            try t.expect(try await ids { $0.where { $0.volumes.count == 2 } }, equals: [1])
            try t.expect(try await ids { $0.where { $0.volumes.isEmpty } }, equals: [3, 4])
            try t.expect(try await ids { $0.where { $0.volumes.any { $0.year > 2000 } } }, equals: [1, 2])
            try t.expect(try await ids { $0.where { $0.volumes.all { $0.year > 2000 } } }, equals: [2, 3, 4])
            try t.expect(try await ids { $0.where { $0.volumes.none { $0.year > 2000 } } }, equals: [3, 4])
            try t.expect(try await ids { $0.where { $0.volumes.max { $0.year } == 2001 } }, equals: [1])
            try t.expect(try await ids { $0.where { $0.volumes.min { $0.year } == nil } }, equals: [3, 4])
            try t.expect(try await ids { $0.where { $0.volumes.average { $0.year } == 2000 } }, equals: [1])
            try t.expect(try await ids { $0.where { $0.volumes.sum { $0.year } == 0 } }, equals: [3, 4])
            try t.expect(try await ids { $0.where { $0.students.any { $0.edited.count == 1 } } }, equals: [1, 2])
            try t.expect(try await ids { $0.where { $0.mentor.volumes.count > 1 } }, equals: [2])
            try t.expect(try await ids { $0.order { $0.volumes.count.descending } }, equals: [1, 2, 3, 4])
            func names(_ build: (Select<Label, Store>) -> Select<Label, Store>) async throws -> [String] {
                try await store.all(Label.self, build).map(\.name)
            }
            try t.expect(try await names { $0.where { $0.volumes.count == 1 } }, equals: ["art", "war"])
            try t.expect(try await names { $0.where { $0.volumes.any { $0.title == "Two" } } }, equals: ["new", "war"])
            try t.expect(try await names { $0.where { $0.volumes.sum { $0.year } == 4000 } }, equals: ["new"])
            let counts = try await store.store.select(Writer.self).only { ($0.name, $0.volumes.count) }.all()
            try t.expect(counts.map(\.1), equals: [2, 1, 0, 0])
        },
        ConformanceCase(
            "references/text", for: [.r5: [2]],
            "The text form goes through references, and so do records without types."
        ) { t in
            let store = try await library(t)
            func ids(_ text: String) async throws -> [Int] {
                try await store.all(Volume.self) { $0.where(text: text) }.map(\.id)
            }
            try t.expect(try await ids(#"author.name beginswith "A""#), equals: [1, 2])
            try t.expect(try await ids("author == 2"), equals: [3])
            try t.expect(try await ids("editor == nil"), equals: [2])
            try t.expect(try await ids(#"any labels.name == "new""#), equals: [1, 2])
            try t.expect(try await ids("count(labels where rank > 2) == 2"), equals: [2])
            try t.expect(try await ids(#"any chapters.guest.name == "Dee""#), equals: [3])
            let records = try await store.store.records("Volume").where(text: #"author.name == "Ann""#).all()
            try t.expect(records.count, equals: 2)
            let error = try await t.expectError(.invalidQuery) { try await ids("author.nam == 2") }
            try t.expect(error.message.contains("nam"), "The error does not name the word: \(error)")
        },
    ]
}
