// The example of the README: scripts/check-documents compares the two. It makes people.db in the current folder.
// swift run ReadmeExample

// README-BEGIN
import SQLiteBackend
import StorageKit

@Storable struct Pen {
    var color: String
    var price: Double
}

@Storable struct Person {
    var id: Int  // the key
    @Indexed var name: String
    var age = 0
    var pens: [Pen] = []  // owned: saved, loaded and deleted with it
}

let store = try await Store(
    SQLiteBackend(path: "people.db"), models: Person.self)

// One call saves the person and both pens, or nothing.
let pens = [Pen(color: "red", price: 9.5), Pen(color: "blue", price: 12)]
try await store.save(Person(id: 7, name: "Zhang", age: 30, pens: pens))

// The compiler checks conditions, and the engine evaluates them.
let found = try await store.select(Person.self)
    .where { $0.age >= 28 && $0.pens.any { $0.price > 9 } }
    .order { $0.name }
    .all()
print(found.map(\.name))  // ["Zhang"]

// A partial update changes records without loading them.
try await store.update(Person.self)
    .where { $0.age < 31 }
    .set(\.age) { $0.age + 1 }
    .run()

// A query can be followed: this gives the people now and after each change.
for try await people in store.select(Person.self).values() {
    print(people.map(\.age))  // [31]
    break
}
try await store.close()
// README-END

precondition(found.map(\.name) == ["Zhang"] && found.map(\.pens.count) == [2])
