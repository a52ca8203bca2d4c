/// The tables of an index: rows of bytes under numbers.
package enum SearchTable: Int, CaseIterable, Sendable {
    /// A row for each commit that has not become part of a segment.
    case pending
    /// A row for each segment, row 0 for a merge and row −1 for a build that is under way.
    case segments
    /// The blocks of segments, of at most ``SegmentFormat/blockSize`` bytes.
    case blocks
}

/// The tables that an index is kept in, as they are in one transaction.
///
/// Reads see earlier writes. The storage undoes the writes of an undone transaction.
package protocol SearchStorage: BlockSource {
    /// True if each call waits for a server, so that rows which may be needed are read together.
    var waitsForServer: Bool { get }
    func row(_ table: SearchTable, _ number: Int) throws(SearchFailure) -> [UInt8]?
    /// Calls `body` for the rows of a range, by ascending number. Nothing is written meanwhile.
    func rows(
        _ table: SearchTable, _ range: ClosedRange<Int>, _ body: (Int, [UInt8]) throws(SearchFailure) -> Void
    ) throws(SearchFailure)
    /// The rows that have one of the numbers, in any order. Repeated numbers give a row once.
    func rows(_ table: SearchTable, _ numbers: [Int]) throws(SearchFailure) -> [(number: Int, bytes: [UInt8])]
    /// Calls `body` for the numbers of a range that have rows, ascending, at most so many.
    func numbers(
        _ table: SearchTable, _ range: ClosedRange<Int>, limit: Int, _ body: (Int) -> Void
    ) throws(SearchFailure)
    /// The greatest number that has a row.
    func last(_ table: SearchTable) throws(SearchFailure) -> Int?
    /// Stores a row, in the place of one that has the number.
    func put(_ table: SearchTable, _ number: Int, bytes: [UInt8]) throws(SearchFailure)
    func remove(_ table: SearchTable, _ range: ClosedRange<Int>) throws(SearchFailure)
}

/// A failure of an index.
package enum SearchFailure: Error {
    /// Stored bytes are not what an index writes. The index has to be recreated.
    case corrupt(String)
    /// The index is still being made.
    case unfinished
    /// An error of the storage.
    case storage(any Error)
}

extension SearchStorage {
    package var waitsForServer: Bool { false }
}
