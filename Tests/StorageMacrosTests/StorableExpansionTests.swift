import Testing

/// Whole expansions: the shapes that differ in more than their properties.
@Suite struct StorableExpansionTests {
    @Test func `a model is written around its memberwise initialiser`() {
        expectExpansion(
            """
            @Storable
            struct Pen: Equatable {
                var id: Int?
                @Indexed var color = "red"
            }
            """,
            """
            struct Pen: Equatable {
                var id: Int?
                var color = "red"

                typealias Key = Int

                nonisolated static var schema: StorageAPI.ModelSchema {
                    StorageAPI.ModelSchema("Pen", [
                        StorageAPI.Property("id", (Int?).self, [.key]),
                        StorageAPI.Property("color", (String).self, [.indexed], default: { "red" }),
                    ])
                }

                @inline(__always)
                private nonisolated static func readProperties(
                    _ row: inout StorageAPI.RowReader
                ) throws(StorageAPI.StorageError) -> (Int?, String) {
                    let p0 = try row.read((Int?).self)
                    let p1 = try row.read((String).self)
                    return (p0, p1)
                }

                @inline(__always)
                nonisolated func write(into row: inout StorageAPI.RowWriter) {
                    row.write(self.id)
                    row.write(self.color)
                }

                nonisolated func writeKey(into row: inout StorageAPI.RowWriter) {
                    row.write(self.id)
                }

                nonisolated static func key(of record: Self) -> Key? { record.id }

                nonisolated static func values(of key: Key) -> [StorageAPI.Value] {
                    [StorageAPI.Value(key)]
                }

                nonisolated static func readKey(_ row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) -> Key {
                    try row.read((Int).self)
                }

                nonisolated mutating func assign(_ key: Key) {
                    self.id = key
                }

                nonisolated static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
                    let properties: [PartialKeyPath<Self>] = [\\.id, \\.color]
                    return properties.firstIndex(of: property)
                }

                nonisolated struct Columns: StorageAPI.ColumnSet {
                    let _propertyPath: StorageAPI.PropertyPath
                    init(_ path: StorageAPI.PropertyPath) { _propertyPath = path }
                    var id: StorageAPI.QueryExpression<Int?> { .init(_propertyPath, 0) }
                    var color: StorageAPI.QueryExpression<String> { .init(_propertyPath, 1) }
                }
            }

            extension Pen: StorageAPI.Storable {
                @inline(__always)
                nonisolated init(reading row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) {
                    let (p0, p1) = try Self.readProperties(&row)
                    self.init(id: p0, color: p1)
                }
            }
            """)
    }

    @Test func `a public model with a composite key and an initialiser of its own is assigned property by property`() {
        expectExpansion(
            """
            @Storable("lines")
            public struct OrderLine {
                @Key public let order: String
                @Key public let number: Int32
                private var price: Double
                public init(order: String) { self.order = order; number = 1; price = 0 }
            }
            """,
            """
            public struct OrderLine {
                public let order: String
                public let number: Int32
                private var price: Double
                public init(order: String) { self.order = order; number = 1; price = 0 }

                public typealias Key = (String, Int32)

                public nonisolated static var schema: StorageAPI.ModelSchema {
                    StorageAPI.ModelSchema("lines", [
                        StorageAPI.Property("order", (String).self, [.key]),
                        StorageAPI.Property("number", (Int32).self, [.key]),
                        StorageAPI.Property("price", (Double).self),
                    ])
                }

                @inline(__always)
                private nonisolated static func readProperties(
                    _ row: inout StorageAPI.RowReader
                ) throws(StorageAPI.StorageError) -> (String, Int32, Double) {
                    let p0 = try row.read((String).self)
                    let p1 = try row.read((Int32).self)
                    let p2 = try row.read((Double).self)
                    return (p0, p1, p2)
                }

                @inline(__always)
                public nonisolated func write(into row: inout StorageAPI.RowWriter) {
                    row.write(self.order)
                    row.write(self.number)
                    row.write(self.price)
                }

                public nonisolated func writeKey(into row: inout StorageAPI.RowWriter) {
                    row.write(self.order)
                    row.write(self.number)
                }

                public nonisolated static func key(of record: Self) -> Key? { (record.order, record.number) }

                public nonisolated static var _keyWidth: Int { 2 }

                public nonisolated static func values(of key: Key) -> [StorageAPI.Value] {
                    [StorageAPI.Value(key.0), StorageAPI.Value(key.1)]
                }

                public nonisolated static func readKey(_ row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) -> Key {
                    (try row.read((String).self), try row.read((Int32).self))
                }

                public nonisolated static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
                    let properties: [PartialKeyPath<Self>] = [\\.order, \\.number, \\.price]
                    return properties.firstIndex(of: property)
                }

                public nonisolated struct Columns: StorageAPI.ColumnSet {
                    public let _propertyPath: StorageAPI.PropertyPath
                    public init(_ path: StorageAPI.PropertyPath) { _propertyPath = path }
                    public var order: StorageAPI.QueryExpression<String> { .init(_propertyPath, 0) }
                    public var number: StorageAPI.QueryExpression<Int32> { .init(_propertyPath, 1) }
                    fileprivate var price: StorageAPI.QueryExpression<Double> { .init(_propertyPath, 2) }
                }

                public nonisolated var ref: StorageAPI.Ref<Self> { .init(key: (self.order, self.number)) }
            }

            extension OrderLine: StorageAPI.Storable, StorageAPI.AlwaysKeyed {
                @inline(__always)
                public nonisolated init(reading row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) {
                    let (p0, p1, p2) = try Self.readProperties(&row)
                    self.order = p0
                    self.number = p1
                    self.price = p2
                }
            }
            """)
    }

    @Test func `a model that states its conformance gets the extension without it`() {
        expectExpansion(
            """
            @Storable
            struct Tag: Storable {
                let id: UUID
            }
            """,
            """
            struct Tag: Storable {
                let id: UUID

                typealias Key = UUID

                nonisolated static var schema: StorageAPI.ModelSchema {
                    StorageAPI.ModelSchema("Tag", [
                        StorageAPI.Property("id", (UUID).self, [.key]),
                    ])
                }

                @inline(__always)
                private nonisolated static func readProperties(
                    _ row: inout StorageAPI.RowReader
                ) throws(StorageAPI.StorageError) -> (UUID) {
                    let p0 = try row.read((UUID).self)
                    return (p0)
                }

                @inline(__always)
                nonisolated func write(into row: inout StorageAPI.RowWriter) {
                    row.write(self.id)
                }

                nonisolated func writeKey(into row: inout StorageAPI.RowWriter) {
                    row.write(self.id)
                }

                nonisolated static func key(of record: Self) -> Key? { record.id }

                nonisolated static func values(of key: Key) -> [StorageAPI.Value] {
                    [StorageAPI.Value(key)]
                }

                nonisolated static func readKey(_ row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) -> Key {
                    try row.read((UUID).self)
                }

                nonisolated static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
                    let properties: [PartialKeyPath<Self>] = [\\.id]
                    return properties.firstIndex(of: property)
                }

                nonisolated struct Columns: StorageAPI.ColumnSet {
                    let _propertyPath: StorageAPI.PropertyPath
                    init(_ path: StorageAPI.PropertyPath) { _propertyPath = path }
                    var id: StorageAPI.QueryExpression<UUID> { .init(_propertyPath, 0) }
                }
            }

            extension Tag {
                @inline(__always)
                nonisolated init(reading row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) {
                    let (p0) = try Self.readProperties(&row)
                    self.init(id: p0)
                }
            }
            """,
            alreadyConforms: true)
    }
}
