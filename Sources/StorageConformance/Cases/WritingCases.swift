internal import StorageAPI

extension Conformance {
    /// W: the verbs that write.
    static let writingCases: [ConformanceCase] = [
        ConformanceCase("write/insert-then-find", [.w1], "What insert returned from is found, equal in every property.") { t in
            let store = try await t.open(Person.self)
            let person = Person(
                id: 7, name: "Zhang", age: 40, height: 1.78, nickname: "Z", isMember: true, tags: ["a", ""],
                city: City(id: 1, name: "Chengdu", spell: "Cheng Du"), pens: [Pen(id: 1, color: "red", price: 9.5)])
            try t.expect(try await store.insert(person), equals: person, "insert returned another record.")
            try t.expect(try await store.find(Person.self, key: 7), equals: person)
            try t.expect(try await store.all(Person.self), equals: [person])
        },
        ConformanceCase("write/insert-existing", [.w1], "insert of an existing key is duplicateKey and changes nothing.") { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1, color: "red", price: 1))
            let error = try await t.expectError(.duplicateKey) { try await store.insert(Pen(id: 1, color: "blue")) }
            try t.expect(error.model, equals: "Pen", "The error does not name the model.")
            try t.expect(error.key, equals: [Value.int(1)], "The error does not name the key.")
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "red", price: 1)])
        },
    ]
}
