// The example of the README: scripts/check-documents compares the two. It makes people.db in the current folder.
// swift run ReadmeExample

// README-BEGIN
import SQLiteBackend
import StorageKit

@Storable struct Pen {
    var id: Int
    var color: String
    var price: Double
}

@Storable struct Person {
    var id: Int  // the key
    @Indexed var name: String
    var age = 0
    var pens: [Pen] = []  // owned: stored, loaded and deleted with the person, in order
}

let store = try await Store(SQLiteBackend(path: "people.db"), models: Person.self)
let pens = [Pen(id: 1, color: "red", price: 9.5), Pen(id: 2, color: "blue", price: 12)]
try await store.save(Person(id: 7, name: "Zhang", age: 30, pens: pens))  // the person and both pens, or nothing
try await store.update(Person.self).where { $0.age < 31 }.set(\.age, to: 31).run()
let some = try await store.select(Person.self)
    .where { $0.age >= 28 && $0.pens.any { $0.price > 9 } }.order { $0.name }.limit(10).all()
print(some.map(\.name), some.map(\.pens.count))  // ["Zhang"] [2]
try await store.delete(Person.self, key: 7)  // the pens go with their owner
try await store.close()
// README-END

precondition(some.map(\.name) == ["Zhang"] && some.map(\.pens.count) == [2] && some.map(\.age) == [31])
