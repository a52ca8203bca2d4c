import Foundation
import StorageAPI

/// The record of the archive's figures, conforming as `@Storable` would write it.
struct Sample: Equatable, Codable, Storable {
    var id: Int
    var name: String
    var age: Int
    var height: Double
    var photo: Data
    var tags: [String]

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Sample",
            [
                Property("id", (Int).self, [.key]),
                Property("name", (String).self),
                Property("age", (Int).self),
                Property("height", (Double).self),
                Property("photo", (Data).self),
                Property("tags", ([String]).self),
            ])
    }

    @inline(__always)
    private static func readProperties(
        _ row: inout RowReader
    ) throws(StorageError) -> (Int, String, Int, Double, Data, [String]) {
        let p0 = try row.read((Int).self)
        let p1 = try row.read((String).self)
        let p2 = try row.read((Int).self)
        let p3 = try row.read((Double).self)
        let p4 = try row.read((Data).self)
        let p5 = try row.read(([String]).self)
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

    /// Records from a number on: a name of about 16 bytes, 64 random bytes, three tags out of a hundred.
    static func make(_ numbers: Range<Int>) -> [Sample] {
        var random = SplitMix64(state: UInt64(numbers.lowerBound))
        return numbers.map { number in
            var bytes = Data(capacity: 64)
            for _ in 0..<8 { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
            let digits = String(number)
            return Sample(
                id: number + 1, name: "Person-" + String(repeating: "0", count: 9 - digits.count) + digits,
                age: (number * 7919) % 100, height: 1.5 + Double((number * 31) % 1000) / 1000, photo: bytes,
                tags: (0..<3).map { "tag-\((number * 7 + $0 * 13) % 100)" })
        }
    }
}

extension Sample {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let (p0, p1, p2, p3, p4, p5) = try Self.readProperties(&row)
        self.init(id: p0, name: p1, age: p2, height: p3, photo: p4, tags: p5)
    }
}

/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
