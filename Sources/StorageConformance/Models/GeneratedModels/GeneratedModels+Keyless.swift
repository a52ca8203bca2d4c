// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import StorageAPI

struct Halt {
    var town: String = ""
    var minutes: Int? = nil
}

extension Halt: ListedModel {
    typealias Key = Never

    static var fields: [ListedField<Self>] {
        [
            .init(\.town, Property("town", String.self, default: { "" })),
            .init(\.minutes, Property("minutes", Int?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        town = try row.read(String.self)
        minutes = try row.read(Int?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(town)
        row.write(minutes)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var town: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var minutes: QueryExpression<Int?> { QueryExpression(_propertyPath, 1) }
    }
}

struct Leg {
    var line: String = ""
    var stops: [Halt] = []
    var detour: Halt? = nil
}

extension Leg: ListedModel {
    typealias Key = Never

    static var fields: [ListedField<Self>] {
        [
            .init(\.line, Property("line", String.self, default: { "" })),
            .init(\.stops, Property("stops", [Halt].self, default: { [] })),
            .init(\.detour, Property("detour", Halt?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        line = try row.read(String.self)
        stops = try row.read([Halt].self)
        detour = try row.read(Halt?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(line)
        row.write(stops)
        row.write(detour)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var line: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var stops: QueryExpression<[Halt]> { QueryExpression(_propertyPath, 1) }
        var detour: QueryExpression<Halt?> { QueryExpression(_propertyPath, 2) }
    }
}

struct Journey {
    var id: Int
    var first: Leg = Leg()
    var spare: Leg? = nil
    var legs: [Leg] = []
}

extension Journey: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.first, Property("first", Leg.self, default: { Leg() })),
            .init(\.spare, Property("spare", Leg?.self)),
            .init(\.legs, Property("legs", [Leg].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        first = try row.read(Leg.self)
        spare = try row.read(Leg?.self)
        legs = try row.read([Leg].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(first)
        row.write(spare)
        row.write(legs)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var first: QueryExpression<Leg> { QueryExpression(_propertyPath, 1) }
        var spare: QueryExpression<Leg?> { QueryExpression(_propertyPath, 2) }
        var legs: QueryExpression<[Leg]> { QueryExpression(_propertyPath, 3) }
    }
}
