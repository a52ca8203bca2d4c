internal import StorageAPI

// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct Pass {
    var id: Int
    var until: Date? = nil
    var code: String? = nil
    var pens: [Pen] = []
    var gate: Ref<Gate>? = nil
}

extension Pass: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Pass {
            var id: Int
            @Expires var until: Date? = nil
            @Unique var code: String? = nil
            var pens: [Pen] = []
            @Reference(onDelete: .nullify) var gate: Ref<Gate>? = nil
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Pass",
            [
                Property("id", Int.self, .key),
                Property("until", Date?.self, .expires),
                Property("code", String?.self, .unique),
                Property("pens", [Pen].self, default: { [] }),
                Property("gate", Ref<Gate>?.self, onDelete: .nullify),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        until = try row.read(Date?.self)
        code = try row.read(String?.self)
        pens = try row.read([Pen].self)
        gate = try row.read(Ref<Gate>?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(until)
        row.write(code)
        row.write(pens)
        row.write(gate)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.until, \.code, \.pens, \.gate]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var until: QueryExpression<Date?> { QueryExpression(_propertyPath, 1) }
        var code: QueryExpression<String?> { QueryExpression(_propertyPath, 2) }
        var pens: QueryExpression<[Pen]> { QueryExpression(_propertyPath, 3) }
        var gate: QueryExpression<Ref<Gate>?> { QueryExpression(_propertyPath, 4) }
    }
}

struct Gate {
    var id: Int
    var last: Ref<Pass>? = nil
    var only: Ref<Pass>? = nil
    var seen: [Ref<Pass>] = []
}

extension Gate: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Gate {
            var id: Int
            @Reference(onDelete: .nullify) var last: Ref<Pass>? = nil
            @Reference(onDelete: .cascade) var only: Ref<Pass>? = nil
            @Reference(onDelete: .nullify) var seen: [Ref<Pass>] = []
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Gate",
            [
                Property("id", Int.self, .key),
                Property("last", Ref<Pass>?.self, onDelete: .nullify),
                Property("only", Ref<Pass>?.self, onDelete: .cascade),
                Property("seen", [Ref<Pass>].self, onDelete: .nullify, default: { [] }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        last = try row.read(Ref<Pass>?.self)
        only = try row.read(Ref<Pass>?.self)
        seen = try row.read([Ref<Pass>].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(last)
        row.write(only)
        row.write(seen)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.last, \.only, \.seen]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var last: QueryExpression<Ref<Pass>?> { QueryExpression(_propertyPath, 1) }
        var only: QueryExpression<Ref<Pass>?> { QueryExpression(_propertyPath, 2) }
        var seen: QueryExpression<[Ref<Pass>]> { QueryExpression(_propertyPath, 3) }
    }
}

struct Fence {
    var id: Int
    var gate: Ref<Gate>
    var beside: Ref<Gate>? = nil
}

extension Fence: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Fence {
            var id: Int
            @Reference(onDelete: .cascade) var gate: Ref<Gate>
            @Reference(onDelete: .nullify) var beside: Ref<Gate>? = nil
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Fence",
            [
                Property("id", Int.self, .key),
                Property("gate", Ref<Gate>.self, onDelete: .cascade),
                Property("beside", Ref<Gate>?.self, onDelete: .nullify),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        gate = try row.read(Ref<Gate>.self)
        beside = try row.read(Ref<Gate>?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(gate)
        row.write(beside)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.gate, \.beside]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var gate: QueryExpression<Ref<Gate>> { QueryExpression(_propertyPath, 1) }
        var beside: QueryExpression<Ref<Gate>?> { QueryExpression(_propertyPath, 2) }
    }
}
