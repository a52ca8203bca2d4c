public import StorageAPI

extension Generated {
    /// Owned in arrays, and stored by itself.
    public struct Item: PlainRecord, Sendable {
        public var id: Int = 0
        public var label: String?
        public var weight: Double = 0
        public var tags: [Generated.Tag] = []

        public init() {}
    }

    /// Owned by an owned record.
    public struct Tag: PlainRecord, Sendable {
        public var id: Int = 0
        public var text: String = ""

        public init() {}
    }
}

extension Generated.Item: Storable {
    public typealias Key = Int

    public static var schema: ModelSchema {
        ModelSchema(
            "GeneratedItem",
            [
                Property("id", Int.self, .key),
                Property("label", (String?).self),
                Property("weight", Double.self),
                Property("tags", ([Generated.Tag]).self),
            ])
    }

    public init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        label = try row.read((String?).self)
        weight = try row.read(Double.self)
        tags = try row.read(([Generated.Tag]).self)
    }

    public func write(into row: inout RowWriter) {
        row.write(id)
        row.write(label)
        row.write(weight)
        row.write(tags)
    }

    public func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    public static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.label, \.weight, \.tags]
        return properties.firstIndex(of: property)
    }

    public struct Columns: ColumnSet {
        public let _propertyPath: PropertyPath
        public init(_ path: PropertyPath) { _propertyPath = path }
        public var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        public var label: QueryExpression<String?> { QueryExpression(_propertyPath, 1) }
        public var weight: QueryExpression<Double> { QueryExpression(_propertyPath, 2) }
        public var tags: QueryExpression<[Generated.Tag]> { QueryExpression(_propertyPath, 3) }
    }
}

extension Generated.Tag: Storable {
    public typealias Key = Int

    public static var schema: ModelSchema {
        ModelSchema(
            "GeneratedTag",
            [
                Property("id", Int.self, .key),
                Property("text", String.self),
            ])
    }

    public init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        text = try row.read(String.self)
    }

    public func write(into row: inout RowWriter) {
        row.write(id)
        row.write(text)
    }

    public func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    public static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.text]
        return properties.firstIndex(of: property)
    }

    public struct Columns: ColumnSet {
        public let _propertyPath: PropertyPath
        public init(_ path: PropertyPath) { _propertyPath = path }
        public var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        public var text: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
    }
}
