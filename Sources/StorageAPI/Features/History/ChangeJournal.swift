import StorageDriver

/// The changes of a transaction since its first mark, each with the record before it.
///
/// Only the thread that runs the transaction uses it.
final class ChangeJournal {
    struct Step {
        let model: StoredName
        /// The record's key; nil if any record of the model may have changed.
        let key: [Value]?
        let kind: ChangeKind
        let before: RecordImage?
        let byRule: Bool
    }

    private(set) var steps: [Step] = []
    private var savepoints: [Int] = []
    /// The number of steps at each mark.
    private var marks: [Int] = []

    /// Marks this place; returns the mark's number.
    func mark() -> Int {
        marks.append(steps.count)
        return marks.count - 1
    }

    func steps(since mark: Int) -> ArraySlice<Step> {
        steps[(marks.indices.contains(mark) ? marks[mark] : 0)...]
    }

    func add(_ kind: ChangeKind, _ key: [Value]?, of model: StoredName, before: RecordImage?, byRule: Bool) {
        steps.append(Step(model: model, key: key, kind: kind, before: before, byRule: byRule))
    }

    func beginSavepoint() { savepoints.append(steps.count) }

    func endSavepoint(isUndone: Bool) {
        // A savepoint that is older than the first mark takes all of it with it.
        let start = savepoints.popLast() ?? 0
        guard isUndone else { return }
        steps.removeSubrange(start...)
        for mark in marks.indices { marks[mark] = min(marks[mark], start) }
    }
}
