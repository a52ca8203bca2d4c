internal import Foundation
internal import StorageAPI

// Versions of the model Item, one a type: what a program declared earlier, and later.

typealias IntItem = Item<AsInt>
typealias TextItem = Item<AsText>

enum AsInt: Shape { typealias Value = Int }
enum AsText: Shape { typealias Value = String }
enum AsDouble: Shape { typealias Value = Double }
enum AsInt8: Shape { typealias Value = Int8 }
enum AsOptionalInt: Shape { typealias Value = Int? }
enum AsList: Shape { typealias Value = [Int] }
enum AsDoubles: Shape { typealias Value = [Double] }
enum AsInt8s: Shape { typealias Value = [Int8] }
enum AsNested: Shape { typealias Value = [[Int?]] }
enum AsNestedDoubles: Shape { typealias Value = [[Double?]] }

/// The value with a default, as a version that adds it to stored records declares it.
enum WithDefault: Shape {
    typealias Value = Int
    static var property: Property { Property("value", Int.self, default: { 7 }) }
}

/// The value under another name.
enum Renamed: Shape {
    typealias Value = Int
    static var property: Property { Property("amount", Int.self, renamedFrom: "value") }
}

enum RenamedAndWidened: Shape {
    typealias Value = Double?
    static var property: Property { Property("amount", Double?.self, renamedFrom: "value") }
}

enum Indexed: Shape {
    typealias Value = Int
    static var property: Property { Property("value", Int.self, .indexed) }
}

enum Unique: Shape {
    typealias Value = Int
    static var property: Property { Property("value", Int.self, .unique) }
}

enum AsKeyPart: Shape {
    typealias Value = Int
    static var property: Property { Property("value", Int.self, .key) }
}

// Declarations that no store takes.

enum NoName: Shape {
    typealias Value = Int
    static var model: String { "" }
}

enum NULInName: Shape {
    typealias Value = Int
    static var model: String { "a\0b" }
}

enum SameName: Shape {
    typealias Value = Int
    static var property: Property { Property("value", Int.self, stored: "id") }
}

enum DoubleAsKey: Shape {
    typealias Value = Double
    static var property: Property { Property("value", Double.self, .key) }
}

// Names that engines have a use for.

enum SelectOrder: Shape {
    typealias Value = Int
    static var model: String { "select" }
    static var property: Property { Property("order", Int.self) }
}

enum UpperSelect: Shape {
    typealias Value = Int
    static var model: String { "SELECT" }
    static var property: Property { Property("ORDER", Int.self) }
}

enum Quoted: Shape {
    typealias Value = Int
    static var model: String { "a\"; DROP TABLE Item; --" }
    static var property: Property { Property("x\"'`; --", Int.self, .indexed) }
}

enum Dotted: Shape {
    typealias Value = Int
    static var model: String { "a.b/../[c]%?:" }
    static var property: Property { Property("a.b", Int.self) }
}

enum Foreign: Shape {
    typealias Value = Int
    static var model: String { "表 👍" }
    static var property: Property { Property("e\u{301}", Int.self) }
}

enum ForeignComposed: Shape {
    typealias Value = Int
    static var model: String { "\u{E9}" }
    static var property: Property { Property("\u{E9}", Int.self) }
}

enum ForeignDecomposed: Shape {
    typealias Value = Int
    static var model: String { "e\u{301}" }
    static var property: Property { Property("e\u{301}", Int.self) }
}

enum EngineTable: Shape {
    typealias Value = Int
    static var model: String { "sqlite_master" }
    static var property: Property { Property("rowid", Int.self) }
}

enum OwnTable: Shape {
    typealias Value = Int
    static var model: String { "storage_tables" }
    static var property: Property { Property("owner_id", Int.self) }
}

enum LongName: Shape {
    typealias Value = Int
    static var model: String { String(repeating: "long", count: 60) }
    static var property: Property { Property(String(repeating: "name", count: 60), Int.self) }
}
