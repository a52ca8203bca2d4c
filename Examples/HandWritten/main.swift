// Conformances to Storable without the macro, as the article ModelsByHand shows them: scripts/check-documents
// compares the two. Run it with:
// swift run HandWrittenExample

// ARTICLE-BEGIN
import MemoryBackend
import StorageAPI

enum Color: String, Sendable {
    case red, blue
}

struct Pen: Equatable {
    var id: Int
    var color: Color
    var price: Double?
}

extension Pen: Storable {
    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Pen",
            [
                Property("id", Int.self, .key),
                Property("color", Color.self),
                Property("price", Double?.self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        color = try row.read(Color.self)
        price = try row.read(Double?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(color)
        row.write(price)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var color: QueryExpression<Color> {
            QueryExpression(_propertyPath, 1)
        }
        var price: QueryExpression<Double?> {
            QueryExpression(_propertyPath, 2)
        }
    }
}

struct Person: Equatable {
    var id: Int?  // assigned by the store where it is nil
    var name: String
    var pens: [Pen] = []
}

extension Person: Storable {
    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Person",
            [
                Property("id", Int?.self, .key),
                Property("name", String.self, .indexed),
                Property("pens", [Pen].self, default: { [] }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int?.self)
        name = try row.read(String.self)
        pens = try row.read([Pen].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(pens)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    mutating func assign(_ key: Int) {
        id = key
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int?> { QueryExpression(_propertyPath, 0) }
        var name: QueryExpression<String> {
            QueryExpression(_propertyPath, 1)
        }
        var pens: QueryExpression<[Pen]> {
            QueryExpression(_propertyPath, 2)
        }
    }
}

let store = try await Store(InMemoryBackend(), models: Person.self)
let pens = [Pen(id: 1, color: .red, price: 9.5), Pen(id: 2, color: .blue)]
let person = try await store.insert(Person(name: "Zhang", pens: pens))
let found = try await store.select(Person.self)
    .where { $0.pens.any { $0.color == .blue } }
    .all()
// ARTICLE-END

precondition(person.id == 1 && found == [person])
try await store.close()
print("Stored and found: \(found)")
