import Foundation
import StorageKit
import Testing

@Suite("E1 E2 Errors")
struct ErrorTests {
    @Storable struct Leaf: Equatable {
        var id: Int
        var link: URL?
    }
    @Storable("Stored name") struct Tree: Equatable {
        @Key var first: String
        @Key var second: Int
        var link: URL?
        var leaves: [Leaf] = []
    }

    @Test(arguments: Backend.allCases)
    func `E1 operation, model, key, element and backend are named, and the description is readable`(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { store in
            let trees = [Tree(first: "a", second: 1), Tree(first: "b'\"", second: 2)]
            try await store.insert(trees[1])
            let failed = await expectError(.duplicateKey) { try await store.insert(trees) }
            let insert = try #require(failed)
            #expect(insert.operation == "insert" && insert.model == "Stored name" && insert.backend == backend.name)
            #expect(insert.key == [.text("b'\""), .int(2)] && insert.element == 1 && insert.property == nil)
            #expect(!insert.message.isEmpty && insert.message.hasSuffix("."))
            for part in ["duplicateKey", "insert", "Stored name", "element 1", "2", backend.name, insert.message] {
                #expect(insert.description.contains(part), "\(insert)")
            }
            let update = await expectError(.notFound) { try await store.update(trees[0]) }
            #expect(update?.operation == "update" && update?.key == [.text("a"), .int(1)] && update?.element == nil)
            let inside = await expectError(.duplicateKey) {
                try await store.transaction { tx in try tx.insert(trees[1]) }
            }
            #expect(inside?.operation == "insert" && inside?.model == "Stored name" && inside?.backend == backend.name)
            let query = await expectError(.invalidQuery) { try await store.select(Tree.self).limit(-1).all() }
            #expect(query?.operation == "select" && query?.model == "Stored name" && query?.backend == backend.name)
            let stream = await expectError(.invalidQuery) {
                try await store.select(Tree.self).limit(-1).stream().collect()
            }
            #expect(stream?.operation == "stream" && stream?.model == "Stored name" && stream?.backend == backend.name)
            try await store.close()
            let find = await expectError(.closed) { try await store.find(Tree.self, key: ("a", 1)) }
            #expect(find?.operation == "find" && find?.model == "Stored name" && find?.backend == backend.name)
        }
    }

    @Test(arguments: Backend.allCases)
    func `E1 a value that cannot be kept is invalidValue with its property, and nothing is written`(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { store in
            let relative = try #require(URL(string: "b", relativeTo: URL(string: "http://a/")))
            let bad = [Tree(first: "a", second: 1), Tree(first: "a", second: 2, link: relative)]
            let error = await expectError(.invalidValue) { try await store.save(bad) }
            #expect(error?.property == "link" && error?.element == 1 && error?.model == "Stored name")
            let deep = Tree(first: "a", second: 3, leaves: [Leaf(id: 1), Leaf(id: 2, link: relative)])
            let child = await expectError(.invalidValue) { try await store.insert(deep) }
            #expect(child?.property?.contains("leaves") == true && child?.property?.contains("link") == true)
            #expect(try await store.select(Tree.self).count() == 0)
        }
    }

    @Test(arguments: Backend.allCases)
    func `E4 a key at the limit passes, one byte more is limitExceeded`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let longest = String(repeating: "k", count: store.info.limits.keyBytes)
            try await store.insert(Tree(first: longest, second: 1, leaves: [Leaf(id: 1)]))
            #expect(try await store.find(Tree.self, key: (longest, 1))?.leaves == [Leaf(id: 1)])
            let error = await expectError(.limitExceeded) {
                try await store.insert(Tree(first: longest + "k", second: 1))
            }
            #expect(error?.model == "Stored name")
            #expect(try await store.select(Tree.self).count() == 1)
        }
    }

    /// A conformance that does not agree with its schema.
    struct Wrong: Storable {
        enum Fault: Sendable { case none, readsMore, readsLess, writesMore, writesLess, noKey, readsChild, writesChild }
        @TaskLocal static var fault = Fault.none
        var id: Int
        var text = ""

        typealias Key = Int
        init(id: Int) { self.id = id }

        static var schema: ModelSchema {
            ModelSchema("Wrong", [Property("id", Int.self, .key), Property("text", String.self)])
        }
        init(reading row: inout RowReader) throws(StorageError) {
            id = try row.read(Int.self)
            if Self.fault != .readsLess { text = try row.read(String.self) }
            if Self.fault == .readsMore { text = try row.read(String.self) }
            if Self.fault == .readsChild { _ = try row.read([Leaf].self) }
        }
        func write(into row: inout RowWriter) {
            if id != 2 || text != "less" { row.write(id) }
            row.write(text)
            if text == "more" { row.write(text) }
            if text == "child" { row.write([Leaf(id: 1)]) }
        }
        func writeKey(into row: inout RowWriter) { if text != "no key" { row.write(id) } }

        struct Columns: ColumnSet {
            let _propertyPath: PropertyPath
            init(_ path: PropertyPath) { _propertyPath = path }
            var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
            var missing: QueryExpression<Int> { QueryExpression(_propertyPath, 7) }
        }
    }

    @Test(arguments: Backend.allCases)
    func `E2 a hand-written conformance that disagrees with its schema is configuration, no trap`(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { store in
            try await store.insert(Wrong(id: 1))
            for fault in [Wrong.Fault.readsMore, .readsLess, .readsChild] {
                await Wrong.$fault.withValue(fault) {
                    let error = await expectError(.configuration, "\(fault)") {
                        try await store.select(Wrong.self).all()
                    }
                    #expect(error?.model == "Wrong")
                    await expectError(.configuration, "\(fault)") { try await store.find(Wrong.self, key: 1) as Any }
                    await expectError(.configuration) { try await store.select(Wrong.self).stream().collect() }
                }
            }
            for text in ["more", "less", "child"] {
                var wrong = Wrong(id: 2)
                wrong.text = text
                let error = await expectError(.configuration, "\(text)") {
                    try await store.insert([Wrong(id: 3), wrong])
                }
                #expect(error?.model == "Wrong")
                await expectError(.configuration, "\(text)") { try await store.save(wrong) }
            }
            var noKey = Wrong(id: 1)
            noKey.text = "no key"
            await expectError(.configuration) { try await store.delete(noKey) }
            await expectError(.invalidQuery) { try await store.select(Wrong.self).where { $0.missing == 1 }.all() }
            await expectError(.invalidQuery) { try await store.select(Wrong.self).order { $0.missing }.all() }
            #expect(try await store.select(Wrong.self).keys() == [1])
        }
    }

    /// A schema that no store takes; `Index` says which.
    struct Refused<Index: RefusedSchema>: Storable {
        var id: Int
        typealias Key = Int
        static var schema: ModelSchema { Index.schema }
        init(reading row: inout RowReader) throws(StorageError) { id = try row.read(Int.self) }
        init(id: Int) { self.id = id }
        func write(into row: inout RowWriter) { row.write(id) }
        func writeKey(into row: inout RowWriter) { row.write(id) }
        struct Columns: ColumnSet {
            let _propertyPath: PropertyPath
            init(_ path: PropertyPath) { _propertyPath = path }
        }
    }

    enum NoKey: RefusedSchema { static var schema: ModelSchema { ModelSchema("A", [Property("x", Int.self)]) } }
    enum NoProperties: RefusedSchema { static var schema: ModelSchema { ModelSchema("A", []) } }
    enum NoName: RefusedSchema { static var schema: ModelSchema { ModelSchema("", [Property("id", Int.self)]) } }
    enum NULName: RefusedSchema { static var schema: ModelSchema { ModelSchema("a\0", [Property("id", Int.self)]) } }
    enum DoubleKey: RefusedSchema { static var schema: ModelSchema { ModelSchema("A", [Property("id", Double.self)]) } }
    enum SameNames: RefusedSchema {
        static var schema: ModelSchema {
            ModelSchema("A", [Property("id", Int.self), Property("x", Int.self, stored: "id")])
        }
    }
    enum ChildKey: RefusedSchema { static var schema: ModelSchema { ModelSchema("A", [Property("id", [Leaf].self)]) } }

    private func expectRefused<I: RefusedSchema>(_: I.Type, on backend: Backend) async throws {
        try await withStore(backend) { store in
            await expectError(.configuration, "\(I.self)") { try await store.insert(Refused<I>(id: 1)) }
            await expectError(.configuration, "\(I.self)") { try await store.select(Refused<I>.self).all() }
        }
    }

    @Test(arguments: Backend.allCases)
    func `E2 a schema that cannot be stored is configuration`(_ backend: Backend) async throws {
        try await expectRefused(NoKey.self, on: backend)
        try await expectRefused(NoProperties.self, on: backend)
        try await expectRefused(NoName.self, on: backend)
        try await expectRefused(NULName.self, on: backend)
        try await expectRefused(DoubleKey.self, on: backend)
        try await expectRefused(SameNames.self, on: backend)
        try await expectRefused(ChildKey.self, on: backend)
    }
}

protocol RefusedSchema: Sendable {
    static var schema: ModelSchema { get }
}
