import StorageAPI
import StorageDriver

/// The local commits since the last ones that have become patches, with the records as they were before.
struct LocalCommits {
    /// A commit's changes that cross to the hub.
    struct Element {
        let author: String?
        let note: String?
        var changes: [SyncPatch.Change]
    }

    /// The commits in their order.
    private(set) var all: [Element] = []
    /// Each changed record as it was before the first of them.
    private(set) var before: [RecordPlace: DynamicRecord?] = [:]
    /// The place after the last commit.
    private(set) var end: Store.HistoryToken
    /// True if no commit follows.
    private(set) var isLast = false

    /// The number of changes that are read together.
    private static let limit = 65_536

    /// The origin of the commits that take records of the hub. They are never sent back.
    static let hub = Store.Origin.taken(from: "StorageSync hub")
    /// The origins whose commits do not cross. The clock of the hub alone removes expired records for all.
    private static let foreign: Set<Store.Origin> = [hub, .expiry]

    /// Reads the commits before a transaction in it, or the commits of a snapshot.
    ///
    /// - Parameters:
    ///   - joining: the models whose records are compared with the hub's as they are. Their commits need not be known.
    ///   - most: the number of changes after which no further commit is begun; nil for all commits.
    /// - Throws: `notKept` if a change is not known record by record, or the history was let go.
    init(
        since seen: String, of models: SyncModels, joining: Set<String>, atMost most: Int? = nil,
        in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) {
        guard let seen = Store.HistoryToken(seen) else {
            throw StorageError(.corrupt, "The replica's position in its history cannot be read; call beginAgain().")
        }
        end = seen
        var names = Set(models.names)
        for name in joining {
            do throws(StorageError) { _ = try session.commits(since: seen, of: [name], limit: 1) } catch {
                guard error.code == .notKept else { throw error }
                names.remove(name)
            }
        }
        repeat {
            let page = try session.commits(
                since: end, of: names, excluding: Self.foreign, limit: most ?? Self.limit)
            for commit in page.commits { try add(commit, of: models, joining: joining) }
            (end, isLast) = (page.next, page.isLast)
        } while !isLast && most == nil
    }

    private mutating func add(
        _ commit: Store.HistoryCommit, of models: SyncModels, joining: Set<String>
    ) throws(StorageError) {
        var changes: [SyncPatch.Change] = []
        for delta in commit.changes {
            if delta.kind == .everything, joining.contains(delta.model) {
                changes.removeAll { $0.model == delta.model }
                forget(delta.model)
                continue
            }
            guard delta.kind != .everything else {
                throw StorageError(
                    .notKept,
                    "Commit \(commit.number) replaced \(delta.model) as a whole, so its records cannot be sent one by one; call "
                        + "beginAgain() to compare all records with the hub's.", operation: "sync", model: delta.model)
            }
            let place = RecordPlace(delta.model, delta.key)
            // An earlier version of the program, which has made the commit, did not know what it would set.
            let unknown = delta.newProperties
            let (old, new) = (try delta.before()?.without(unknown), try delta.after()?.without(unknown))
            guard let kind = SyncPatch.Change.Kind(from: old, to: new, models[delta.model]) else { continue }
            changes.append(SyncPatch.Change(place, kind, byRule: delta.byRule))
            if before[place] == nil { before[place] = .some(old) }
        }
        guard !changes.isEmpty else { return }
        all.append(Element(author: commit.author, note: commit.note, changes: changes))
    }

    /// Leaves the changes of a model so far to the comparison of its records.
    private mutating func forget(_ model: String) {
        for index in all.indices { all[index].changes.removeAll { $0.model == model } }
        all.removeAll(where: \.changes.isEmpty)
        before = before.filter { $0.key.model != model }
    }
}

extension SyncPatch.Change.Kind {
    /// The change from one state of a record to another; nil if the states are equal. Of a reference with a key of several parts
    /// it has all parts or none.
    init?(from old: DynamicRecord?, to new: DynamicRecord?, _ schema: RecordSchema?) {
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, let new?): self = .inserted(new)
        case (let old?, nil): self = .deleted(old)
        case (let old?, let new?):
            let changed = Set(new.fields.filter { old[$0.name]?.matches($0.content) != true }.map(\.name))
            let parts = (schema?.severalParts ?? []).filter { !changed.isDisjoint(with: $0) }.flatMap(\.self)
            let properties = new.fields.compactMap { field in
                old[field.name].flatMap { before in
                    changed.contains(field.name) || parts.contains(field.name)
                        ? SyncPatch.PropertyChange(name: field.name, before: before, after: field.content) : nil
                }
            }
            if properties.isEmpty { return nil }
            self = .updated(properties)
        }
    }
}

extension ReplicaState {
    /// The models whose records have not been compared with the hub's yet.
    func joining(_ models: SyncModels) -> Set<String> { Set(models.names.filter { self.models[$0] == nil }) }

    /// Gives local commits numbers, and returns the rows of their patches and of the records as the hub has them.
    ///
    /// - Parameter hasBase: whether a record has such a row already.
    mutating func number(
        _ commits: LocalCommits, hasBase: (RecordPlace) throws(StorageError) -> Bool
    ) throws(StorageError) -> [(key: [UInt8], value: [UInt8]?)] {
        var rows: [(key: [UInt8], value: [UInt8]?)] = []
        for commit in commits.all { rows.append(number(commit.changes, author: commit.author, note: commit.note)) }
        for (place, record) in commits.before where try !hasBase(place) {
            rows.append(ReplicaRows.row(place, record))
        }
        seen = commits.end.description
        return rows
    }

    /// The row of a new patch, which is the last.
    mutating func number(
        _ changes: [SyncPatch.Change], author: String?, note: String?
    ) -> (key: [UInt8], value: [UInt8]?) {
        last += 1
        let bytes = SyncPatch(number: last, author: author, note: note, changes: changes).bytes
        chain = PatchChain.next(chain, bytes)
        return (ReplicaRows.key(.patch, last), bytes)
    }
}
