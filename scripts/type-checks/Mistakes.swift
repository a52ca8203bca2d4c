// Each line has one mistake, and says what the compiler has to answer.
import StorageAPI

func mistakes(_ store: Store) {
    _ = store.select(Item.self).where { $0.numbre > 3 && $0.flag }  // has no member 'numbre'
    _ = store.select(Item.self).where { $0.flag && $0.number == "a" && $0.price < 2 }  // cannot be applied to operands
    _ = store.select(Item.self).where { $0.flag && $0.number.hasPrefix("a") }  // requires that 'Int' conform to 'TextValue'
    _ = store.select(Item.self).where { $0.flag && $0.name + 1 > 3 }  // cannot convert value of type
    _ = store.select(Item.self).where { $0.flag && $0.parts.any { $0.numbre == 1 } }  // has no member 'numbre'
    _ = store.select(Item.self).order { $0.tags }  // cannot convert value of type
}

// What Swift offers on values and a query does not: the compiler names the mistake and the way out.
func likeSwift(_ store: Store, _ none: Int?, _ mean: Double) {
    _ = store.select(Item.self).where { $0.parts.contains { $0.number == 1 } }  // a condition on some child is any
    _ = store.select(Item.self).where { $0.flag && $0.parts.allSatisfy { $0.number == 1 } }  // a condition on every child is all
    _ = store.select(Item.self).where { $0.name.lowercased() == "a" }  // ignore case in the comparison
    _ = store.select(Item.self).where { $0.flag && $0.name.uppercased().hasPrefix("A") }  // ignore case in the comparison
    _ = store.select(Item.self).order { $0.name.lowercased() }  // ignore case in the comparison
    _ = store.select(Item.self).where { $0.name == nil }  // the property is not Optional, so it is never nil
    _ = store.select(Item.self).where { $0.flag && $0.number != nil }  // the property is not Optional, so it is never nil
    _ = store.select(Item.self).where { $0.parts == nil }  // the property is not Optional, so it is never nil
    _ = store.select(Item.self).where { $0.number == none }  // the value is Optional and the property is not
    _ = store.select(Item.self).where { $0.flag && $0.number != none && $0.price < 2 }  // the value is Optional and the property is not
    _ = store.select(Item.self).where { $0.number > none }  // the value is Optional and the property is not
    _ = store.select(Item.self).where { $0.maybe > 3.5 && $0.flag }  // the property is an integer
    _ = store.select(Item.self).where { $0.number > 3.5 }  // the property is an integer
    _ = store.select(Item.self).where { $0.flag && $0.number <= mean }  // the property is an integer
    _ = store.select(Item.self).where { $0.number == 3.5 || $0.flag }  // the property is an integer
}

// What is built and not run does nothing.
func forgotten(_ store: Store, _ tx: inout Store.Transaction) {
    do { store.update(Item.self).where { $0.number > 3 }.set(\.number, to: 1) }  // is unused
    do { store.delete(Item.self).where { $0.number > 3 } }  // is unused
    do { tx.update(Item.self).set(\.number) { $0.number + 1 } }  // is unused
    do { store.select(Item.self).where { $0.number > 3 } }  // is unused
}

// A type without a key has no records of its own.
func keyless(_ store: Store, _ tx: inout Store.Transaction, _ part: Part) async throws {
    do { try await store.insert(part) }  // a type without a key has no records
    do { _ = try await store.save([part]) }  // a type without a key has no records
    do { try tx.save(part) }  // a type without a key has no records
}

// A session belongs to the thread of its body, so no builder on it may go to another task.
func leaving(_ tx: inout Store.Transaction, _ snapshot: inout Store.Snapshot) {
    sent { tx.select(Item.self) }  // does not conform to the 'Sendable' protocol
    sent { tx.update(Item.self) }  // does not conform to the 'Sendable' protocol
    sent { tx.delete(Item.self) }  // does not conform to the 'Sendable' protocol
    sent { tx.records("Item") }  // does not conform to the 'Sendable' protocol
    sent { snapshot.select(Item.self) }  // does not conform to the 'Sendable' protocol
    sent { snapshot.select(Item.self).only { $0.number } }  // does not conform to the 'Sendable' protocol
    sent { snapshot.select(Item.self).group { $0.number } }  // does not conform to the 'Sendable' protocol
    sent { snapshot.select(Item.self).withoutChildren() }  // does not conform to the 'Sendable' protocol
}

func sent<T: Sendable>(_ make: () -> T) {}
