import Foundation

/// A checksum of values in their order, field by field, as the C side makes it.
struct Checksum {
    private(set) var value: UInt64 = 0

    mutating func add(_ number: Int) { mix(UInt64(bitPattern: Int64(number))) }

    mutating func add(_ number: Double) { mix(number.bitPattern) }

    mutating func add(_ text: String) {
        for byte in text.utf8 { mix(UInt64(byte)) }
        add(text.utf8.count)
    }

    mutating func add(_ data: Data?) {
        for byte in data ?? Data() { mix(UInt64(byte)) }
        add(data?.count ?? 0)
    }

    private mutating func mix(_ word: UInt64) { value = (value ^ word) &* 0x100_0000_01b3 }
}

/// A value whose fields a checksum takes.
protocol Summed {
    func add(to sum: inout Checksum)
}

extension Array where Element: Summed {
    var checksum: UInt64 {
        var sum = Checksum()
        for element in self { element.add(to: &sum) }
        return sum.value
    }
}

extension Item: Summed {
    func add(to sum: inout Checksum) {
        sum.add(id)
        sum.add(first)
        sum.add(second)
        sum.add(third)
        sum.add(label)
    }
}

extension Purchase: Summed {
    func add(to sum: inout Checksum) {
        sum.add(id)
        sum.add(customer)
        sum.add(placed)
        sum.add(total)
        sum.add(address.street)
        sum.add(address.city)
        sum.add(address.zip)
        for line in lines {
            sum.add(line.article)
            sum.add(line.title)
            sum.add(line.quantity)
            sum.add(line.price)
        }
    }
}

/// The record in whatever type a way keeps it in.
protocol RecordShape: Summed, Sendable {
    var id: Int { get }
    var name: String { get }
    var age: Int { get }
    var height: Double { get }
    var photo: Data? { get }
    var tags: String { get }
    init(id: Int, name: String, age: Int, height: Double, photo: Data?, tags: String)
}

extension RecordShape {
    func add(to sum: inout Checksum) {
        sum.add(id)
        sum.add(name)
        sum.add(age)
        sum.add(height)
        sum.add(photo)
        sum.add(tags)
    }

    init(_ record: Record) {
        self.init(
            id: record.id, name: record.name, age: record.age, height: record.height, photo: record.photo,
            tags: record.tags)
    }

    /// The value that streams and lookups add up, so that no record is skipped.
    var sum: Int64 { Int64(id + name.utf8.count) }
}

extension Record: RecordShape {}
