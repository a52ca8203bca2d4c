import StorageDriver

/// Merges changed records into a result, and notes the difference.
struct RecordMerge<Model: Storable> {
    private(set) var result: PlacedRecords<Model>
    private(set) var difference = RecordDifference<Model>()
    private let comparison: RecordComparison<Model>?

    init(_ result: PlacedRecords<Model>, _ comparison: RecordComparison<Model>?) {
        self.result = result
        self.comparison = comparison
    }

    private typealias Record = PlacedRecords<Model>.Record

    /// Replaces the records with some keys by the records with these keys that are selected now.
    mutating func replace(_ keys: [[Value]], by records: [PlacedRecords<Model>.Record]) {
        var old: [[Value]: Int] = [:]
        for key in keys { if let index = result.index(of: key) { old[key] = index } }
        var coming: [Record] = []
        // The records that leave their places: they are removed, or placed elsewhere.
        var going: [Int] = []
        var (stays, changed): ([Int], [[Value]]) = ([], [])
        for record in records {
            guard let index = old[record.key] else {
                coming.append(record)
                continue
            }
            stays.append(index)
            if result.isAt(index, record.place) {
                if comparison?.areSame(result.models[index], record.model) == true { continue }
                result.replace(at: index, by: record.model)
            } else {
                going.append(index)
                coming.append(record)
            }
            changed.append(record.key)
        }
        let removed = Set(old.values).subtracting(stays).sorted()
        difference.removed = removed.map { RecordDifference.Removal(offset: $0, record: result.models[$0]) }
        going = (going + removed).sorted()
        // Most changes leave all records where they are.
        if going.isEmpty, coming.isEmpty {
            difference.changed = changed.compactMap { key in
                old[key].map { RecordDifference.Step(from: $0, to: $0) }
            }
            return difference.changed.sort { $0.to < $1.to }
        }
        for index in going.reversed() { result.remove(at: index) }
        coming.sort(by: result.isBefore)
        let placed = coming.map { record in (record, result.insert(record)) }
        noteMoves(placed, from: old, going: going)
        difference.changed = changed.compactMap { key in
            guard let from = old[key], let to = result.index(of: key) else { return nil }
            return RecordDifference.Step(from: from, to: to)
        }
        difference.changed.sort { $0.to < $1.to }
    }

    /// - Parameters:
    ///   - placed: the records that were placed, in their order, and where they are.
    ///   - old: where records were before.
    ///   - going: where records were taken away, ascending.
    private mutating func noteMoves(_ placed: [(Record, Int)], from old: [[Value]: Int], going: [Int]) {
        var still: [RecordDifference<Model>.Step] = []
        for (number, (record, to)) in placed.enumerated() {
            guard let from = old[record.key] else {
                difference.inserted.append(to)
                continue
            }
            let step = RecordDifference<Model>.Step(from: from, to: to)
            // How many of the records that were not touched are before it, then and now.
            let before = from - going.prefix { $0 < from }.count
            if before == to - number { still.append(step) } else { difference.moved.append(step) }
        }
        let fixed = Set(Moves.longestRise(still.map { $0.from }))
        difference.moved += still.indices.filter { !fixed.contains($0) }.map { still[$0] }
        difference.moved.sort { $0.to < $1.to }
    }
}

extension RecordDifference {
    /// Compares two whole results.
    init(from before: PlacedRecords<Model>, to after: PlacedRecords<Model>, _ comparison: RecordComparison<Model>?) {
        var old: [[Value]: Int] = [:]
        old.reserveCapacity(before.count)
        for index in before.models.indices { old[before.key(at: index)] = index }
        var kept: [Step] = []
        for index in after.models.indices {
            if let from = old.removeValue(forKey: after.key(at: index)) {
                kept.append(Step(from: from, to: index))
            } else {
                inserted.append(index)
            }
        }
        removed = old.values.sorted().map { Removal(offset: $0, record: before.models[$0]) }
        let fixed = Set(Moves.longestRise(kept.map { $0.from }))
        moved = kept.indices.filter { !fixed.contains($0) }.map { kept[$0] }
        changed = kept.filter { comparison?.areSame(before.models[$0.from], after.models[$0.to]) != true }
    }
}
