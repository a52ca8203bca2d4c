// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import StorageAPI

struct Node {
    var id: Int
    var name: String = ""
    var children: [Node] = []
}

extension Node: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.name, Property("name", String.self, default: { "" })),
            .init(\.children, Property("children", [Node].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
        children = try row.read([Node].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(children)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var children: QueryExpression<[Node]> { QueryExpression(_propertyPath, 2) }
    }
}

struct Link {
    var id: Int
    var next: [Chain] = []
}

extension Link: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.next, Property("next", [Chain].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        next = try row.read([Chain].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(next)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var next: QueryExpression<[Chain]> { QueryExpression(_propertyPath, 1) }
    }
}

struct Chain {
    var id: Int
    var link: Link? = nil
}

extension Chain: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.link, Property("link", Link?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        link = try row.read(Link?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(link)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var link: QueryExpression<Link?> { QueryExpression(_propertyPath, 1) }
    }
}

struct House {
    var id: Int
    var door: Pen
    var front: Pen? = nil
    var back: Pen? = nil
    var left: [Pen] = []
    var right: [Pen] = []
}

extension House: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.door, Property("door", Pen.self)),
            .init(\.front, Property("front", Pen?.self)),
            .init(\.back, Property("back", Pen?.self)),
            .init(\.left, Property("left", [Pen].self, default: { [] })),
            .init(\.right, Property("right", [Pen].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        door = try row.read(Pen.self)
        front = try row.read(Pen?.self)
        back = try row.read(Pen?.self)
        left = try row.read([Pen].self)
        right = try row.read([Pen].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(door)
        row.write(front)
        row.write(back)
        row.write(left)
        row.write(right)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var door: QueryExpression<Pen> { QueryExpression(_propertyPath, 1) }
        var front: QueryExpression<Pen?> { QueryExpression(_propertyPath, 2) }
        var back: QueryExpression<Pen?> { QueryExpression(_propertyPath, 3) }
        var left: QueryExpression<[Pen]> { QueryExpression(_propertyPath, 4) }
        var right: QueryExpression<[Pen]> { QueryExpression(_propertyPath, 5) }
    }
}
