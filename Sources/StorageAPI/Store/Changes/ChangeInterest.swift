import StorageDriver

/// The detail in which the changes of a model are captured.
enum ChangeDetail: Comparable {
    /// Interest in whether anything changed.
    case any
    /// The keys of the records.
    case keys
    /// The keys, and whether each record is new, changed or gone. To tell, a save must check whether the record was stored
    /// and has changed.
    case kinds
}

/// An interest in changes: of one feature, or the union of all features' interests. A write captures no other changes.
final class ChangeInterest: Sendable {
    /// The interest in every model; nil for none.
    private let all: ChangeDetail?
    /// The interest in single models, by stored name.
    let models: [StoredName: ChangeDetail]

    init(all: ChangeDetail?, models: [StoredName: ChangeDetail]) {
        self.all = all
        self.models = models
    }

    /// Combines the interest of others with every change of some models.
    init(_ others: ChangeInterest?, and models: [StoredName]) {
        all = others?.all
        self.models = (others?.models ?? [:]).merging(models.map { ($0, .kinds) }) { max($0, $1) }
    }

    /// The union of this interest and another one.
    func adding(_ other: ChangeInterest?) -> ChangeInterest {
        guard let other else { return self }
        return ChangeInterest(
            all: [all, other.all].compactMap(\.self).max(),
            models: models.merging(other.models) { max($0, $1) })
    }

    func detail(of model: StoredName) -> ChangeDetail? {
        guard let detail = models[model] else { return all }
        return all.map { max($0, detail) } ?? detail
    }

    /// Returns whether an earlier interest in every model, apart from models by name, already covered this one.
    func asksAll(ofAtMost before: ChangeInterest?) -> Bool {
        guard let all else { return true }
        return before?.all.map { all <= $0 } ?? false
    }
}
