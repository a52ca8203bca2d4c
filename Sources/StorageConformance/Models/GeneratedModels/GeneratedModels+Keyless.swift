internal import StorageAPI

// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct Halt {
    var town: String = ""
    var minutes: Int? = nil
}

extension Halt: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Halt {
            var town: String = ""
            var minutes: Int? = nil
        }
        """
    }

    typealias Key = Never

    static var schema: ModelSchema {
        ModelSchema(
            "Halt",
            [
                Property("town", String.self, default: { "" }),
                Property("minutes", Int?.self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        town = try row.read(String.self)
        minutes = try row.read(Int?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(town)
        row.write(minutes)
    }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.town, \.minutes]
        return properties.firstIndex(of: property)
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

extension Leg: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Leg {
            var line: String = ""
            var stops: [Halt] = []
            var detour: Halt? = nil
        }
        """
    }

    typealias Key = Never

    static var schema: ModelSchema {
        ModelSchema(
            "Leg",
            [
                Property("line", String.self, default: { "" }),
                Property("stops", [Halt].self, default: { [] }),
                Property("detour", Halt?.self),
            ])
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

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.line, \.stops, \.detour]
        return properties.firstIndex(of: property)
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

extension Journey: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Journey {
            var id: Int
            var first: Leg = Leg()
            var spare: Leg? = nil
            var legs: [Leg] = []
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Journey",
            [
                Property("id", Int.self, .key),
                Property("first", Leg.self, default: { Leg() }),
                Property("spare", Leg?.self),
                Property("legs", [Leg].self, default: { [] }),
            ])
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

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.first, \.spare, \.legs]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var first: QueryExpression<Leg> { QueryExpression(_propertyPath, 1) }
        var spare: QueryExpression<Leg?> { QueryExpression(_propertyPath, 2) }
        var legs: QueryExpression<[Leg]> { QueryExpression(_propertyPath, 3) }
    }
}
