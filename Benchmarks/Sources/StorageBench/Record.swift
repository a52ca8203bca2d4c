import Foundation
import StorageAPI

/// The benchmark record, conforming as `@Storable` would write it; by hand, so that no release build of swift-syntax
/// (minutes) stands before every measurement.
struct Record: Equatable, Codable, Storable {
    var id: Int
    var name: String
    var age: Int
    var height: Double
    var photo: Data?
    var tags: String

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Record",
            [
                Property("id", (Int).self, [.key]),
                Property("name", (String).self),
                Property("age", (Int).self),
                Property("height", (Double).self),
                Property("photo", (Data?).self),
                Property("tags", (String).self),
            ])
    }

    @inline(__always)
    private static func readProperties(
        _ row: inout RowReader
    ) throws(StorageError) -> (Int, String, Int, Double, Data?, String) {
        let p0 = try row.read((Int).self)
        let p1 = try row.read((String).self)
        let p2 = try row.read((Int).self)
        let p3 = try row.read((Double).self)
        let p4 = try row.read((Data?).self)
        let p5 = try row.read((String).self)
        return (p0, p1, p2, p3, p4, p5)
    }

    @inline(__always)
    func write(into row: inout RowWriter) {
        row.write(self.id)
        row.write(self.name)
        row.write(self.age)
        row.write(self.height)
        row.write(self.photo)
        row.write(self.tags)
    }

    func writeKey(into row: inout RowWriter) { row.write(self.id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { .init(_propertyPath, 0) }
        var name: QueryExpression<String> { .init(_propertyPath, 1) }
        var age: QueryExpression<Int> { .init(_propertyPath, 2) }
    }
}

extension Record {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let (p0, p1, p2, p3, p4, p5) = try Self.readProperties(&row)
        self.init(id: p0, name: p1, age: p2, height: p3, photo: p4, tags: p5)
    }
}
