import StorageDriver

/// Finds the records before and after the changes of a page.
///
/// An entry has the record before its commit. The next entry of the same record has the record
/// after it; without a next entry it is the record of the session. Next entries are looked for in the page, then in the later
/// entries that are known, then for all of its records together in one pass over the keys of the others.
struct RecordDeltas {
    private let history: HistoryReading
    private let settings: HistorySettings
    private let store: Store
    /// True if no entry follows the page.
    private let isEnd: Bool
    /// Entries after the page; nil if none are known.
    private let later: LaterEntries?
    private let former: FormerSchemas
    /// The session without the layer that hides expired records, because commits include them.
    private let session: any StorageSession

    init(
        _ history: HistoryReading, _ settings: HistorySettings, of store: Store, isEnd: Bool, later: LaterEntries?
    ) throws(StorageError) {
        (self.history, self.settings, self.store, self.isEnd) = (history, settings, store, isEnd)
        self.later = later
        former = try FormerSchemas(in: history.session)
        var session = history.session
        while let layer = session as? ForwardingReader { session = layer.reader }
        self.session = session
    }

    /// The changes of whole commits, as they are read outside of the history.
    func deltas(of changes: [HistoryChange]) throws(StorageError) -> [Store.RecordDelta] {
        let after = try statesAfter(changes)
        var forms: [StoredName: Result<RecordForm, StorageError>] = [:]
        var deltas: [Store.RecordDelta] = []
        deltas.reserveCapacity(changes.count)
        for (change, after) in zip(changes, after) {
            let form = forms[change.model] ?? form(of: change.model)
            forms[change.model] = form
            var states = (before: try stateBefore(change), after: after ?? .unknown(notKept(change)))
            if case .failure(let error) = form {
                states = (states.before.unreadable(error), states.after.unreadable(error))
            }
            deltas.append(
                Store.RecordDelta(
                    of: change.model, key: change.kind == .everything ? [] : change.key,
                    kind: Store.RecordDelta.Kind(change.kind), byRule: change.byRule, form: try? form.get(),
                    before: states.before, after: states.after, new: try former.newProperties(since: change)))
        }
        return deltas
    }

    private func form(of model: StoredName) -> Result<RecordForm, StorageError> {
        Result { () throws(StorageError) in try RecordForm(model, store.registry, in: session) }
    }

    // MARK: Before

    /// The record before a change.
    private func stateBefore(_ change: HistoryChange) throws(StorageError) -> RecordState {
        if change.kind == .inserted { return .absent }
        guard let image = change.before else { return .unknown(notKept(change)) }
        return .image(image, since: try former.since(change))
    }

    private func notKept(_ change: HistoryChange) -> StorageError {
        let isEverything = change.kind == .everything
        return StorageError(
            .notKept,
            isEverything
                ? "Commit \(change.commit) may have changed any record of \(change.model), and the history lacks them."
                : "The history does not keep the record of \(change.model) at commit \(change.commit); open the store with "
                    + "history: .init(records: …) to keep later ones.",
            model: change.model.text, key: isEverything ? nil : change.key)
    }

    // MARK: After

    /// The records after changes; nil for unknown ones.
    private func statesAfter(_ changes: [HistoryChange]) throws(StorageError) -> [RecordState?] {
        var states: [RecordState?] = changes.map { $0.kind == .deleted ? .absent : nil }
        // The places of the next change of each record, and of the next change of all records of a model, which hides later ones.
        var next: [StoredName: [[Value]: Int]] = [:]
        var everything: [StoredName: Int] = [:]
        var open: [StoredName: [[Value]: Int]] = [:]
        for (place, change) in changes.enumerated().reversed() {
            if change.kind == .everything {
                everything[change.model] = place
                next[change.model] = nil
                continue
            }
            let later = next[change.model, default: [:]].updateValue(place, forKey: change.key)
            guard change.kind != .deleted, isFollowed(change) else { continue }
            if let later = later ?? everything[change.model] {
                states[place] = try state(before: changes[later])
            } else {
                open[change.model, default: [:]][change.key] = place
            }
        }
        guard let last = changes.last?.commit else { return states }
        for (model, places) in open {
            for (key, state) in try statesAtEnd(of: model, Array(places.keys), after: last) {
                guard let place = places[key] else { continue }
                states[place] = state
            }
        }
        return states
    }

    /// Returns whether every change of the record since is among the entries.
    private func isFollowed(_ change: HistoryChange) -> Bool {
        settings.model(change.model).map { change.commit > $0.since } ?? false
    }

    /// The record as a later change found it; nil if that is not known.
    private func state(before change: HistoryChange) throws(StorageError) -> RecordState? {
        guard change.kind != .everything, let image = change.before else { return nil }
        return .image(image, since: try former.since(change))
    }

    /// The records of a model as the page has left them; nil for an unknown record.
    private func statesAtEnd(
        of model: StoredName, _ keys: [[Value]], after commit: Int64
    ) throws(StorageError) -> [([Value], RecordState?)] {
        var states: [([Value], RecordState?)] = []
        var left = Set(keys)
        if let later {
            for change in try later.changes(of: model, &left, after: commit, in: history) {
                states.append((change.key, try state(before: change)))
            }
        }
        let places =
            isEnd || left.isEmpty
            ? KeyList(width: 2)
            : try laterPlaces(of: model, Array(left), after: later?.end.number ?? commit, &left)
        for part in places.parts(of: HistoryReading.part) {
            for change in try history.changes(at: part) {
                // A change of all records has no key, and its records are not known.
                guard change.kind != .everything else { continue }
                states.append((change.key, try state(before: change)))
            }
        }
        guard !left.isEmpty else { return states }
        let handle: ModelHandle
        do throws(StorageError) {
            handle = try store.registry.whole(model, in: session)
        } catch {
            return states + left.map { ($0, .unknown(error)) }
        }
        for part in KeyList(width: handle.tables.rootKeyCount, left).parts(of: RecordReader.partOfRecords) {
            let images = try RecordImage.read(part, handle, in: session)
            for key in part { states.append((key, images[key].map { .image($0, since: []) } ?? .absent)) }
        }
        return states
    }

    /// The places of the first changes of records after a commit. Reads the keys of the later entries, and no record.
    ///
    /// - Parameter left: loses the keys of which a later change is found, or a change of all records.
    private func laterPlaces(
        of model: StoredName, _ keys: [[Value]], after commit: Int64, _ left: inout Set<[Value]>
    ) throws(StorageError) -> KeyList {
        var places = KeyList(width: 2)
        let wanted = KeyList(width: 1, keys.map { [.blob(RecordImage.bytes(of: $0))] })
        var cursor = try history.session.rows(
            history.tables.laterKeys,
            QueryArguments(
                [.int(commit), .text(model.text), .int(HistoryKind.everything.rawValue)], lists: [wanted.list]))
        while !left.isEmpty, try cursor.next() {
            if cursor.cells[2].int == HistoryKind.everything.rawValue {
                left = []
                break
            }
            guard case .blob(let bytes) = cursor.cells[3].value,
                left.remove(try RecordImage.key(of: bytes)) != nil
            else { continue }
            places.append([cursor.cells[0].value, cursor.cells[1].value])
        }
        return places
    }
}

extension RecordState {
    /// A state whose record cannot be read.
    fileprivate func unreadable(_ error: StorageError) -> RecordState {
        if case .image = self { .unknown(error) } else { self }
    }
}

extension Store.RecordDelta.Kind {
    init(_ kind: HistoryKind) {
        self =
            switch kind {
            case .inserted: .inserted
            case .updated: .updated
            case .deleted: .deleted
            case .everything: .everything
            }
    }
}
