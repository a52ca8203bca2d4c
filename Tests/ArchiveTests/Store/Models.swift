import Foundation
import StorageKit

@Storable struct City: Equatable {
    var id: Int
    var name: String
    var spell: String
}

@Storable struct Pen: Equatable {
    var id: Int
    var color: String
    var price: Double
}

@Storable struct Person: Equatable {
    var id: Int
    @Indexed var name: String
    var age: Int = 0
    var height: Double = 0
    var photo: Data?
    var tags: [String] = []
    var born: Date?
    var city: City?
    var pens: [Pen] = []

    /// One of many that differ in everything.
    static func sample(_ number: Int) -> Person {
        Person(
            id: number, name: number % 3 == 0 ? "人\(number)" : "person \(number)", age: number % 90,
            height: 1.5 + Double(number) / 1000, photo: number % 2 == 0 ? Data([UInt8(number & 255), 0, 255]) : nil,
            tags: (0..<number % 4).map { "tag \($0)" },
            born: Date(timeIntervalSinceReferenceDate: Double(number) * 0.1),
            city: number % 5 == 0 ? nil : City(id: 1, name: "city \(number % 7)", spell: "Chengdu"),
            pens: (0..<number % 3).map { Pen(id: $0, color: "red", price: Double($0) / 3) })
    }

    static func samples(_ count: Int) -> [Person] { (0..<count).map(sample) }
}

@Storable struct Note: Equatable {
    var id: Int?
    @Unique var title: String
}

/// A record with a key of two parts, of which one is text.
@Storable struct Site: Equatable {
    @Key var country: String
    @Key var number: Int
    var text: String
}
