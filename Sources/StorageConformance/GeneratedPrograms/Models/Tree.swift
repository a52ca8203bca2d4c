public import StorageAPI

extension Generated {
    /// A type that owns itself; its key is two properties.
    public struct Tree: PlainRecord, Sendable {
        public var area: String = ""
        public var number: Int = 0
        public var title: String = ""
        public var branches: [Generated.Tree] = []

        public init() {}
    }
}

extension Generated.Tree: Storable {
    public typealias Key = (area: String, number: Int)

    public static var schema: ModelSchema {
        ModelSchema(
            "GeneratedTree",
            [
                Property("area", String.self, .key),
                Property("number", Int.self, .key),
                Property("title", String.self),
                Property("branches", ([Generated.Tree]).self),
            ])
    }

    public init(reading row: inout RowReader) throws(StorageError) {
        area = try row.read(String.self)
        number = try row.read(Int.self)
        title = try row.read(String.self)
        branches = try row.read(([Generated.Tree]).self)
    }

    public func write(into row: inout RowWriter) {
        row.write(area)
        row.write(number)
        row.write(title)
        row.write(branches)
    }

    public func writeKey(into row: inout RowWriter) {
        row.write(area)
        row.write(number)
    }

    public static func values(of key: Key) -> [Value] { [Value(key.area), Value(key.number)] }

    public static func readKey(_ row: inout RowReader) throws(StorageError) -> Key {
        (area: try row.read(String.self), number: try row.read(Int.self))
    }

    public static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.area, \.number, \.title, \.branches]
        return properties.firstIndex(of: property)
    }

    public struct Columns: ColumnSet {
        public let _propertyPath: PropertyPath
        public init(_ path: PropertyPath) { _propertyPath = path }
        public var area: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        public var number: QueryExpression<Int> { QueryExpression(_propertyPath, 1) }
        public var title: QueryExpression<String> { QueryExpression(_propertyPath, 2) }
        public var branches: QueryExpression<[Generated.Tree]> { QueryExpression(_propertyPath, 3) }
    }
}
