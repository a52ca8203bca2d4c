internal import StorageDriver

/// The rows of a recursion by their owner's number, for one record.
struct NodeIndex {
    private struct Owner: Hashable {
        let table: Int
        let number: Int64
    }

    private struct Chain {
        var first: Int
        var last: Int
    }

    private var chains: [Owner: Chain] = [:]
    /// For each table and row the next row of the same owner, or -1.
    private var following: [[Int]] = []

    mutating func build(_ record: RecordRows, _ layout: RecordLayout) {
        chains.removeAll(keepingCapacity: true)
        following = Array(repeating: [], count: layout.tables.count)
        for (index, table) in layout.tables.enumerated() {
            guard let columns = table.nodeColumns, record.tables[index].count > 0 else { continue }
            following[index] = Array(repeating: -1, count: record.tables[index].count)
            for row in 0..<record.tables[index].count {
                let parent = record.tables[index].cells[row * table.width + columns.parent].int
                append(row, to: Owner(table: index, number: parent))
            }
        }
    }

    private mutating func append(_ row: Int, to owner: Owner) {
        if let last = chains[owner]?.last {
            following[owner.table][last] = row
            chains[owner]?.last = row
        } else {
            chains[owner] = Chain(first: row, last: row)
        }
    }

    func first(in table: Int, ownedBy number: Int64) -> Int? {
        chains[Owner(table: table, number: number)]?.first
    }

    mutating func removeFirst(in table: Int, ownedBy number: Int64) {
        let owner = Owner(table: table, number: number)
        guard let first = chains[owner]?.first else { return }
        let next = following[table][first]
        if next >= 0 { chains[owner]?.first = next } else { chains[owner] = nil }
    }
}
