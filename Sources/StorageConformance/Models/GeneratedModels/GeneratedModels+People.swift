// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import StorageAPI

struct Pen {
    var id: Int
    var color: String = ""
    var price: Double? = nil
}

extension Pen: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.color, Property("color", String.self, default: { "" })),
            .init(\.price, Property("price", Double?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        color = try row.read(String.self)
        price = try row.read(Double?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(color)
        row.write(price)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var color: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var price: QueryExpression<Double?> { QueryExpression(_propertyPath, 2) }
    }
}

struct District {
    var id: Int
    var name: String = ""
    var streets: [String] = []
    var lamps: [Pen]? = nil
}

extension District: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.name, Property("name", String.self, default: { "" })),
            .init(\.streets, Property("streets", [String].self, default: { [] })),
            .init(\.lamps, Property("lamps", [Pen]?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
        streets = try row.read([String].self)
        lamps = try row.read([Pen]?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(streets)
        row.write(lamps)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var streets: QueryExpression<[String]> { QueryExpression(_propertyPath, 2) }
        var lamps: QueryExpression<[Pen]?> { QueryExpression(_propertyPath, 3) }
    }
}

struct City {
    var id: Int
    var name: String = ""
    var spell: String? = nil
    var districts: [District] = []
}

extension City: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.name, Property("name", String.self, default: { "" })),
            .init(\.spell, Property("spell", String?.self)),
            .init(\.districts, Property("districts", [District].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
        spell = try row.read(String?.self)
        districts = try row.read([District].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(spell)
        row.write(districts)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var spell: QueryExpression<String?> { QueryExpression(_propertyPath, 2) }
        var districts: QueryExpression<[District]> { QueryExpression(_propertyPath, 3) }
    }
}

struct Person {
    var id: Int
    var name: String = ""
    var age: Int = 0
    var height: Double = 0
    var nickname: String? = nil
    var isMember: Bool = false
    var tags: [String] = []
    var city: City? = nil
    var pens: [Pen] = []
    var spares: [Pen]? = nil
}

extension Person: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.name, Property("name", String.self, .indexed, default: { "" })),
            .init(\.age, Property("age", Int.self, default: { 0 })),
            .init(\.height, Property("height", Double.self, default: { 0 })),
            .init(\.nickname, Property("nickname", String?.self)),
            .init(\.isMember, Property("isMember", Bool.self, default: { false })),
            .init(\.tags, Property("tags", [String].self, default: { [] })),
            .init(\.city, Property("city", City?.self)),
            .init(\.pens, Property("pens", [Pen].self, default: { [] })),
            .init(\.spares, Property("spares", [Pen]?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
        age = try row.read(Int.self)
        height = try row.read(Double.self)
        nickname = try row.read(String?.self)
        isMember = try row.read(Bool.self)
        tags = try row.read([String].self)
        city = try row.read(City?.self)
        pens = try row.read([Pen].self)
        spares = try row.read([Pen]?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(age)
        row.write(height)
        row.write(nickname)
        row.write(isMember)
        row.write(tags)
        row.write(city)
        row.write(pens)
        row.write(spares)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var age: QueryExpression<Int> { QueryExpression(_propertyPath, 2) }
        var height: QueryExpression<Double> { QueryExpression(_propertyPath, 3) }
        var nickname: QueryExpression<String?> { QueryExpression(_propertyPath, 4) }
        var isMember: QueryExpression<Bool> { QueryExpression(_propertyPath, 5) }
        var tags: QueryExpression<[String]> { QueryExpression(_propertyPath, 6) }
        var city: QueryExpression<City?> { QueryExpression(_propertyPath, 7) }
        var pens: QueryExpression<[Pen]> { QueryExpression(_propertyPath, 8) }
        var spares: QueryExpression<[Pen]?> { QueryExpression(_propertyPath, 9) }
    }
}
