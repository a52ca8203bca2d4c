import Foundation
import StorageAPI

/// A record whose key the store assigns, and which refers to another one.
struct Article: Storable {
    var id: Int?
    var name: String
    var price: Double
    var group: Ref<Category>

    typealias Key = Int

    init(number: Int, of groups: Int) {
        (name, price) = ("Article number \(number)", Double(number * 7919 % 1_000_003) / 100)
        group = Ref(key: number % groups)
    }

    static var schema: ModelSchema {
        ModelSchema(
            "Article",
            [
                Property("id", (Int?).self, .key), Property("name", String.self, .indexed),
                Property("price", Double.self), Property("group", Ref<Category>.self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int?.self)
        name = try row.read(String.self)
        price = try row.read(Double.self)
        group = try row.read(Ref<Category>.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(price)
        row.write(group)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    mutating func assign(_ key: Int) { id = key }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var price: QueryExpression<Double> { QueryExpression(_propertyPath, 2) }
        var group: QueryExpression<Ref<Category>> { QueryExpression(_propertyPath, 3) }
    }
}

struct Category: Storable {
    var id: Int
    var name: String

    typealias Key = Int

    init(number: Int) { (id, name) = (number, "g\(number)") }

    static var schema: ModelSchema {
        ModelSchema("Category", [Property("id", Int.self, .key), Property("name", String.self)])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
    }
}

/// A record with a value of 2 MB.
struct Document: Storable {
    var id: Int
    var price: Double
    var content: Data

    typealias Key = Int

    init(number: Int) {
        (id, price) = (number, Double(number) / 10)
        content = Data(repeating: UInt8(truncatingIfNeeded: number), count: 2_000_000)
    }

    static var schema: ModelSchema {
        ModelSchema(
            "Document",
            [
                Property("id", Int.self, .key), Property("price", Double.self), Property("content", Data.self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        price = try row.read(Double.self)
        content = try row.read(Data.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(price)
        row.write(content)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var price: QueryExpression<Double> { QueryExpression(_propertyPath, 1) }
    }
}
