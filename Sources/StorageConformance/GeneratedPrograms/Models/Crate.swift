public import StorageAPI

extension Generated {
    /// A graph: one child, an Optional one, an array of them with children of their own, and an Optional array.
    public struct Crate: PlainRecord, Sendable {
        public var name: String = ""
        public var size: Int = 0
        public var lid: Generated.Lid = Generated.Lid()
        public var spare: Generated.Lid?
        public var items: [Generated.Item] = []
        public var extras: [Generated.Item]?

        public init() {}
    }

    /// Owned alone.
    public struct Lid: PlainRecord, Sendable {
        public var id: Int = 0
        public var width: Int = 0
        public var label: String?

        public init() {}
    }
}

extension Generated.Crate: Storable {
    public typealias Key = String

    public static var schema: ModelSchema {
        ModelSchema(
            "GeneratedCrate",
            [
                Property("name", String.self, .key),
                Property("size", Int.self, .indexed),
                Property("lid", Generated.Lid.self),
                Property("spare", (Generated.Lid?).self),
                Property("items", ([Generated.Item]).self),
                Property("extras", ([Generated.Item]?).self),
            ])
    }

    public init(reading row: inout RowReader) throws(StorageError) {
        name = try row.read(String.self)
        size = try row.read(Int.self)
        lid = try row.read(Generated.Lid.self)
        spare = try row.read((Generated.Lid?).self)
        items = try row.read(([Generated.Item]).self)
        extras = try row.read(([Generated.Item]?).self)
    }

    public func write(into row: inout RowWriter) {
        row.write(name)
        row.write(size)
        row.write(lid)
        row.write(spare)
        row.write(items)
        row.write(extras)
    }

    public func writeKey(into row: inout RowWriter) {
        row.write(name)
    }

    public static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.name, \.size, \.lid, \.spare, \.items, \.extras]
        return properties.firstIndex(of: property)
    }

    public struct Columns: ColumnSet {
        public let _propertyPath: PropertyPath
        public init(_ path: PropertyPath) { _propertyPath = path }
        public var name: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        public var size: QueryExpression<Int> { QueryExpression(_propertyPath, 1) }
        public var lid: QueryExpression<Generated.Lid> { QueryExpression(_propertyPath, 2) }
        public var spare: QueryExpression<Generated.Lid?> { QueryExpression(_propertyPath, 3) }
        public var items: QueryExpression<[Generated.Item]> { QueryExpression(_propertyPath, 4) }
        public var extras: QueryExpression<[Generated.Item]?> { QueryExpression(_propertyPath, 5) }
    }
}

extension Generated.Lid: Storable {
    public typealias Key = Int

    public static var schema: ModelSchema {
        ModelSchema(
            "GeneratedLid",
            [
                Property("id", Int.self, .key),
                Property("width", Int.self),
                Property("label", (String?).self),
            ])
    }

    public init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        width = try row.read(Int.self)
        label = try row.read((String?).self)
    }

    public func write(into row: inout RowWriter) {
        row.write(id)
        row.write(width)
        row.write(label)
    }

    public func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    public static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.width, \.label]
        return properties.firstIndex(of: property)
    }

    public struct Columns: ColumnSet {
        public let _propertyPath: PropertyPath
        public init(_ path: PropertyPath) { _propertyPath = path }
        public var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        public var width: QueryExpression<Int> { QueryExpression(_propertyPath, 1) }
        public var label: QueryExpression<String?> { QueryExpression(_propertyPath, 2) }
    }
}
