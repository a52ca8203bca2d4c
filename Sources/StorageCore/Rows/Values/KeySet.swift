import StorageDriver

/// The keys of records, each once and in the order in which they came.
package struct KeySet {
    private var values: [Value] = []
    private var keys: Set<[Value]> = []

    package init() {}

    /// Adds a key; returns whether it is new.
    package mutating func insert(_ key: [Value]) -> Bool {
        guard keys.insert(key).inserted else { return false }
        values += key
        return true
    }

    /// The keys, each of so many parts, in the order in which they came.
    func list(width: Int) -> ValueList { ValueList(width: width, values: values) }

    package func contains(_ key: [Value]) -> Bool { keys.contains(key) }
}
