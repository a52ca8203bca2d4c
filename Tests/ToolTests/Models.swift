import Foundation
import StorageKit

@Storable struct Pen: Equatable {
    @Key var color: String
    var price: Double
}

@Storable struct City: Equatable {
    @Key var name: String
    var population: Int?
}

@Storable struct Person: Equatable {
    var id: Int?
    @Indexed var name: String
    var age: Int
    var tags: [String]
    var city: City?
    var pens: [Pen]
}

/// A key of two properties.
@Storable struct Pair: Equatable {
    @Key var first: String
    @Key var second: Int
    var note: String?
}

/// A property of every type.
@Storable struct Everything: Equatable {
    var id: UUID
    var flag: Bool
    var small: Int8
    var large: Int64
    var unsigned: UInt64
    var float: Float
    var double: Double
    var text: String
    var bytes: Data
    var date: Date
    var url: URL
    var decimal: Decimal
    var wait: Duration = .zero
    var vector: Vector = []
    var waits: [Duration] = []
    var nested: [[Double]]
    var dates: [Date]
    var names: [String: Int]
    var optionalText: String?
    var optionalDouble: Double?
    var optionalArray: [String]?
    var optionalPens: [Pen]?
}

extension Person {
    static let samples = [
        Person(
            id: 1, name: "Wei", age: 28, tags: ["a", "b"], city: City(name: "成都", population: 20_937_757),
            pens: [Pen(color: "red", price: 1.5), Pen(color: "blue", price: 2)]),
        Person(id: 2, name: "ليلى", age: 31, tags: [], city: nil, pens: []),
        Person(
            id: 7, name: "Zoë 👩‍🚀", age: 19, tags: ["x,y", "\"z\""], city: City(name: "Łódź", population: nil), pens: []),
    ]
}

extension Everything {
    /// Values at the ends of their types, and those that a text form loses most easily.
    static let samples = [
        Everything(
            id: number(1), flag: true, small: .min, large: .min, unsigned: .max, float: .pi, double: .ulpOfOne,
            text: "", bytes: Data(), date: Date(timeIntervalSinceReferenceDate: 0), url: URL(filePath: "/tmp/a b"),
            decimal: Decimal(string: "-12345678901234567890123456789012345678") ?? 0, nested: [[]], dates: [],
            names: [:], optionalText: nil, optionalDouble: nil, optionalArray: nil, optionalPens: nil),
        Everything(
            id: number(2), flag: false, small: .max, large: .max, unsigned: 0, float: -.infinity, double: .infinity,
            text: "a\u{0}b\u{7F}\n\"\\,\u{2028}e\u{301}", bytes: Data(0...255),
            date: Date(timeIntervalSinceReferenceDate: 0.1), url: URL(filePath: "/"),
            decimal: Decimal(string: "0.00000000000000000001") ?? 0, wait: Duration(attoseconds: .min),
            vector: [0.1, -1, .infinity, .nan, .leastNonzeroMagnitude], waits: [.zero, Duration(attoseconds: .max)],
            nested: [[.infinity, -0.5], [1e300]],
            dates: [Date(timeIntervalSinceReferenceDate: 1.25)], names: ["ü": 1], optionalText: "",
            optionalDouble: 0, optionalArray: [], optionalPens: []),
        Everything(
            id: number(3), flag: false, small: 0, large: -1, unsigned: 1 << 63, float: .leastNonzeroMagnitude,
            double: .leastNonzeroMagnitude, text: "null", bytes: Data([0]),
            date: Date(timeIntervalSinceReferenceDate: 801_576_000.123_456_7), url: URL(filePath: "/x,y"),
            decimal: 0, nested: [], dates: [], names: ["a": -1, "b": 0], optionalText: "true", optionalDouble: -1e-300,
            optionalArray: [""], optionalPens: [Pen(color: "", price: .greatestFiniteMagnitude)]),
        Everything(
            id: number(4), flag: true, small: 1, large: 1 << 53 + 1, unsigned: 42, float: 0.1, double: 0.1,
            text: " 12 ", bytes: Data([0xFF]), date: Date(timeIntervalSinceReferenceDate: 1e300),
            url: URL(filePath: "/1"), decimal: Decimal(string: "1.10") ?? 0, wait: .milliseconds(90_500),
            vector: [1, 2.5],
            waits: [.nanoseconds(-1)], nested: [[0.1]],
            dates: [Date(timeIntervalSinceReferenceDate: -1e15)], names: [:], optionalText: "null",
            optionalDouble: .greatestFiniteMagnitude, optionalArray: ["null", "é", "e\u{301}"], optionalPens: nil),
    ]

    private static func number(_ last: UInt8) -> UUID {
        UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, last))
    }
}
