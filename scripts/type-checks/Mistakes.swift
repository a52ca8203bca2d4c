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
