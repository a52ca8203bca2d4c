import StorageDriver

/// Numbers keys in the order in which they come.
struct KeyIndex {
    /// The keys by their numbers, each once.
    private(set) var keys: KeyList
    // No array need be made for an integer, as most keys are.
    private var integers: [Int64: Int] = [:]
    private var others: [[Value]: Int] = [:]

    /// - Parameters:
    ///   - width: the number of parts of each key.
    ///   - most: the maximum number of keys.
    init(width: Int, most: Int) {
        keys = KeyList(width: width)
        integers.reserveCapacity(most)
    }

    /// The keys in their order if they are integers: engines find them faster then.
    var sortedKeys: KeyList {
        guard others.isEmpty, keys.width == 1 else { return keys }
        return KeyList(ValueList(width: 1, values: integers.keys.sorted().map(Value.int)))
    }

    var count: Int { keys.count }

    /// The number of the key in a row's cells, which is a new one if the key has not come yet.
    mutating func number(of row: UnsafePointer<Cell>, _ cells: [Int]) -> Int {
        if let known = known(row, cells) { return known }
        let number = count
        if keys.width == 1, row[cells[0]].tag == .int {
            integers[row[cells[0]].int] = number
            keys.append(single: .int(row[cells[0]].int))
        } else {
            others[cells.map { row[$0].value }] = number
            keys.append(cells, of: row)
        }
        return number
    }

    /// The number of the key in a row's cells; nil if the key has not come.
    func known(_ row: UnsafePointer<Cell>, _ cells: [Int]) -> Int? {
        if keys.width == 1, row[cells[0]].tag == .int { return integers[row[cells[0]].int] }
        return others.isEmpty ? nil : others[cells.map { row[$0].value }]
    }
}
