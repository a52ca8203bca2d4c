/// Finds the strings that an archive holds already. Emptying it is free, so that small archives stay cheap.
struct StringTable {
    private struct Entry {
        var generation: UInt32 = 0
        var hash: UInt32 = 0
        var object: UInt32 = 0
    }

    private var entries = [Entry](repeating: Entry(), count: 256)
    private var generation: UInt32 = 1
    private var count = 0
    // Chosen randomly in each process, so that an attacker can't prepare strings that all collide.
    private let seed = UInt64.random(in: 0 ... .max) | 1

    mutating func removeAll() {
        count = 0
        generation &+= 1
        if generation == 0 {
            entries = Array(repeating: Entry(), count: entries.count)
            generation = 1
        }
    }

    @inline(__always)
    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
        var index = 0
        while index &+ 8 <= bytes.count {
            hash = mixed(hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index &+= 8
        }
        hash = mixed(hash ^ bytes.lastWord)
        return UInt32(truncatingIfNeeded: hash)
    }

    @inline(__always)
    private func mixed(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15 ^ seed)
        return product.high ^ product.low
    }

    /// The first of the strings with this hash that `matches` accepts.
    @inline(__always)
    func find(_ hash: UInt32, _ matches: (UInt32) -> Bool) -> UInt32? {
        let mask = entries.count &- 1
        var place = Int(hash) & mask
        while entries[place].generation == generation {
            if entries[place].hash == hash, matches(entries[place].object) { return entries[place].object }
            place = (place &+ 1) & mask
        }
        return nil
    }

    mutating func insert(_ object: UInt32, hash: UInt32) {
        if count * 2 >= entries.count { grow() }
        place(Entry(generation: generation, hash: hash, object: object))
        count += 1
    }

    private mutating func place(_ entry: Entry) {
        let mask = entries.count &- 1
        var place = Int(entry.hash) & mask
        while entries[place].generation == generation { place = (place &+ 1) & mask }
        entries[place] = entry
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: Entry(), count: old.count * 4)
        for entry in old where entry.generation == generation { place(entry) }
    }
}
