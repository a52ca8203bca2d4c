import StorageAPI

// By hand, as `@Storable` would write them, so that no release build of swift-syntax stands before the measurement.

struct Item: Equatable, Storable {
    var id: Int
    var name: String
    var age: Int
    var height: Double
    var city: String?

    typealias Key = Int

    init(number id: Int) {
        (self.id, name, age, height) = (id, "Person number \(id)", id % 90, Double(id % 60) + 1.5)
        city = id % 3 == 0 ? nil : "City \(id % 500)"
    }

    static var schema: ModelSchema {
        ModelSchema(
            "Item",
            [
                Property("id", (Int).self, [.key]), Property("name", (String).self), Property("age", (Int).self),
                Property("height", (Double).self), Property("city", (String?).self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
        age = try row.read(Int.self)
        height = try row.read(Double.self)
        city = try row.read(String?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(age)
        row.write(height)
        row.write(city)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

/// A graph of four tables.
struct Order: Equatable, Storable {
    var id: Int
    var customer: String
    var address: Part
    var lines: [Part]
    var notes: [Part]

    typealias Key = Int

    init(number id: Int) {
        (self.id, customer) = (id, "Customer \(id)")
        address = Part(id: 1, text: "Street \(id)")
        lines = (0..<3).map { Part(id: $0, text: "Article \(id + $0)") }
        notes = [Part(id: 1, text: "Note")]
    }

    static var schema: ModelSchema {
        ModelSchema(
            "Order",
            [
                Property("id", (Int).self, [.key]), Property("customer", (String).self),
                Property("address", (Part).self),
                Property("lines", ([Part]).self), Property("notes", ([Part]).self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        customer = try row.read(String.self)
        address = try row.read(Part.self)
        lines = try row.read([Part].self)
        notes = try row.read([Part].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(customer)
        row.write(address)
        row.write(lines)
        row.write(notes)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

struct Part: Equatable, Storable {
    var id: Int
    var text: String

    typealias Key = Int

    init(id: Int, text: String) { (self.id, self.text) = (id, text) }

    static var schema: ModelSchema {
        ModelSchema("Part", [Property("id", (Int).self, [.key]), Property("text", (String).self)])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        text = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(text)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}
