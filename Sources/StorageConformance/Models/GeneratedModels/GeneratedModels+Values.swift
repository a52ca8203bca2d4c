internal import StorageAPI

// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct Measure {
    var id: Int
    var number: Int? = nil
    var real: Double? = nil
    var text: String? = nil
    var flag: Bool? = nil
}

extension Measure: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Measure {
            var id: Int
            var number: Int? = nil
            var real: Double? = nil
            var text: String? = nil
            var flag: Bool? = nil
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Measure",
            [
                Property("id", Int.self, .key),
                Property("number", Int?.self),
                Property("real", Double?.self),
                Property("text", String?.self),
                Property("flag", Bool?.self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        number = try row.read(Int?.self)
        real = try row.read(Double?.self)
        text = try row.read(String?.self)
        flag = try row.read(Bool?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(number)
        row.write(real)
        row.write(text)
        row.write(flag)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.number, \.real, \.text, \.flag]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var number: QueryExpression<Int?> { QueryExpression(_propertyPath, 1) }
        var real: QueryExpression<Double?> { QueryExpression(_propertyPath, 2) }
        var text: QueryExpression<String?> { QueryExpression(_propertyPath, 3) }
        var flag: QueryExpression<Bool?> { QueryExpression(_propertyPath, 4) }
    }
}

struct Choice {
    var id: Int
    var kind: Kind
    var level: Level? = nil
    var kinds: [Kind] = []
    var levels: [Level] = []
}

extension Choice: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Choice {
            var id: Int
            var kind: Kind
            var level: Level? = nil
            var kinds: [Kind] = []
            var levels: [Level] = []
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Choice",
            [
                Property("id", Int.self, .key),
                Property("kind", Kind.self),
                Property("level", Level?.self),
                Property("kinds", [Kind].self, default: { [] }),
                Property("levels", [Level].self, default: { [] }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        kind = try row.read(Kind.self)
        level = try row.read(Level?.self)
        kinds = try row.read([Kind].self)
        levels = try row.read([Level].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(kind)
        row.write(level)
        row.write(kinds)
        row.write(levels)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.kind, \.level, \.kinds, \.levels]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var kind: QueryExpression<Kind> { QueryExpression(_propertyPath, 1) }
        var level: QueryExpression<Level?> { QueryExpression(_propertyPath, 2) }
        var kinds: QueryExpression<[Kind]> { QueryExpression(_propertyPath, 3) }
        var levels: QueryExpression<[Level]> { QueryExpression(_propertyPath, 4) }
    }
}

struct Document {
    var id: Int
    var body: Payload
    var draft: Payload? = nil
    var grid: [[Int]] = []
}

extension Document: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Document {
            var id: Int
            var body: Payload
            var draft: Payload? = nil
            var grid: [[Int]] = []
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Document",
            [
                Property("id", Int.self, .key),
                Property("body", Payload.self),
                Property("draft", Payload?.self),
                Property("grid", [[Int]].self, default: { [] }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        body = try row.read(Payload.self)
        draft = try row.read(Payload?.self)
        grid = try row.read([[Int]].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(body)
        row.write(draft)
        row.write(grid)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.body, \.draft, \.grid]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var body: QueryExpression<Payload> { QueryExpression(_propertyPath, 1) }
        var draft: QueryExpression<Payload?> { QueryExpression(_propertyPath, 2) }
        var grid: QueryExpression<[[Int]]> { QueryExpression(_propertyPath, 3) }
    }
}

struct Owner<V: ScalarValue> {
    var id: Int
    var one: Holder<V>? = nil
    var many: [Holder<V>] = []
}

extension Owner: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable("Owner") struct \(SwiftSource.name(of: Self.self)) {
            var id: Int
            var one: \(SwiftSource.name(of: Holder<V>.self))? = nil
            var many: [\(SwiftSource.name(of: Holder<V>.self))] = []
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Owner",
            [
                Property("id", Int.self, .key),
                Property("one", Holder<V>?.self),
                Property("many", [Holder<V>].self, default: { [] }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        one = try row.read(Holder<V>?.self)
        many = try row.read([Holder<V>].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(one)
        row.write(many)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.one, \.many]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var one: QueryExpression<Holder<V>?> { QueryExpression(_propertyPath, 1) }
        var many: QueryExpression<[Holder<V>]> { QueryExpression(_propertyPath, 2) }
    }
}

struct Holder<V: ScalarValue> {
    var id: Int
    var value: V
    var optional: V? = nil
    var list: [V] = []
    var optionals: [V?] = []
    var optionalList: [V]? = nil
}

extension Holder: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable("Holder") struct \(SwiftSource.name(of: Self.self)) {
            var id: Int
            var value: \(SwiftSource.name(of: V.self))
            var optional: \(SwiftSource.name(of: V.self))? = nil
            var list: [\(SwiftSource.name(of: V.self))] = []
            var optionals: [\(SwiftSource.name(of: V.self))?] = []
            var optionalList: [\(SwiftSource.name(of: V.self))]? = nil
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Holder",
            [
                Property("id", Int.self, .key),
                Property("value", V.self),
                Property("optional", V?.self),
                Property("list", [V].self, default: { [] }),
                Property("optionals", [V?].self, default: { [] }),
                Property("optionalList", [V]?.self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        value = try row.read(V.self)
        optional = try row.read(V?.self)
        list = try row.read([V].self)
        optionals = try row.read([V?].self)
        optionalList = try row.read([V]?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(value)
        row.write(optional)
        row.write(list)
        row.write(optionals)
        row.write(optionalList)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.value, \.optional, \.list, \.optionals, \.optionalList]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var value: QueryExpression<V> { QueryExpression(_propertyPath, 1) }
        var optional: QueryExpression<V?> { QueryExpression(_propertyPath, 2) }
        var list: QueryExpression<[V]> { QueryExpression(_propertyPath, 3) }
        var optionals: QueryExpression<[V?]> { QueryExpression(_propertyPath, 4) }
        var optionalList: QueryExpression<[V]?> { QueryExpression(_propertyPath, 5) }
    }
}
