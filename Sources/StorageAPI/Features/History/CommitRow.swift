import StorageDriver

/// A commit of a store's history, as its row has it.
struct CommitRow: Equatable {
    let number: Int64
    /// The time in seconds since the reference date.
    let time: Double
    var author: String?
    var note: String?
    var origin = Store.Origin.call
    /// A number that no other commit with this one's number has, of a store that was restored or copied as a file; nil in
    /// rows of the first format.
    var mark: Int64?

    /// The columns of the first format are the first four.
    static let table = OwnTable(
        "commits", name: "storage_history_commits",
        ["number": .int64, "time": .date, "author": .string, "note": .string, "origin": .string, "mark": .int64],
        optional: ["author", "note", "origin", "mark"])
    private static let firstColumns = 4
    private static let allColumns = 6

    /// Returns whether a store has the columns of the first format, in which every commit is a call.
    static func isFirstFormat(_ table: TableSchema) -> Bool { table.columns.count <= firstColumns }

    /// The values of a row.
    ///
    /// Numbers are stored as negative ones: the first in key order is the last commit, which every write asks for.
    func values(for table: TableSchema) -> [Value] {
        let first: [Value] = [.int(-number), .double(time), .value(author), .value(note)]
        if Self.isFirstFormat(table) { return first }
        return first + [.value(origin.recorded), mark.map(Value.int) ?? .null]
    }

    /// - Throws: `corrupt` for cells that no such row has.
    init(_ cells: UnsafePointer<Cell>, of table: TableSchema) throws(StorageError) {
        guard cells[0].tag == .int, cells[0].int < 0, cells[0].int > Int64.min, cells[1].tag == .double else {
            throw Self.damaged
        }
        self.init(number: -cells[0].int, time: cells[1].double, author: cells[2].value.text, note: cells[3].value.text)
        guard !Self.isFirstFormat(table) else { return }
        guard table.columns.count >= Self.allColumns else { throw Self.damaged }
        guard let origin = Store.Origin(recorded: cells[4].value.text) else { throw Self.damaged }
        self.origin = origin
        mark = cells[5].tag == .int ? cells[5].int : nil
    }

    init(number: Int64, time: Double, author: String?, note: String?) {
        (self.number, self.time, self.author, self.note) = (number, time, author, note)
    }

    private static var damaged: StorageError {
        StorageError(.corrupt, "A commit of the store's history cannot be read; restore a backup.")
    }

    /// Tells this commit from others of its number: the mark, or a digest of a row without one.
    var digest: UInt64 {
        if let mark { return UInt64(bitPattern: mark) }
        // The 64-bit FNV-1a digest (draft-eastlake-fnv).
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        let bytes = RecordImage.bytes(of: [.int(number), .double(time), .value(author), .value(note)])
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return digest
    }
}

/// Makes the marks of an open store's commits: the numbers of another open store differ, whatever its commits are.
struct CommitMarks: Sendable {
    private let seed = UInt64.random(in: 0...UInt64.max)

    /// The mark of a commit. SplitMix64 spreads the numbers (https://prng.di.unimi.it/splitmix64.c).
    func mark(of commit: Int64) -> Int64 {
        var bits = seed &+ UInt64(bitPattern: commit) &* 0x9e37_79b9_7f4a_7c15
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return Int64(bitPattern: bits ^ bits >> 31)
    }
}

extension Value {
    fileprivate static func value(_ text: String?) -> Value { text.map(Value.text) ?? .null }

    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
