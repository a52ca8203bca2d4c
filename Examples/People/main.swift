// The example of the README, with what its comments say checked line by line. Run it with:
// swift run PeopleExample [PATH]

import Foundation
import SQLiteBackend
import StorageKit

@Storable struct City: Equatable {
    var id: Int
    var cityName: String
    var spell: String
}

@Storable struct Pen: Equatable {
    var id: Int
    var color: String
    var price: Double
}

@Storable struct Person: Equatable {
    var id: Int  // the key
    @Indexed var name: String
    var age = 0
    var height = 0.0
    var photo: Data?
    var tags: [String] = []
    var dreams: [Data] = []
    var city: City?  // owned child: cascades
    var pens: [Pen] = []  // owned children, in order
}

/// Stops the example where a line does not do what it says.
func expect(_ condition: Bool, _ fact: String) {
    print(condition ? "ok      \(fact)" : "WRONG   \(fact)")
    if !condition { exit(1) }
}

let path = CommandLine.arguments.dropFirst().first ?? NSTemporaryDirectory() + "people-\(UUID().uuidString).db"
let store = try await Store(SQLiteBackend(path: path), models: Person.self)
try await store.truncate(Person.self)

let person = Person(
    id: 7, name: "Zhang", age: 30, height: 1.75, photo: Data([1, 2, 3]), tags: ["a,b", ""], dreams: [Data()],
    city: City(id: 1, cityName: "成都", spell: "Chengdu"),
    pens: [Pen(id: 1, color: "red", price: 9.5), Pen(id: 1, color: "blue", price: 12)])
let other = Person(id: 8, name: "Liu", age: 41, city: City(id: 1, cityName: "重庆", spell: "Chongqing"))

try await store.insert(person)  // or insert([…]); returns the stored model(s)
expect(try await store.find(Person.self, key: 7) == person, "insert stores the whole graph")
do {
    try await store.insert(person)
    expect(false, "a second insert throws")
} catch {
    expect(error.code == .duplicateKey, "a second insert throws duplicateKey")
}

var changed = person
changed.pens.removeFirst()
changed.city = nil
try await store.save(changed)  // upsert
expect(try await store.find(Person.self, key: 7) == changed, "save stores exactly this value, children included")
try await store.update(person)
expect(try await store.find(Person.self, key: 7) == person, "update replaces a stored record")
expect(try await store.delete(person) == 1, "delete says how many went")
expect(try await store.delete(Person.self, key: 7) == 0, "a missing key is no error")

try await store.insert([person, other])
expect(try await store.delete(Person.self).where { $0.age >= 40 }.run() == 1, "delete by a condition")
expect(
    try await store.update(Person.self).where { $0.age < 31 }.set(\.age, to: 31).run() == 1, "update by a condition")
let one = try await store.find(Person.self, key: 7)  // Person?
expect(one?.age == 31, "a partial update sets what it names")

let some = try await store.select(Person.self)
    .where { $0.age >= 28 && $0.city.spell.hasPrefix("Cheng") && $0.pens.any { $0.price > 9 } }
    .order { $0.age.descending }.order { $0.name }
    .limit(10).offset(0)
    .all()  // also first(), count(), exists(), keys(), stream(), sum/min/max/average { $0.age }
expect(some.map(\.id) == [7], "select by the person's, the city's and the pens' properties")
expect(try await store.select(Person.self).sum { $0.age } == 31, "sum")
var streamed = 0
for try await person in store.select(Person.self).stream() { streamed += person.pens.count }
expect(streamed == 2, "stream")

let total = try await store.transaction { tx in
    try tx.save(person)
    try tx.savepoint { try tx.insert(other) }
    return try tx.select(Person.self).count()
}
expect(total == 2, "a transaction sees its own writes")
let snapshot = try await store.read { tx in
    (try tx.select(Person.self).count(), try tx.find(Person.self, key: 8)?.city?.cityName)
}
expect(snapshot == (2, "重庆"), "a read block is one snapshot")
let n = try store.blocking.select(Person.self).count()  // the same calls without async, under a name that says so
expect(n == 2, "blocking")
try await store.close()
print("\nThe database is \(path). Look into it with:\nsqlite3 \(path) '.schema' 'SELECT * FROM Person_pens'")
