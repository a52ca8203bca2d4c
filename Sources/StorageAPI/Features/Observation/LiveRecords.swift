import StorageDriver

/// Reads the records of an observed query.
///
/// If the query reads one model and has no limit, a record's values alone decide whether it is selected. Then only
/// the records that commits have changed are read again, and merged into the result.
final class LiveRecords<Model: Storable, Element>: LiveReader {
    private let selection: Selection
    private let source: ModelSource
    private let name: StoredName
    private let make: ([Model], RecordDifference<Model>) -> Element
    private let wantsDifference: Bool
    private var isFirst = true
    private var handle: ModelHandle?
    /// The part of the filter that the key decides; nil if a record alone does not decide whether it is selected.
    private var filter: KeyFilter?
    /// True if the result may contain changes that are not announced yet.
    private var isAhead = false
    /// The digest of the rows, if all were read at once.
    private var digest: RowDigest.Result?
    private var result = PlacedRecords<Model>()
    private var comparison: RecordComparison<Model>?

    /// More changed records than this are read with all others.
    private static var maximumKeys: Int { 64 }

    init(
        _ selection: Selection, _ source: ModelSource, wantsDifference: Bool,
        _ make: @escaping ([Model], RecordDifference<Model>) -> Element
    ) {
        self.selection = selection
        self.source = source
        self.wantsDifference = wantsDifference
        self.make = make
        switch source {
        case .type(let type): name = StoredName(type.schema.name)
        case .recorded(let recorded), .whole(let recorded): name = recorded
        }
    }

    /// Every change, because the models that the query reads are known only after the first read.
    var interest: CommitFeed.Interest { CommitFeed.Interest(all: .any, models: [name: .keys]) }
    var model: StoredName? { name }

    nonisolated(nonsending) func read(
        _ news: CommitFeed.PollResult, _ subscription: Subscription
    ) async throws(StorageError) -> Element? {
        var keys: [[Value]]?
        if case .commits(let commits) = news, let changed = changedKeys(commits) {
            let (relevant, areGone) = try relevant(changed)
            if relevant.isEmpty { return nil }
            if areGone, !isAhead { return element(merge(relevant, [])) }
            if relevant.count <= Self.maximumKeys { keys = relevant }
        }
        let wasAlone = filter != nil
        // One task at a time uses an observer, and it waits here until the body has returned.
        nonisolated(unsafe) let (observer, subscribed) = (self, subscription)
        let changedKeys = keys
        let (change, models) = try await subscription.store.observing(source) { (session) throws(StorageError) in
            try observer.read(changedKeys, in: session, subscription: subscribed)
        }
        let isAlone = filter != nil
        if isAlone, !wasAlone { subscription.note(CommitFeed.Interest(models: [name: .keys])) }
        if !isAlone { subscription.ask(.changes(of: Array(models))) }
        if !isAlone, wasAlone {
            // Changes of the other models were not noted.
            subscription.note(interest)
            return try await read(.unknown, subscription) ?? element(change)
        }
        return element(change)
    }

    /// Reads the changed records, or all. Returns the differences, and the models that the query goes through.
    private func read(
        _ keys: [[Value]]?, in session: ReadTracker, subscription: Subscription
    ) throws(StorageError) -> (RecordDifference<Model>?, Set<StoredName>) {
        let reading = try subscription.store.reading(source, in: session)
        if let keys, reading.handle === handle, let fresh = try fresh(keys, by: reading, subscription: subscription) {
            return (merge(fresh.keys, fresh.records), [])
        }
        // Changed records that were read but are not selected are not part of the result.
        session.restart()
        return (try readAll(reading, subscription), session.models)
    }

    private func element(_ difference: RecordDifference<Model>?) -> Element? {
        difference.map { make(result.models, $0) }
    }

    // MARK: Changed records

    /// Returns for each changed record, by its key, whether it was deleted; nil if any record may have changed.
    private func changedKeys(_ commits: [CommitEvent]) -> [[Value]: Bool]? {
        guard filter != nil else { return nil }
        var changed: [[Value]: Bool] = [:]
        for commit in commits {
            guard let changes = commit.changes(of: name) else { continue }
            if changes.isEverything { return nil }
            for key in changes.keys { changed[key] = false }
            for key in changes.keys(.delete) { changed[key] = true }
        }
        return changed
    }

    /// The changed records that matter, and whether all of them are gone.
    private func relevant(_ changed: [[Value]: Bool]) throws(StorageError) -> ([[Value]], areGone: Bool) {
        var (keys, areGone) = ([[Value]](), true)
        for (key, isGone) in changed {
            if result.index(of: key) == nil {
                // A record that is not selected by now, and is gone or cannot be selected, does not matter.
                if isGone { continue }
                if let filter, try !filter.mayMatch(key) { continue }
            }
            keys.append(key)
            areGone = areGone && isGone
        }
        return (keys, areGone)
    }

    /// Reads changed records, all that the snapshot may have changed among them; nil if these are not known.
    private func fresh(
        _ keys: [[Value]], by reading: RecordReader, subscription: Subscription
    ) throws(StorageError) -> (keys: [[Value]], records: [PlacedRecords<Model>.Record])? {
        // The snapshot begins with the first query. It may contain commits that were not announced by then: without
        // that, the result would mix two states.
        var (keys, records) = (keys, try reading.placed(selection, keys, as: Model.self))
        let store = subscription.store
        guard let visible = store.observers.visible(name, after: subscription.number) else { return nil }
        // Nor may it have a commit of another process, of which the keys are not known.
        if let others = store.observers.otherCommits, !others.areAllTold { return nil }
        let known = Set(keys)
        var more: Set<[Value]> = []
        for changes in visible { more.formUnion(changes.keys.filter { !known.contains($0) }) }
        isAhead = !visible.isEmpty
        if more.isEmpty { return (keys, records) }
        keys += more
        records += try reading.placed(selection, Array(more), as: Model.self)
        return (keys, records)
    }

    /// Replaces the records with these keys. Returns the difference; nil if the result stays the same.
    private func merge(
        _ keys: [[Value]], _ records: [PlacedRecords<Model>.Record]
    ) -> RecordDifference<Model>? {
        var merge = RecordMerge(result, comparison)
        // The only copy is changed, and so is not copied.
        result = PlacedRecords()
        merge.replace(keys, by: records)
        result = merge.result
        guard !merge.difference.isEmpty else { return nil }
        digest = nil
        return merge.difference
    }

    // MARK: All records

    private func readAll(
        _ reading: RecordReader, _ subscription: Subscription
    ) throws(StorageError) -> RecordDifference<Model>? {
        let next = try reading.placed(selection, as: Model.self)
        let session = reading.session as? ReadTracker
        if reading.handle !== handle { comparison = RecordComparison(reading.model) }
        handle = reading.handle
        let isAlone = selection.limit == nil && selection.offset == 0 && session?.models == [name]
        filter = isAlone ? try KeyFilter(selection, reading.handle) : nil
        isAhead = subscription.store.observers.visible(name, after: subscription.number)?.isEmpty != true
        defer { (result, digest, isFirst) = (next, session?.result, false) }
        if let digest, digest == session?.result { return nil }
        guard wantsDifference || !isFirst && digest == nil else { return RecordDifference() }
        let difference = RecordDifference(from: result, to: next, comparison)
        return difference.isEmpty && !isFirst ? nil : difference
    }
}
