internal import MemoryBackend
internal import StorageAPI
import StorageDriver
internal import Synchronization

/// References whose rule no store takes: what an array names, and what an owned record names, cannot cascade.
private struct CascadingList: Storable {
    var id: Int
    var pens: [Ref<Pen>] = []

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "CascadingList",
            [Property("id", Int.self, .key), Property("pens", [Ref<Pen>].self, onDelete: .cascade, default: { [] })])
    }

    init(id: Int) { self.id = id }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        pens = try row.read([Ref<Pen>].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(pens)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

/// Owns records whose reference cascades, as that of Volume does: as a model of its own Volume is taken, owned it is not.
private struct Shelf: Storable {
    var id: Int
    var volumes: [Volume] = []

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema("Shelf", [Property("id", Int.self, .key), Property("volumes", [Volume].self, default: { [] })])
    }

    init(id: Int) { self.id = id }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        volumes = try row.read([Volume].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(volumes)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

extension Conformance {
    /// R3, R5 and R9: what is declared, recorded, reported and copied of references.
    static let referenceRuleCases: [ConformanceCase] = [
        ConformanceCase(
            "references/misplaced-cascade", for: [.r3: [5]],
            "A reference of an owned record, or in an array, that cascades is refused when its model is opened."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            let list = try await t.expectError(.configuration) { try await store.insert(CascadingList(id: 1)) }
            try t.expect(list.property, equals: "pens")
            let shelf = try await t.expectError(.configuration) { try await store.insert(Shelf(id: 1)) }
            try t.expect(shelf.property, equals: "volumes.author")
            let info = store.info
            try await store.close()
            try await t.expectError(.configuration) { try await t.open(CascadingList.self).info.name }
            guard t.place.outlivesClosing(info) else { return }
            try t.expect(try await t.open(Pen.self).select(Pen.self).keys(), equals: [1])
        },
        ConformanceCase(
            "references/indexed", for: [.r5: [1]], needs: [.durability],
            "Each reference is recorded with an index, of records, of what they own, and in arrays."
        ) { t in
            try await library(t).close()
            let engine = try await t.place.backend().open(logger: .silent)
            let reader = try engine.reader(.query)
            let tables = try reader.tables()
            reader.end()
            try engine.close()
            let columns = tables.flatMap { table in table.columns.map { (table, $0) } }
                .filter { $0.1.reference?.part == 0 }
            // The element of an array has its target's key, and the array's name leads to it.
            let properties = Set(
                columns.map { ($0.1.reference?.isElement == true ? $0.0.path.last : nil) ?? $0.1.property })
            for name in ["author", "editor", "labels", "guest", "sources", "mentor", "volume", "witness"] {
                try t.expect(properties.contains(name), "\(name) is not recorded as a reference: \(properties)")
            }
            let bare = columns.filter { !$0.1.isIndexed }.map(\.0.name)
            try t.expect(bare, equals: [], "A reference has no index.")
        },
        ConformanceCase(
            "references/reported", for: [.r9: [1]], needs: [.durability],
            "Where other software has removed a record, verify reports each reference that names it."
        ) { t in
            let store = try await library(t)
            try await store.insert(Loan(id: 1, volume: 2, witness: 4))
            try await store.close()
            try await removeWriter(1, t)
            let again = try await t.open(Volume.self, Loan.self)
            var problems: [String] = []
            try await again.store.verify { problems.append($0.description) }
            try t.expect(problems.count, equals: 3, "\(problems)")
            for place in ["property author: Writer 1, to which", "property mentor: Writer 1, to which"] {
                try t.expect(problems.contains { $0.contains(place) }, "\(place) is not reported: \(problems)")
            }
            let error = try await t.expectError(.notFound) {
                try await again.store.select(Volume.self).with(\.author).all()
            }
            try t.expect(error.key, equals: [.int(1)])
            try t.expect(error.property, equals: "author")
        },
        ConformanceCase(
            "references/copied", for: [.r9: [2]],
            "A copy has the references and obeys their rules; a difference names them."
        ) { t in
            let store = try await library(t)
            let copy = try await Store(InMemoryBackend(), models: Label.self, Writer.self)
            t.note("try await copy.copy(from: store)")
            try await copy.copy(from: store.store)
            // The rules, as a program that never declared Volume obeys them; the second writer edits, which denies.
            try await t.expectError(.constraint) { try await copy.delete(Writer.self, key: 2) }
            try await copy.delete(Label.self, key: "war")
            var differences: [StoreDifference] = []
            try await store.store.differences(from: copy) { differences.append($0) }
            try t.expect(
                differences.map { "\($0.kind.rawValue) \($0.model) \($0.properties.joined(separator: " "))" },
                equals: ["onlyInFirst Label ", "changed Volume labels"])
            try t.expect(
                try await copy.select(Volume.self).all().map(\.labels), equals: [["new", "art"], ["new"], []])
            try await copy.close()
        },
    ]

    /// Removes the row of a writer as other software would: its engine knows no rules.
    private static func removeWriter(_ key: Int, _ t: Trial) async throws {
        let engine = try await t.place.backend().open(logger: .silent)
        try engine.write { (writer) throws(StorageError) in
            guard let table = try writer.tables().first(where: { $0.path == ["Writer"] }) else { return }
            let plan = WritePlan(id: 0, operation: .delete, table: table, columns: table.key, keyColumns: [])
            let cells = ValueCells(ValueList(width: 1, values: [.int(Int64(key))]))
            _ = try writer.write(RowBatch(plan: plan, count: 1, cells: cells.cells))
        }
        try engine.close()
    }
}
