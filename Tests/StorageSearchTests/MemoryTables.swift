import StorageSearch

/// The tables of an index in memory.
final class MemoryTables: SearchStorage {
    var tables: [SearchTable: [Int: [UInt8]]] = [:]
    /// The rows that were read and written.
    var reads = 0
    /// The calls that read.
    var queries = 0
    var writes = 0
    /// True if the index reads ahead.
    var waitsForServer = false

    func row(_ table: SearchTable, _ number: Int) -> [UInt8]? {
        queries += 1
        reads += 1
        return tables[table]?[number]
    }
    private func found(_ table: SearchTable, _ range: ClosedRange<Int>) -> [Int] {
        let rows = tables[table] ?? [:]
        // A narrow range is looked up, so that a test's time does not grow with what is stored.
        if range.upperBound - range.lowerBound < rows.count { return range.filter { rows[$0] != nil } }
        return rows.keys.filter(range.contains).sorted()
    }
    func rows(
        _ table: SearchTable, _ range: ClosedRange<Int>, _ body: (Int, [UInt8]) throws(SearchFailure) -> Void
    ) throws(SearchFailure) {
        queries += 1
        for number in found(table, range) {
            reads += 1
            try body(number, tables[table]?[number] ?? [])
        }
    }
    func rows(_ table: SearchTable, _ numbers: [Int]) -> [(number: Int, bytes: [UInt8])] {
        queries += 1
        reads += numbers.count
        return Set(numbers).compactMap { number in tables[table]?[number].map { (number, $0) } }
    }
    func numbers(
        _ table: SearchTable, _ range: ClosedRange<Int>, limit: Int, _ body: (Int) -> Void
    ) {
        queries += 1
        for number in found(table, range).prefix(limit) { body(number) }
    }
    func last(_ table: SearchTable) -> Int? {
        queries += 1
        return tables[table]?.keys.max()
    }
    func put(_ table: SearchTable, _ number: Int, bytes: [UInt8]) {
        writes += 1
        tables[table, default: [:]][number] = bytes
    }
    func remove(_ table: SearchTable, _ range: ClosedRange<Int>) {
        for number in found(table, range) { tables[table]?[number] = nil }
    }
}
