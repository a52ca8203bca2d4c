internal import StorageAPI

// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct Pen {
    var id: Int
    var color: String = ""
    var price: Double? = nil
}

extension Pen: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Pen {
            var id: Int
            var color: String = ""
            var price: Double? = nil
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Pen",
            [
                Property("id", Int.self, .key),
                Property("color", String.self, default: { "" }),
                Property("price", Double?.self),
            ])
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

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.color, \.price]
        return properties.firstIndex(of: property)
    }

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

extension District: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct District {
            var id: Int
            var name: String = ""
            var streets: [String] = []
            var lamps: [Pen]? = nil
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "District",
            [
                Property("id", Int.self, .key),
                Property("name", String.self, default: { "" }),
                Property("streets", [String].self, default: { [] }),
                Property("lamps", [Pen]?.self),
            ])
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

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.name, \.streets, \.lamps]
        return properties.firstIndex(of: property)
    }

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

extension City: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct City {
            var id: Int
            var name: String = ""
            var spell: String? = nil
            var districts: [District] = []
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "City",
            [
                Property("id", Int.self, .key),
                Property("name", String.self, default: { "" }),
                Property("spell", String?.self),
                Property("districts", [District].self, default: { [] }),
            ])
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

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.name, \.spell, \.districts]
        return properties.firstIndex(of: property)
    }

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

extension Person: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Person {
            var id: Int
            @Indexed var name: String = ""
            var age: Int = 0
            var height: Double = 0
            var nickname: String? = nil
            var isMember: Bool = false
            var tags: [String] = []
            var city: City? = nil
            var pens: [Pen] = []
            var spares: [Pen]? = nil
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Person",
            [
                Property("id", Int.self, .key),
                Property("name", String.self, .indexed, default: { "" }),
                Property("age", Int.self, default: { 0 }),
                Property("height", Double.self, default: { 0 }),
                Property("nickname", String?.self),
                Property("isMember", Bool.self, default: { false }),
                Property("tags", [String].self, default: { [] }),
                Property("city", City?.self),
                Property("pens", [Pen].self, default: { [] }),
                Property("spares", [Pen]?.self),
            ])
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

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [
            \.id, \.name, \.age, \.height, \.nickname, \.isMember, \.tags, \.city, \.pens, \.spares,
        ]
        return properties.firstIndex(of: property)
    }

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
