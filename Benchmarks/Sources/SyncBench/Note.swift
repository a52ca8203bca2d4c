import Foundation
import StorageAPI

/// The record, conforming as `@Storable` would write it; by hand, so that no release build of swift-syntax stands before a
/// measurement.
struct Note: Equatable, Storable {
    var id: UUID
    var title: String
    var text: String
    var number: Int
    var isDone: Bool
    var image: Data?

    typealias Key = UUID

    static var schema: ModelSchema {
        ModelSchema(
            "Note",
            [
                Property("id", (UUID).self, [.key]),
                Property("title", (String).self),
                Property("text", (String).self),
                Property("number", (Int).self),
                Property("isDone", (Bool).self),
                Property("image", (Data?).self),
            ])
    }

    @inline(__always)
    private static func readProperties(
        _ row: inout RowReader
    ) throws(StorageError) -> (UUID, String, String, Int, Bool, Data?) {
        let p0 = try row.read((UUID).self)
        let p1 = try row.read((String).self)
        let p2 = try row.read((String).self)
        let p3 = try row.read((Int).self)
        let p4 = try row.read((Bool).self)
        let p5 = try row.read((Data?).self)
        return (p0, p1, p2, p3, p4, p5)
    }

    @inline(__always)
    func write(into row: inout RowWriter) {
        row.write(self.id)
        row.write(self.title)
        row.write(self.text)
        row.write(self.number)
        row.write(self.isDone)
        row.write(self.image)
    }

    func writeKey(into row: inout RowWriter) { row.write(self.id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<UUID> { .init(_propertyPath, 0) }
        var title: QueryExpression<String> { .init(_propertyPath, 1) }
        var text: QueryExpression<String> { .init(_propertyPath, 2) }
        var number: QueryExpression<Int> { .init(_propertyPath, 3) }
        var isDone: QueryExpression<Bool> { .init(_propertyPath, 4) }
    }
}

extension Note {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let (p0, p1, p2, p3, p4, p5) = try Self.readProperties(&row)
        self.init(id: p0, title: p1, text: p2, number: p3, isDone: p4, image: p5)
    }

    /// The note of a number, whose key lies anywhere among the others, as random keys do.
    init(_ number: Int, version: Int = 0, image: Data? = nil) {
        self.init(
            id: Self.key(number), title: "Note \(number)",
            text:
                "Version \(version) of note \(number), in a sentence of about ninety letters.",
            number: version, isDone: number % 3 == 0, image: image)
    }

    static func key(_ number: Int) -> UUID {
        let words = [1, 2].map { (UInt64(bitPattern: Int64(number)) &+ $0) &* 0x9E37_79B9_7F4A_7C15 }
        func byte(_ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: words[place / 8] >> UInt64(8 * (place % 8))) }
        return UUID(
            uuid: (
                byte(7), byte(6), byte(5), byte(4), byte(3), byte(2), byte(1), byte(0), byte(15), byte(14), byte(13),
                byte(12), byte(11), byte(10), byte(9), byte(8)
            ))
    }
}
