import Foundation
import StorageAPI
import StorageJSON

/// A record with owned ones and a reference, conforming as `@Storable` would write it.
struct Purchase: Storable {
    var id: Int
    var buyer: String
    var city: String?
    var agent: Ref<Agent>
    var lines: [Line]

    struct Line: Storable {
        var product: String
        var price: Double
        var count: Int

        typealias Key = Never

        static var schema: ModelSchema {
            ModelSchema(
                "Line",
                [
                    Property("product", (String).self),
                    Property("price", (Double).self),
                    Property("count", (Int).self, default: { 1 }),
                ])
        }

        init(product: String, price: Double, count: Int) {
            (self.product, self.price, self.count) = (product, price, count)
        }

        init(reading row: inout RowReader) throws(StorageError) {
            product = try row.read(String.self)
            price = try row.read(Double.self)
            count = try row.read(Int.self)
        }

        func write(into row: inout RowWriter) {
            row.write(product)
            row.write(price)
            row.write(count)
        }

        struct Columns: ColumnSet {
            let _propertyPath: PropertyPath
            init(_ path: PropertyPath) { _propertyPath = path }
        }
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Purchase",
            [
                Property("id", (Int).self, [.key]),
                Property("buyer", (String).self).json(path: "buyer.name"),
                Property("city", (String?).self).json(path: "buyer.city"),
                Property("agent", (Ref<Agent>).self),
                Property("lines", ([Line]).self),
            ])
    }

    init(id: Int, buyer: String, city: String?, agent: Ref<Agent>, lines: [Line]) {
        (self.id, self.buyer, self.city, self.agent, self.lines) = (id, buyer, city, agent, lines)
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        buyer = try row.read(String.self)
        city = try row.read(String?.self)
        agent = try row.read(Ref<Agent>.self)
        lines = try row.read([Line].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(buyer)
        row.write(city)
        row.write(agent)
        row.write(lines)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

/// The records that a purchase refers to.
struct Agent: Storable {
    var id: Int

    typealias Key = Int

    static var schema: ModelSchema { ModelSchema("Agent", [Property("id", (Int).self, [.key])]) }

    init(id: Int) { self.id = id }

    init(reading row: inout RowReader) throws(StorageError) { id = try row.read(Int.self) }

    func write(into row: inout RowWriter) { row.write(id) }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

/// The types that a program writes for `JSONDecoder`.
struct PurchaseDTO: Decodable {
    struct Buyer: Decodable {
        var name: String
        var city: String?
    }
    struct Line: Decodable {
        var product: String
        var price: Double
        var count: Int?
    }

    var id: Int
    var buyer: Buyer
    var agent: Int
    var lines: [Line]

    var model: Purchase {
        Purchase(
            id: id, buyer: buyer.name, city: buyer.city, agent: Ref(key: agent),
            lines: lines.map { Purchase.Line(product: $0.product, price: $0.price, count: $0.count ?? 1) })
    }
}

struct PurchasePage: Decodable {
    struct Content: Decodable { var items: [PurchaseDTO] }
    var data: Content
}
