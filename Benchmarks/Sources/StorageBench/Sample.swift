import Foundation

/// The data of all ways, the same on every machine and the same as the C side makes.
struct Sample: Sendable {
    let records: [Record]
    let items: [Item]
    let purchases: [Purchase]
    /// Keys to look up, in no order.
    let keys: [Int64]
    /// The lower bounds of pages' ages.
    let pages: [Int]

    init(_ count: Int) {
        records = Self.records(count)
        items = (0..<count).map { Item(id: $0 + 1, first: $0 * 3, second: -$0, third: $0 % 7, label: "item-\($0)") }
        purchases = (0..<count / 10).map(Self.purchase)
        var random = Xorshift()
        keys = (0..<min(count, 20_000)).map { _ in Int64(random.next(below: count)) + 1 }
        pages = (0..<10).map { $0 * 977 % 90_000 }
    }

    /// The maximum number of records on a page, and the width of its range of ages.
    static let page = (limit: 100, width: 500)

    /// The records whose keys the delete of a case names.
    var deleted: Range<Int> { 1..<records.count / 2 + 1 }

    static func records(_ count: Int) -> [Record] { (0..<count).map(record) }

    private static func number(_ i: Int) -> String {
        let digits = String(i)
        return String(repeating: "0", count: max(0, 9 - digits.utf8.count)) + digits
    }

    private static func record(_ i: Int) -> Record {
        Record(
            id: i + 1, name: "Person-" + number(i), age: (i * 7919) % 100_000,
            height: 1.5 + Double((i * 31) % 1000) / 1000,
            photo: i % 8 == 7 ? nil : Data(repeating: UInt8(i & 0xff), count: 64),
            tags: "[\"swift\",\"t\(i % 100)\",\"x\"]")
    }

    private static func purchase(_ i: Int) -> Purchase {
        Purchase(
            id: i + 1, customer: "Person-" + number(i), placed: (i * 7919) % 100_000,
            total: 0.5 + Double(i % 1000) / 8,
            address: Address(zip: 10_000 + i % 90_000, street: "Street-" + number(i), city: "Town-\(i % 100)"),
            lines: (0..<10).map { k in
                Line(
                    article: i * 10 + k, title: "Article-" + number(i * 10 + k), quantity: k * 3 + 1,
                    price: 0.25 * Double(k))
            })
    }
}

/// The amount that a round adds to a number of each record that is written: SQLite writes nothing where a row stays as
/// it is.
protocol Changing {
    func changed(_ round: Int) -> Self
}

extension Record: Changing {
    func changed(_ round: Int) -> Record {
        var record = self
        record.age += round
        return record
    }
}

extension Purchase: Changing {
    func changed(_ round: Int) -> Purchase {
        var purchase = self
        purchase.placed += round
        for index in lines.indices { purchase.lines[index].quantity += round }
        return purchase
    }
}

/// The models that a case writes in one round.
struct Changed: Sendable {
    var records: [Record] = []
    var purchases: [Purchase] = []

    init() {}

    init(_ work: Work, _ sample: Sample, _ round: Int) {
        switch work {
        case .insert, .update, .upsert: records = sample.records.map { $0.changed(round) }
        case .saveEach, .saveEachBlocking:
            records = sample.records.prefix(Work.saves(sample)).map { $0.changed(round) }
        case .insertGraphs, .saveGraphs: purchases = sample.purchases.map { $0.changed(round) }
        default: break
        }
    }
}

struct Xorshift {
    private var state: UInt64 = 88_172_645_463_325_252

    mutating func next(below bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }
}
