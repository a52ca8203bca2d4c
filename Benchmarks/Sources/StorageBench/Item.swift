import StorageAPI

/// Integers and a text that fits into a String without memory of its own: what costs least to load.
struct Item: Equatable, Codable, Storable {
    var id: Int
    var first: Int
    var second: Int
    var third: Int
    var label: String

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Item",
            [
                Property("id", (Int).self, [.key]),
                Property("first", (Int).self),
                Property("second", (Int).self),
                Property("third", (Int).self),
                Property("label", (String).self),
            ])
    }

    func write(into row: inout RowWriter) {
        row.write(self.id)
        row.write(self.first)
        row.write(self.second)
        row.write(self.third)
        row.write(self.label)
    }

    func writeKey(into row: inout RowWriter) { row.write(self.id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

extension Item {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let p0 = try row.read((Int).self)
        let p1 = try row.read((Int).self)
        let p2 = try row.read((Int).self)
        let p3 = try row.read((Int).self)
        let p4 = try row.read((String).self)
        self.init(id: p0, first: p1, second: p2, third: p3, label: p4)
    }
}
