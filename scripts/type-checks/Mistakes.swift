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
