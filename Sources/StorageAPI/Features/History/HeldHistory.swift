import StorageDriver

/// A hold: the commits after one stay, whatever the history's limit is, until the hold is released.
struct HeldHistory: OwnRow, Equatable {
    let name: String
    /// The last commit that its reader has seen.
    let commit: Int64
    /// The time at which it was set, in seconds since the reference date.
    let time: Double

    static let table = OwnTable(
        "holds", name: "storage_history_holds", ["name": .string, "commit": .int64, "time": .date])

    var values: [Value] { [.text(name), .int(commit), .double(time)] }

    /// The most bytes of UTF-8 that a name may have.
    static let mostBytes = 255

    /// - Throws: `invalidValue` for a name that no hold can have.
    static func check(_ name: String) throws(StorageError) {
        guard !name.isEmpty, name.utf8.count <= mostBytes else {
            throw StorageError(.invalidValue, "The name of a hold has 1 to \(mostBytes) bytes of UTF-8.")
        }
    }
}

extension HeldHistory {
    init(_ cells: UnsafePointer<Cell>) throws(StorageError) {
        guard case .text(let name) = cells[0].value, cells[1].tag == .int, cells[2].tag == .double else {
            throw StorageError(.corrupt, "A hold of the store's history cannot be read; restore a backup.")
        }
        self.init(name: name, commit: cells[1].int, time: cells[2].double)
    }
}

/// The holds of a history, as one session reads and changes them.
struct Holds {
    private let history: HistoryReading

    init(_ history: HistoryReading) { self.history = history }

    /// The holds in the order of their names.
    var all: [HeldHistory] {
        get throws(StorageError) { try HeldHistory.all(among: history.session.tables(), in: history.session) }
    }

    /// Lets go the holds that keep more than is allowed.
    ///
    /// - Returns: the least commit after which the rest holds the history, nil for none; and the holds that were let go.
    func settle(
        by limit: HistorySettings.Retention?, last: Int64, now: Double, in writer: any StorageWriter,
        _ directory: ModelDirectory
    ) throws(StorageError) -> (first: Int64?, released: [HeldHistory]) {
        var released: [HeldHistory] = []
        var first: Int64?
        for hold in try all {
            // The held history begins with the commit after the hold's.
            var held: CommitRow?
            if hold.commit < last { held = try history.commit(hold.commit + 1) }
            // Of a hold that is damaged, all that is kept counts.
            if hold.commit < last, held == nil { held = try history.first }
            if let limit, let held, limit.isBeyond(held, last: last, now: now) {
                released.append(hold)
            } else {
                first = min(first ?? hold.commit, hold.commit)
            }
        }
        try remove(released, in: writer, directory)
        return (first, released)
    }

    func remove(
        _ holds: [HeldHistory], in writer: any StorageWriter, _ directory: ModelDirectory
    ) throws(StorageError) {
        guard !holds.isEmpty, let table = HeldHistory.table.find(in: try writer.tables()) else { return }
        try writer.write(holds.map { .text($0.name) }, directory.ownPlan(.delete, of: table, columns: table.key))
    }
}
