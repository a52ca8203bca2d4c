// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import Foundation
internal import StorageAPI

struct Depot {
    var id: String
    var name: String = ""
    var code: String? = nil
}

extension Depot: ListedModel {
    typealias Key = String

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", String.self, .key)),
            .init(\.name, Property("name", String.self, default: { "" })),
            .init(\.code, Property("code", String?.self, .unique)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(String.self)
        name = try row.read(String.self)
        code = try row.read(String?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(code)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var code: QueryExpression<String?> { QueryExpression(_propertyPath, 2) }
    }
}

struct StockLabel {
    var text: String = ""
    var count: Int = 0
}

extension StockLabel: ListedModel {
    typealias Key = Never

    static var fields: [ListedField<Self>] {
        [
            .init(\.text, Property("text", String.self, default: { "" })),
            .init(\.count, Property("count", Int.self, default: { 0 })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        text = try row.read(String.self)
        count = try row.read(Int.self)
    }

    func write(into row: inout RowWriter) {
        row.write(text)
        row.write(count)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var text: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var count: QueryExpression<Int> { QueryExpression(_propertyPath, 1) }
    }
}

struct StockLine {
    var id: String
    var text: String = ""
    var count: Int = 0
}

extension StockLine: ListedModel {
    typealias Key = String

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", String.self, .key)),
            .init(\.text, Property("text", String.self, default: { "" })),
            .init(\.count, Property("count", Int.self, default: { 0 })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(String.self)
        text = try row.read(String.self)
        count = try row.read(Int.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(text)
        row.write(count)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var text: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var count: QueryExpression<Int> { QueryExpression(_propertyPath, 2) }
    }
}

struct Stock {
    var id: String
    var a: Int = 0
    var b: Int = 0
    var code: String? = nil
    var tags: [String] = []
    var label: StockLabel? = nil
    var lines: [StockLine] = []
    var depot: Ref<Depot>? = nil
    var also: [Ref<Depot>] = []
    var former: Ref<Depot>? = nil
    var changed: Date? = nil
}

extension Stock: ListedModel {
    typealias Key = String

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", String.self, .key)),
            .init(\.a, Property("a", Int.self, default: { 0 })),
            .init(\.b, Property("b", Int.self, default: { 0 })),
            .init(\.code, Property("code", String?.self, .unique)),
            .init(\.tags, Property("tags", [String].self, default: { [] })),
            .init(\.label, Property("label", StockLabel?.self)),
            .init(\.lines, Property("lines", [StockLine].self, default: { [] })),
            .init(\.depot, Property("depot", Ref<Depot>?.self, onDelete: .nullify)),
            .init(\.also, Property("also", [Ref<Depot>].self, onDelete: .nullify, default: { [] })),
            .init(\.former, Property("former", Ref<Depot>?.self, onDelete: .unchecked)),
            .init(\.changed, Property("changed", Date?.self, .modified)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(String.self)
        a = try row.read(Int.self)
        b = try row.read(Int.self)
        code = try row.read(String?.self)
        tags = try row.read([String].self)
        label = try row.read(StockLabel?.self)
        lines = try row.read([StockLine].self)
        depot = try row.read(Ref<Depot>?.self)
        also = try row.read([Ref<Depot>].self)
        former = try row.read(Ref<Depot>?.self)
        changed = try row.read(Date?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(a)
        row.write(b)
        row.write(code)
        row.write(tags)
        row.write(label)
        row.write(lines)
        row.write(depot)
        row.write(also)
        row.write(former)
        row.write(changed)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var a: QueryExpression<Int> { QueryExpression(_propertyPath, 1) }
        var b: QueryExpression<Int> { QueryExpression(_propertyPath, 2) }
        var code: QueryExpression<String?> { QueryExpression(_propertyPath, 3) }
        var tags: QueryExpression<[String]> { QueryExpression(_propertyPath, 4) }
        var label: QueryExpression<StockLabel?> { QueryExpression(_propertyPath, 5) }
        var lines: QueryExpression<[StockLine]> { QueryExpression(_propertyPath, 6) }
        var depot: QueryExpression<Ref<Depot>?> { QueryExpression(_propertyPath, 7) }
        var also: QueryExpression<[Ref<Depot>]> { QueryExpression(_propertyPath, 8) }
        var former: QueryExpression<Ref<Depot>?> { QueryExpression(_propertyPath, 9) }
        var changed: QueryExpression<Date?> { QueryExpression(_propertyPath, 10) }
    }
}

struct Slip {
    var first: String
    var second: String
    var text: String = ""
    var stock: Ref<Stock>
    var depot: Ref<Depot>? = nil
    var before: Ref<Slip>? = nil
}

extension Slip: ListedModel {
    typealias Key = (String, String)

    static var fields: [ListedField<Self>] {
        [
            .init(\.first, Property("first", String.self, .key)),
            .init(\.second, Property("second", String.self, .key)),
            .init(\.text, Property("text", String.self, default: { "" })),
            .init(\.stock, Property("stock", Ref<Stock>.self, onDelete: .cascade)),
            .init(\.depot, Property("depot", Ref<Depot>?.self)),
            .init(\.before, Property("before", Ref<Slip>?.self, onDelete: .nullify)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        first = try row.read(String.self)
        second = try row.read(String.self)
        text = try row.read(String.self)
        stock = try row.read(Ref<Stock>.self)
        depot = try row.read(Ref<Depot>?.self)
        before = try row.read(Ref<Slip>?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(first)
        row.write(second)
        row.write(text)
        row.write(stock)
        row.write(depot)
        row.write(before)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(first)
        row.write(second)
    }
    static func key(of record: Self) -> Key? { (record.first, record.second) }
    static func values(of key: Key) -> [Value] { [Value(key.0), Value(key.1)] }
    static func readKey(_ row: inout RowReader) throws(StorageError) -> Key {
        (try row.read(String.self), try row.read(String.self))
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var first: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var second: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var text: QueryExpression<String> { QueryExpression(_propertyPath, 2) }
        var stock: QueryExpression<Ref<Stock>> { QueryExpression(_propertyPath, 3) }
        var depot: QueryExpression<Ref<Depot>?> { QueryExpression(_propertyPath, 4) }
        var before: QueryExpression<Ref<Slip>?> { QueryExpression(_propertyPath, 5) }
    }
}

struct Permit {
    var id: String
    var text: String = ""
    var until: Date? = nil
}

extension Permit: ListedModel {
    typealias Key = String

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", String.self, .key)),
            .init(\.text, Property("text", String.self, default: { "" })),
            .init(\.until, Property("until", Date?.self, .expires)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(String.self)
        text = try row.read(String.self)
        until = try row.read(Date?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(text)
        row.write(until)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var text: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var until: QueryExpression<Date?> { QueryExpression(_propertyPath, 2) }
    }
}
