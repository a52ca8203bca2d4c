import StorageDriver

/// The records of a model that commits after one have changed, in the order of their keys, each with the place of its first
/// change, which has the record before it. Holds their keys. Used by one thread.
final class ChangedRecords {
    struct Record {
        /// The first of its cells.
        let cell: Int
        let commit: Int64
        /// The place of the change in its commit; 0 if no record existed before it.
        let place: Int64
    }

    let model: StoredName
    /// The number of parts of each key.
    let width: Int
    private(set) var records: [Record] = []
    private var cells: [Cell] = []
    private var arena = Arena()

    init(_ model: StoredName, width: Int) { (self.model, self.width) = (model, width) }

    fileprivate func add(_ change: HistoryChange) {
        let place = change.kind == .inserted ? 0 : change.place
        records.append(Record(cell: cells.count, commit: change.commit, place: place))
        for value in change.key { cells.append(arena.cell(for: value)) }
    }

    fileprivate func sort() {
        records.sort { left, right in
            for part in 0..<width {
                let order = cells[left.cell + part].keyOrder(to: cells[right.cell + part])
                if order != .same { return order == .before }
            }
            return false
        }
    }

    func key(of index: Int) -> [Value] { (0..<width).map { cells[records[index].cell + $0].value } }

    /// The order of a record's key to the key in some cells of a row.
    func order(of index: Int, to row: UnsafePointer<Cell>, _ key: [Int]) -> ValueOrder {
        for part in 0..<width {
            let order = cells[records[index].cell + part].keyOrder(to: row[key[part]])
            if order != .same { return order }
        }
        return .same
    }

    /// The changed records of models, by model, after a commit.
    ///
    /// Reads each later entry once.
    ///
    /// - Parameter widths: the number of parts of the models' keys, by model.
    /// - Throws: `notKept` for a change without the record before it; `schemaMismatch` for one of a model that is gone, unless
    ///   only some models are asked for.
    static func after(
        _ commit: Int64, of widths: [StoredName: Int], stored: Set<StoredName>, isWhole: Bool,
        in history: HistoryReading
    ) throws(StorageError) -> [StoredName: ChangedRecords] {
        var found: [StoredName: ChangedRecords] = [:]
        var seen: [StoredName: Set<[Value]>] = [:]
        var position = (commit: commit, place: Int64.max)
        while true {
            let part = try history.changes(after: position.commit, position.place, of: nil)
            guard let last = part.last else { break }
            position = (last.commit, last.place)
            for change in part {
                guard let width = widths[change.model] else {
                    if isWhole, change.before != nil, !stored.contains(change.model) { throw gone(change) }
                    continue
                }
                guard seen[change.model, default: []].insert(change.key).inserted else { continue }
                guard change.key.count == width, change.kind == .inserted || change.before != nil else {
                    throw notKept(change, commit)
                }
                let records = found[change.model] ?? ChangedRecords(change.model, width: width)
                found[change.model] = records
                records.add(change)
            }
        }
        for records in found.values { records.sort() }
        return found
    }

    private static func gone(_ change: HistoryChange) -> StorageError {
        StorageError(
            .schemaMismatch,
            "The store had records of \(change.model) then, and no longer has the model. Name the models to copy.",
            model: change.model)
    }

    private static func notKept(_ change: HistoryChange, _ commit: Int64) -> StorageError {
        StorageError(
            .notKept,
            "The history has no records of \(change.model) as they were before commit \(change.commit), so not all are known as of "
                + "commit \(commit).", model: change.model)
    }
}
