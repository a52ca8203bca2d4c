// Twenty mixed terms: has to type-check in few steps.
import StorageAPI

func twentyTerms(_ store: Store, _ uuid: String) -> Select<Item, Store> {
    store.select(Item.self).where {
        $0.number >= 28 && $0.name.hasPrefix("Cheng") && $0.maybe != 3 && $0.price < 2.5 && $0.flag
            && $0.maybe == nil && ($0.number + 1) * 2 - 3 > 10 && $0.tags.contains("x") && $0.tags.count > 2
            && $0.name.contains("b", ignoring: [.case, .diacritics]) && 3 < $0.number && $0.number == $0.maybe
            && $0.number.isIn(1...5) && $0.number.isIn([1, 2, 3]) && !($0.maybe < 5) && -$0.price > 1
            && $0.parts.any { $0.number > 9 && $0.name == "red" } && $0.parts.count { $0.number % 2 == 0 } > 1
            && ($0.maybe + 1 > $0.number || $0.name.like("a*")) && $0.name != uuid
    }
}
