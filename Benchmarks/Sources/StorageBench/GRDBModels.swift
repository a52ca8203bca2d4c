import Foundation
import GRDB

// Codable records, which GRDB encodes and decodes by name. Record and Item are Codable by the compiler's synthesis.
extension Record: FetchableRecord, PersistableRecord {}
extension Item: FetchableRecord, PersistableRecord {}

/// A record whose conformance is written by hand, reading columns by position as GRDB's guide to performance says.
struct PlainRecord: RecordShape, FetchableRecord, PersistableRecord {
    static let databaseTableName = "Record"
    var id: Int
    var name: String
    var age: Int
    var height: Double
    var photo: Data?
    var tags: String

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["age"] = age
        container["height"] = height
        container["photo"] = photo
        container["tags"] = tags
    }
}

extension PlainRecord {
    init(row: Row) {
        self.init(id: row[0], name: row[1], age: row[2], height: row[3], photo: row[4], tags: row[5])
    }
}

protocol ItemShape: Summed, Sendable {}
extension Item: ItemShape {}

struct PlainItem: ItemShape, FetchableRecord, PersistableRecord {
    static let databaseTableName = "Item"
    let item: Item

    init(row: Row) { item = Item(id: row[0], first: row[1], second: row[2], third: row[3], label: row[4]) }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = item.id
        container["first"] = item.first
        container["second"] = item.second
        container["third"] = item.third
        container["label"] = item.label
    }

    func add(to sum: inout Checksum) { item.add(to: &sum) }
}

// MARK: The graph

/// The rows of a purchase with their associations.
struct PurchaseRow: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "Purchase"
    static let address = hasOne(AddressRow.self, using: ForeignKey(["purchase"])).forKey("address")
    static let lines = hasMany(LineRow.self, using: ForeignKey(["purchase"])).forKey("lines")
    var id: Int
    var customer: String
    var placed: Int
    var total: Double
}

struct AddressRow: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "Address"
    var purchase: Int
    var street: String
    var city: String
    var zip: Int
}

struct LineRow: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "Line"
    var purchase: Int
    var position: Int
    var article: Int
    var title: String
    var quantity: Int
    var price: Double
}

/// A purchase as GRDB's prefetching requests load it.
struct PurchaseInfo: Codable, FetchableRecord, Summed, Sendable {
    var purchase: PurchaseRow
    var address: AddressRow
    var lines: [LineRow]

    init(_ model: Purchase) {
        purchase = PurchaseRow(id: model.id, customer: model.customer, placed: model.placed, total: model.total)
        let address = model.address
        self.address = AddressRow(purchase: model.id, street: address.street, city: address.city, zip: address.zip)
        lines = model.lines.enumerated().map { place, line in
            LineRow(
                purchase: model.id, position: place, article: line.article, title: line.title,
                quantity: line.quantity, price: line.price)
        }
    }

    func add(to sum: inout Checksum) {
        Purchase(
            id: purchase.id, customer: purchase.customer, placed: purchase.placed, total: purchase.total,
            address: Address(zip: address.zip, street: address.street, city: address.city),
            lines: lines.map { Line(article: $0.article, title: $0.title, quantity: $0.quantity, price: $0.price) }
        ).add(to: &sum)
    }
}
