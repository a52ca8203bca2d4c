/// A source of the blocks of segments.
package protocol BlockSource {
    func block(_ number: Int) throws(SearchFailure) -> [UInt8]?
}

extension SearchStorage {
    package func block(_ number: Int) throws(SearchFailure) -> [UInt8]? { try row(.blocks, number) }
}

/// Reads blocks, several at once where it is known that they are needed: a query of an engine takes longer than a block.
final class BlockReader<Storage: SearchStorage>: BlockSource {
    private let storage: Storage
    private var ahead: [Int: [UInt8]] = [:]
    /// The number of blocks that are read at once, which bounds the memory for them.
    static var most: Int { 64 }

    init(_ storage: Storage) { self.storage = storage }

    func block(_ number: Int) throws(SearchFailure) -> [UInt8]? {
        if !ahead.isEmpty, let bytes = ahead[number] { return bytes }
        return try storage.block(number)
    }

    /// Reads blocks that are asked for soon, the first ``most`` of them. Forgets those of the last call.
    func readAhead(_ numbers: [Int], most: Int = most) throws(SearchFailure) {
        ahead.removeAll()
        guard numbers.count > 1 else { return }
        let first = numbers.count > most ? Array(numbers.prefix(most)) : numbers
        for (number, bytes) in try storage.rows(.blocks, first) { ahead[number] = bytes }
    }
}
