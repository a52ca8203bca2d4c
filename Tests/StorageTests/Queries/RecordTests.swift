import Foundation
import StorageKit
import Testing

@Suite("S4 Records without the program's types")
struct RecordTests {
    @Storable struct Tree: Equatable {
        var id: Int
        var name: String
        var trees: [Tree] = []
    }

    @Test(arguments: Backend.allCases)
    func `the same queries as text give records with all that they own`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let text = "any parts.weight > 1 or main.name == 'a'"
            let wanted = try await check.store.select(Sample.self).where(text: text).order(text: "small desc").all()
            let found = try await check.store.records("Sample").where(text: text).order(text: "small desc").all()
            #expect(found.map { $0.value("id") } == wanted.map { Value($0.id) })
            #expect(try await check.store.records("Sample").where(text: text).count() == wanted.count)
            for (record, sample) in zip(found, wanted) {
                #expect(record.model == "Sample")
                #expect(record.value("name") == Value(sample.name))
                #expect(record["price"] == .value(Value(sample.price), .double))
                #expect(record["tags"] == .value(sample.tags.value, .array(of: .string)))
                #expect(record["parts"] == .children(sample.parts.map { Self.part($0, "parts") }))
                #expect(record["spares"] == .children(sample.spares?.map { Self.part($0, "spares") }))
                #expect(record["main"] == .child(sample.main.map { Self.part($0, "main") }))
            }
            let page = try await check.store.records("Sample").limit(2).offset(1).all()
            #expect(page.map { $0.value("id") } == [.int(1), .int(2)])
            #expect(try await check.store.records("Sample").where(text: "id == 3").explain().access == .key)
        }
    }

    private static func part(_ part: Sample.Part, _ property: String) -> DynamicRecord {
        func field(_ name: String, _ value: Value, _ type: ColumnType) -> DynamicRecord.Field {
            DynamicRecord.Field(name: name, content: .value(value, type))
        }
        return DynamicRecord(
            model: "Sample.\(property)",
            fields: [
                field("id", Value(part.id), .int64), field("name", Value(part.name), .string),
                field("weight", Value(part.weight), .double), field("count", Value(part.count), .int64),
            ])
    }

    @Test(arguments: Backend.allCases)
    func `types that own themselves come as deep as they are stored`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            let leaf = Tree(id: 9, name: "leaf")
            try await store.insert([
                Tree(id: 1, name: "a", trees: [Tree(id: 2, name: "b", trees: [leaf, leaf]), leaf]),
                Tree(id: 5, name: "e"),
            ])
            let records = try await store.records("Tree").all()
            #expect(records.map { Self.outline($0) } == ["a(b(leaf,leaf),leaf)", "e"])
            let some = store.records("Tree").where(text: "any trees (name == \"b\" and count(trees) == 2)")
            #expect(try await some.keys() == [[.int(1)]])
        }
    }

    private static func outline(_ record: DynamicRecord) -> String {
        guard case .text(let name)? = record.value("name") else { return "?" }
        guard case .children(let trees?)? = record["trees"], !trees.isEmpty else { return name }
        return name + "(" + trees.map(outline).joined(separator: ",") + ")"
    }

    @Test(arguments: Backend.allCases)
    func `Q9 an unknown model or name is invalidQuery that lists what there is`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            try await store.insert(Tree(id: 1, name: "a"))
            let model = await expectError(.invalidQuery) { try await store.records("Treee").all() }
            #expect(model?.message.contains("it has Tree") == true)
            let name = await expectError(.invalidQuery) {
                try await store.records("Tree").where(text: "nam == 'a'").all()
            }
            #expect(name?.message.contains("id, name") == true)
            #expect(try await store.schema().map(\.name) == ["Tree", "Tree_trees"])
        }
    }
}
