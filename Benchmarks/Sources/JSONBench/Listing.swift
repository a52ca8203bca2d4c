import Foundation
import StorageAPI
import StorageJSON

/// A record of an API's list, conforming as `@Storable` would write it.
struct Listing: Storable {
    var id: Int
    var title: String
    var price: Double
    var stock: Int
    var isNew: Bool
    var seller: String
    var city: String?

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Listing",
            [
                Property("id", (Int).self, [.key]),
                Property("title", (String).self),
                Property("price", (Double).self),
                Property("stock", (Int).self, default: { 0 }),
                Property("isNew", (Bool).self, default: { false }).json(path: "flags.new"),
                Property("seller", (String).self).json(path: "seller.name"),
                Property("city", (String?).self).json(path: "seller.city"),
            ])
    }

    init(id: Int, title: String, price: Double, stock: Int, isNew: Bool, seller: String, city: String?) {
        (self.id, self.title, self.price, self.stock) = (id, title, price, stock)
        (self.isNew, self.seller, self.city) = (isNew, seller, city)
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        title = try row.read(String.self)
        price = try row.read(Double.self)
        stock = try row.read(Int.self)
        isNew = try row.read(Bool.self)
        seller = try row.read(String.self)
        city = try row.read(String?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(title)
        row.write(price)
        row.write(stock)
        row.write(isNew)
        row.write(seller)
        row.write(city)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

/// The type that a program writes for `JSONDecoder`.
struct ListingDTO: Decodable {
    struct Flags: Decodable { var new: Bool? }
    struct Seller: Decodable {
        var name: String
        var city: String?
    }

    var id: Int
    var title: String
    var price: Double
    var stock: Int?
    var flags: Flags?
    var seller: Seller

    var model: Listing {
        Listing(
            id: id, title: title, price: price, stock: stock ?? 0, isNew: flags?.new ?? false, seller: seller.name,
            city: seller.city)
    }
}

struct ListingPage: Decodable {
    struct Content: Decodable { var items: [ListingDTO] }
    var data: Content
}
