internal import StorageAPI
import StorageDriver

/// A refusal by the plain model.
struct PlainRefusal: Error, CustomStringConvertible {
    let description: String

    init(_ reason: String, _ place: PlainPlace) { description = "\(reason): \(place)" }
}

/// The records of a store in dictionaries, with the rules of the contract by hand. It shares nothing with the library: what
/// it says has to come out.
struct PlainState: Equatable {
    private(set) var records: [PlainPlace: PlainFields] = [:]
    /// The version of the program that has the store.
    var version = PlainVersion.later

    subscript(place: PlainPlace) -> PlainFields? {
        get { records[place] }
        set { records[place] = newValue }
    }

    func places(of model: String) -> [PlainPlace] { records.keys.filter { $0.model == model }.sorted() }

    /// The state as another version has it.
    func seen(by version: PlainVersion) -> PlainState {
        var state = PlainState(version: version)
        for (place, record) in records where version.models.contains(place.model) {
            state[place] = version.completed(record, of: place.model)
        }
        return state
    }

    /// Removes expired records, which readers do not see.
    mutating func expire(at time: Double) {
        records = records.filter { place, record in
            guard place.model == "Permit", case .scalar(.double(let until))? = record["until"] else { return true }
            return until > time
        }
    }

    // MARK: Rules

    /// - Throws: a refusal if another record has a unique value of one of these.
    func checkUnique(_ places: some Sequence<PlainPlace>) throws {
        for place in places {
            for (model, property) in PlainModel.unique where model == place.model {
                guard let value = records[place]?[property], value != .scalar(.null) else { continue }
                let other = records.first { $0.key.model == model && $0.key != place && $0.value[property] == value }
                if other != nil { throw PlainRefusal("unique", place) }
            }
        }
    }

    /// - Throws: a refusal if a reference of one of these leads nowhere.
    func checkReferences(_ places: some Sequence<PlainPlace>) throws {
        for place in places {
            for reference in PlainModel.references where reference.model == place.model && reference.rule != .unchecked
            {
                for key in records[place]?[reference.property]?.targets ?? [] {
                    let target = PlainPlace(model: reference.target, key: key)
                    if records[target] == nil { throw PlainRefusal("dangling", place) }
                }
            }
        }
    }

    /// The records that refer to one, by a rule.
    private func referrers(to place: PlainPlace, _ rule: DeleteRule) -> [(place: PlainPlace, property: String)] {
        var found: [(place: PlainPlace, property: String)] = []
        for reference in PlainModel.references where reference.target == place.model && reference.rule == rule {
            for (other, record) in records where other.model == reference.model {
                guard let content = record[reference.property], content.targets.contains(place.key) else { continue }
                found.append((other, reference.property))
            }
        }
        return found
    }

    private func checkDenied(_ gone: Set<PlainPlace>) throws {
        for place in gone {
            if let other = referrers(to: place, .deny).first { throw PlainRefusal("denied", other.place) }
        }
    }

    private mutating func nullify(_ place: PlainPlace, _ property: String, to target: PlainPlace) {
        if case .references(let keys)? = records[place]?[property] {
            records[place]?[property] = .references(keys.filter { $0 != target.key })
        } else {
            records[place]?[property] = .reference(nil)
        }
    }

    /// Deletes records by the rules of the references to them, as one call does.
    mutating func delete(_ places: [PlainPlace]) throws {
        var (gone, open): (Set<PlainPlace>, [PlainPlace]) = ([], places)
        while let next = open.popLast() {
            guard records.removeValue(forKey: next) != nil else { continue }
            gone.insert(next)
            open += referrers(to: next, .cascade).map(\.place)
            for (place, property) in referrers(to: next, .nullify) { nullify(place, property, to: next) }
        }
        try checkDenied(gone)
    }

    /// Stores and removes a set of records, judged as a whole.
    mutating func replace(_ puts: [PlainPlace: PlainFields], removing removed: Set<PlainPlace>) throws {
        let kept = removed.subtracting(puts.keys)
        for (place, record) in puts { records[place] = record }
        try delete(Array(kept))
        for place in puts.keys where records[place] != puts[place] { throw PlainRefusal("changed by a rule", place) }
        try checkUnique(puts.keys)
        try checkReferences(puts.keys)
    }

    // MARK: Patches

    /// The difference from an earlier state.
    ///
    /// - Parameter touched: the records that calls have written; others were changed by rules.
    func patch(since before: PlainState, touched: Set<PlainPlace>) -> PlainPatch {
        var patch: PlainPatch = [:]
        for place in Set(before.records.keys).union(records.keys) {
            patch[place] = PlainChange(from: before[place], to: self[place], byRule: !touched.contains(place))
        }
        return patch
    }

    /// Applies a patch whole or throws.
    ///
    /// - Returns: the properties whose content was replaced unseen.
    mutating func apply(_ patch: PlainPatch) throws -> Set<PlainLoss> {
        var (puts, removed, lost): ([PlainPlace: PlainFields], Set<PlainPlace>, Set<PlainLoss>) = ([:], [], [])
        for (place, change) in patch {
            let now = records[place]
            switch change.kind {
            case .inserted(let record):
                if now == nil { puts[place] = version.completed(record, of: place.model) }
                if let now, !alike(now, record) { throw PlainRefusal("stored already", place) }
            case .updated(let changes):
                guard let now else { throw PlainRefusal("deleted meanwhile", place) }
                var merged = now
                for (name, property) in changes {
                    var merge = PlainMerge(property, now[name] ?? .scalar(.null), byRule: change.byRule)
                    merged[name] = version.completed(merge.result(of: name))
                    if merge.hasLost { lost.insert(PlainLoss(place: place, property: name)) }
                }
                if merged != now { puts[place] = merged }
            case .deleted(let before):
                guard let now else { continue }
                if !alike(now, before) { throw PlainRefusal("changed meanwhile", place) }
                removed.insert(place)
            }
        }
        for (place, record) in puts { records[place] = record }
        for place in removed {
            for other in referrers(to: place, .cascade) where !removed.contains(other.place) {
                throw PlainRefusal("referred to meanwhile", other.place)
            }
        }
        for place in removed {
            for (other, property) in referrers(to: place, .nullify) where !removed.contains(other) {
                nullify(other, property, to: place)
                lost.insert(PlainLoss(place: other, property: property))
            }
        }
        for place in removed { records[place] = nil }
        try checkDenied(removed)
        try checkUnique(puts.keys)
        try checkReferences(puts.keys)
        return lost
    }
}

/// A commit by its records.
typealias PlainPatch = [PlainPlace: PlainChange]

/// The change of a record.
struct PlainChange: Hashable {
    struct Property: Hashable {
        let before: PlainContent
        let after: PlainContent
    }

    enum Kind: Hashable {
        case inserted(PlainFields)
        case updated([String: Property])
        case deleted(PlainFields)
    }

    let kind: Kind
    let byRule: Bool

    /// The change from one record to another; nil for equal ones.
    init?(from old: PlainFields?, to new: PlainFields?, byRule: Bool = false) {
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, let new?): kind = .inserted(new)
        case (let old?, nil): kind = .deleted(old)
        case (let old?, let new?):
            var changes: [String: Property] = [:]
            for (name, after) in new {
                if let was = old[name], !was.isLike(after) { changes[name] = .init(before: was, after: after) }
            }
            if changes.isEmpty { return nil }
            kind = .updated(changes)
        }
        self.byRule = byRule
    }
}

/// A property whose content was replaced by someone who had not seen it.
struct PlainLoss: Hashable, CustomStringConvertible {
    let place: PlainPlace
    let property: String

    var description: String { "\(place).\(property)" }
}

/// What becomes of a property that a patch changes.
private struct PlainMerge {
    let change: PlainChange.Property
    let stored: PlainContent
    let byRule: Bool
    private(set) var hasLost = false

    init(_ change: PlainChange.Property, _ stored: PlainContent, byRule: Bool) {
        (self.change, self.stored, self.byRule) = (change, stored, byRule)
    }

    mutating func result(of name: String) -> PlainContent {
        if stored.isLike(change.after) { return stored }
        if stored.isLike(change.before) { return change.after.over(stored) }
        if byRule { return stored }
        switch (change.before, change.after, stored) {
        case (.references(let before), .references(let mine), .references(let theirs)):
            guard [before, mine, theirs].allSatisfy({ Set($0).count == $0.count }) else { break }
            return .references(
                theirs.filter { mine.contains($0) || !before.contains($0) }
                    + mine.filter { !theirs.contains($0) && !before.contains($0) })
        case (.list(let before), .list(let mine), .list(let theirs)):
            let sides = [before, mine, theirs].map { Dictionary($0.map { ($0["id"], $0) }) { first, _ in first } }
            guard zip(sides, [before, mine, theirs]).allSatisfy({ $0.count == $1.count }) else { break }
            return .list(merged(before: sides[0], mine: (mine, sides[1]), theirs: (theirs, sides[2])))
        default: break
        }
        hasLost = true
        return change.after.over(stored)
    }

    private mutating func merged(
        before: [Value?: PlainOwned], mine: (list: [PlainOwned], byKey: [Value?: PlainOwned]),
        theirs: (list: [PlainOwned], byKey: [Value?: PlainOwned])
    ) -> [PlainOwned] {
        var result: [PlainOwned] = []
        for record in theirs.list {
            switch (before[record["id"]], mine.byKey[record["id"]]) {
            case (let old, nil): if old.map({ !alike($0, record) }) ?? true { result.append(record) }
            case (nil, let own?):
                if !alike(own, record) { hasLost = true }
                result.append(own.merging(record) { own, _ in own })
            case (let old?, let own?):
                var merged = record
                for (name, value) in own where old[name] != value {
                    if record[name] != old[name], record[name] != value { hasLost = true }
                    merged[name] = value
                }
                result.append(merged)
            }
        }
        for record in mine.list where theirs.byKey[record["id"]] == nil {
            guard before[record["id"]] != record else { continue }
            if before[record["id"]] != nil { hasLost = true }
            result.append(record)
        }
        return result
    }
}
