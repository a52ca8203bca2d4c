import StorageAPI

/// A graph of twelve rows: one, one that it owns, and ten lines in order.
struct Purchase: Equatable, Storable {
    var id: Int
    var customer: String
    var placed: Int
    var total: Double
    var address: Address
    var lines: [Line]

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Purchase",
            [
                Property("id", (Int).self, [.key]),
                Property("customer", (String).self),
                Property("placed", (Int).self),
                Property("total", (Double).self),
                Property("address", (Address).self),
                Property("lines", ([Line]).self),
            ])
    }

    func write(into row: inout RowWriter) {
        row.write(self.id)
        row.write(self.customer)
        row.write(self.placed)
        row.write(self.total)
        row.write(self.address)
        row.write(self.lines)
    }

    func writeKey(into row: inout RowWriter) { row.write(self.id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

extension Purchase {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let p0 = try row.read((Int).self)
        let p1 = try row.read((String).self)
        let p2 = try row.read((Int).self)
        let p3 = try row.read((Double).self)
        let p4 = try row.read((Address).self)
        let p5 = try row.read(([Line]).self)
        self.init(id: p0, customer: p1, placed: p2, total: p3, address: p4, lines: p5)
    }
}

struct Address: Equatable, Storable {
    /// Children are found by their owner and place; this one's own key is data that says nothing.
    var zip: Int
    var street: String
    var city: String

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Address",
            [
                Property("zip", (Int).self, [.key]),
                Property("street", (String).self),
                Property("city", (String).self),
            ])
    }

    func write(into row: inout RowWriter) {
        row.write(self.zip)
        row.write(self.street)
        row.write(self.city)
    }

    func writeKey(into row: inout RowWriter) { row.write(self.zip) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

extension Address {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let p0 = try row.read((Int).self)
        let p1 = try row.read((String).self)
        let p2 = try row.read((String).self)
        self.init(zip: p0, street: p1, city: p2)
    }
}

struct Line: Equatable, Storable {
    var article: Int
    var title: String
    var quantity: Int
    var price: Double

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Line",
            [
                Property("article", (Int).self, [.key]),
                Property("title", (String).self),
                Property("quantity", (Int).self),
                Property("price", (Double).self),
            ])
    }

    func write(into row: inout RowWriter) {
        row.write(self.article)
        row.write(self.title)
        row.write(self.quantity)
        row.write(self.price)
    }

    func writeKey(into row: inout RowWriter) { row.write(self.article) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

extension Line {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let p0 = try row.read((Int).self)
        let p1 = try row.read((String).self)
        let p2 = try row.read((Int).self)
        let p3 = try row.read((Double).self)
        self.init(article: p0, title: p1, quantity: p2, price: p3)
    }
}
