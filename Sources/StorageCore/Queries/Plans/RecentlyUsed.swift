import StorageDriver

/// A cache of the most recently used values. A hit costs the lookup and two stores. The least recently used value is
/// searched for only when a new one must replace it.
package struct RecentlyUsed<Key: Hashable, Value> {
    private final class Entry {
        let value: Value
        var lastUse: UInt64

        init(_ value: Value, use: UInt64) {
            self.value = value
            lastUse = use
        }
    }

    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private let maximum: Int

    package init(maximum: Int) { self.maximum = maximum }

    /// The value for a key.
    ///
    /// - Parameter make: makes it, given the value that it replaces.
    package mutating func value(_ key: Key, _ make: (Value?) -> Value) -> Value {
        uses &+= 1
        if let entry = entries[key] {
            entry.lastUse = uses
            return entry.value
        }
        let value = make(entries.count < maximum ? nil : removeOldest())
        entries[key] = Entry(value, use: uses)
        return value
    }

    private mutating func removeOldest() -> Value? {
        guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return nil }
        entries[oldest.key] = nil
        return oldest.value.value
    }
}
