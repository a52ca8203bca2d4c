// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import Foundation
internal import StorageAPI

struct Pass {
    var id: Int
    var until: Date? = nil
    var code: String? = nil
    var pens: [Pen] = []
    var gate: Ref<Gate>? = nil
}

extension Pass: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.until, Property("until", Date?.self, .expires)),
            .init(\.code, Property("code", String?.self, .unique)),
            .init(\.pens, Property("pens", [Pen].self, default: { [] })),
            .init(\.gate, Property("gate", Ref<Gate>?.self, onDelete: .nullify)),
        ]
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

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

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

extension Gate: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.last, Property("last", Ref<Pass>?.self, onDelete: .nullify)),
            .init(\.only, Property("only", Ref<Pass>?.self, onDelete: .cascade)),
            .init(\.seen, Property("seen", [Ref<Pass>].self, onDelete: .nullify, default: { [] })),
        ]
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

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

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

extension Fence: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.gate, Property("gate", Ref<Gate>.self, onDelete: .cascade)),
            .init(\.beside, Property("beside", Ref<Gate>?.self, onDelete: .nullify)),
        ]
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

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var gate: QueryExpression<Ref<Gate>> { QueryExpression(_propertyPath, 1) }
        var beside: QueryExpression<Ref<Gate>?> { QueryExpression(_propertyPath, 2) }
    }
}

struct Visit {
    var id: Int
    var time: Date? = nil
    var pens: [Pen] = []
}

extension Visit: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.time, Property("time", Date?.self, .indexed)),
            .init(\.pens, Property("pens", [Pen].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        time = try row.read(Date?.self)
        pens = try row.read([Pen].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(time)
        row.write(pens)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var time: QueryExpression<Date?> { QueryExpression(_propertyPath, 1) }
        var pens: QueryExpression<[Pen]> { QueryExpression(_propertyPath, 2) }
    }
}

struct Remark {
    var id: Int
    var visit: Ref<Visit>? = nil
}

extension Remark: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.visit, Property("visit", Ref<Visit>?.self, onDelete: .cascade)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        visit = try row.read(Ref<Visit>?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(visit)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var visit: QueryExpression<Ref<Visit>?> { QueryExpression(_propertyPath, 1) }
    }
}
