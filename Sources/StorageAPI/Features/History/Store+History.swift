public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// The change that a commit made to one record.
    ///
    /// Each commit has at most one entry for each record: its net effect. One exception exists: if a commit has removed
    /// all records of a model at once, and the history keeps the model's records, a record has an entry for the removal,
    /// and perhaps another entry for a later change in the commit.
    public struct HistoryEntry<Key: Sendable, Record: Sendable>: Sendable {
        /// The kinds of change to a record.
        public enum Kind: String, Sendable, Hashable {
            /// The record is new.
            case inserted
            /// The record was replaced, or some of its properties or owned records were set.
            case updated
            /// The record is gone.
            case deleted
            /// Any record of the model may have changed: all were removed at once or were copied in, or the database has
            /// changed some by itself. The entry has no key.
            case everything
        }

        /// The commit's number. Numbers rise from 1 by one, and none is used again. A commit whose writes cancel each other
        /// out has no entry.
        public let commit: Int
        /// The time of the commit. It is never before the time of an earlier commit, whatever the clock says.
        public let time: Date
        /// The author that the transaction named; see ``Transaction/author``.
        public let author: String?
        /// The note that the transaction attached.
        public let note: String?
        /// The origin of the commit.
        public let origin: Origin
        /// True if only rules of references have made the change, and no call; see ``RecordDelta/byRule``.
        public let byRule: Bool
        /// The model's stored name.
        public let model: String
        /// The kind of change.
        public let kind: Kind
        /// The record's key; nil for ``Kind/everything``.
        public let key: Key?
        /// The place after this entry, from which reading can continue.
        public let token: HistoryToken
        private let image: Result<Record?, StorageError>
        private let stored: StoredImage?

        /// The record as it was before the commit; nil if it did not exist, or if the model's records are not kept.
        ///
        /// It is read as if it had stayed in the store: later changes of the schema to properties, their names and their types
        /// apply to it too.
        ///
        /// - Throws: `schemaMismatch` or `typeMismatch` for a record that does not fit the model any more;
        ///   ``storedBefore`` has it all the same.
        public var before: Record? { get throws(StorageError) { try image.get() } }

        /// The same record without its type, with the properties and the names that it was stored with. It includes properties
        /// that the model no longer has.
        ///
        /// - Throws: `corrupt` if the entry is damaged.
        public var storedBefore: DynamicRecord? { get throws(StorageError) { try stored?.record() } }

        init(
            _ change: HistoryChange, of header: CommitRow, token: HistoryToken, key: Key?,
            image: Result<Record?, StorageError>, stored: StoredImage?
        ) {
            commit = Int(change.commit)
            time = Date(timeIntervalSinceReferenceDate: header.time)
            (author, note, origin) = (header.author, header.note, header.origin)
            byRule = change.byRule
            model = change.model.text
            kind =
                switch change.kind {
                case .inserted: .inserted
                case .updated: .updated
                case .deleted: .deleted
                case .everything: .everything
                }
            self.key = key
            self.token = token
            self.image = image
            self.stored = stored
        }
    }

    /// The entries of a store's history, in the order of the commits. It ends after the latest commit.
    public struct History<Key: Sendable, Record: Sendable>: AsyncSequence, Sendable {
        public typealias Element = HistoryEntry<Key, Record>
        public typealias Failure = StorageError

        let store: Store
        let model: StoredName?
        let start: HistoryToken?
        /// The model's type, which is prepared before it is read.
        var type: (any Storable.Type)?
        let entry:
            @Sendable (HistoryChange, CommitRow, HistoryToken, HistoryPart)
                throws(StorageError) -> Element

        public func makeAsyncIterator() -> Iterator { Iterator(history: self) }

        /// Reads some hundred entries at a time, each part in a separate snapshot, so that it holds no snapshot meanwhile.
        public struct Iterator: AsyncIteratorProtocol {
            let history: History
            private var entries: ArraySlice<Element> = []
            private var position: HistoryToken?

            init(history: History) {
                self.history = history
                position = history.start
            }

            public mutating func next() async throws(StorageError) -> Element? { try await next(isolation: nil) }

            /// The next entry; nil after the last.
            ///
            /// - Throws: as ``Store/history(since:)``.
            public mutating func next(isolation: isolated (any Actor)?) async throws(StorageError) -> Element? {
                if entries.isEmpty { entries = try await history.page(after: position)[...] }
                guard let entry = entries.popFirst() else { return nil }
                position = entry.token
                return entry
            }
        }

        private nonisolated(nonsending) func page(
            after position: HistoryToken?
        ) async throws(StorageError) -> [Element] {
            if let type, store.registry.handle(type) == nil { try await store.prepare([type]) }
            return try await store.readingHistory("history") { (history, settings) throws(StorageError) in
                if let model {
                    let known = try settings.required(model)
                    if let start, start.commit < known.since {
                        throw settings.notKept(known)
                    }
                }
                if let position { try settings.check(position, history) }
                let first = try history.first?.number ?? 1
                let after = position.map { (Int64($0.commit), $0.place) } ?? (first - 1, .max)
                let page = HistoryPart(
                    session: history.session, former: try FormerSchemas(in: history.session), store: store)
                var headers: [Int64: CommitRow] = [:]
                var entries: [Element] = []
                var place = after
                // An empty page is the end, so go on after a part in which no entry has a commit.
                while entries.isEmpty {
                    let changes = try history.changes(after: place.0, place.1, of: model)
                    guard let last = changes.last else { break }
                    place = (last.commit, last.place)
                    for change in changes {
                        if headers[change.commit] == nil { headers[change.commit] = try history.commit(change.commit) }
                        // `verify` reports an entry without its commit.
                        guard let header = headers[change.commit] else { continue }
                        let token = HistoryToken(store: settings.store, header, place: change.place)
                        entries.append(try entry(change, header, token, page))
                    }
                }
                return entries
            }
        }
    }

    /// The entries of the store's history after a place, of all models.
    ///
    /// ```swift
    /// var token = try await store.historyToken()
    /// for try await entry in store.history(since: token) {
    ///     print(entry.commit, entry.time, entry.author ?? "", entry.model, entry.kind, entry.key ?? [])
    ///     token = entry.token
    /// }
    /// ```
    ///
    /// - Parameter token: the last position seen; nil for the whole history. To begin with the current state, take
    ///   ``historyToken()`` first, and then read the records.
    /// - Throws: `configuration` if the store keeps no history; `notKept` if the token is older than the kept history;
    ///   `invalidValue` for a token of another store or from the future, and of a commit that this store does not have, because
    ///   it was restored from a backup; all from the iterator.
    public func history(since token: HistoryToken? = nil) -> History<[Value], DynamicRecord> {
        history(ofRecords: nil, since: token)
    }

    /// The entries of one model, by its stored name; as of all models.
    public func history(
        ofRecords model: String, since token: HistoryToken? = nil
    ) -> History<[Value], DynamicRecord> { history(ofRecords: StoredName(model), since: token) }

    private func history(ofRecords model: StoredName?, since token: HistoryToken?) -> History<[Value], DynamicRecord> {
        History(store: self, model: model, start: token) {
            [registry] (change, header, token, page) throws(StorageError) in
            let image = Result { () throws(StorageError) -> DynamicRecord? in
                guard let image = change.before else { return nil }
                return try image.record(
                    DynamicRecord.self, key: change.key, registry.recorded(change.model, in: page.session),
                    defaults: registry.defaults(of: change.model), since: page.former.since(change))
            }
            let key = change.kind == .everything ? nil : change.key
            return HistoryEntry(
                change, of: header, token: token, key: key, image: image, stored: try page.stored(change))
        }
    }

    /// The entries of one model; as of all models, with keys and records of its type.
    ///
    /// - Throws: as of all models, and `typeMismatch` for a key that does not fit the type.
    public func history<M: Storable>(of type: M.Type, since token: HistoryToken? = nil) -> History<M.Key, M> {
        let name = StoredName(type.schema.name)
        return History(store: self, model: name, start: token, type: type) {
            [registry] (change, header, token, page) throws(StorageError) in
            guard let handle = registry.handle(type) else {
                throw StorageError(
                    .configuration, "The model is not opened; name it when opening the store.", model: name)
            }
            let key = change.kind == .everything ? nil : try handle.tables.keys(M.self, [change.key]).first
            let image = Result { () throws(StorageError) -> M? in
                guard let image = change.before else { return nil }
                return try image.record(
                    M.self, key: change.key, handle, defaults: DeclaredDefaults(type: type),
                    since: page.former.since(change))
            }
            return HistoryEntry(
                change, of: header, token: token, key: key, image: image, stored: try page.stored(change))
        }
    }

    /// The position after the latest commit.
    ///
    /// - Throws: `configuration` if the store keeps no history.
    public nonisolated(nonsending) func historyToken() async throws(StorageError) -> HistoryToken {
        try await readingHistory("history") { (history, settings) throws(StorageError) in
            HistoryToken(store: settings.store, try history.last)
        }
    }

    /// Returns the state of the store's history; nil if it keeps none.
    public nonisolated(nonsending) func historyStatus() async throws(StorageError) -> HistoryStatus? {
        do throws(StorageError) {
            return try await readingHistory("history") { (history, settings) throws(StorageError) in
                HistoryStatus(
                    keys: settings.models.filter { $0.recordsSince == nil }.map(\.name.text),
                    records: settings.models.filter { $0.recordsSince != nil }.map(\.name.text),
                    keeping: HistoryLimit(settings.limit),
                    firstCommit: try history.first.map { Int($0.number) },
                    lastCommit: try history.last.map { Int($0.number) },
                    holds: try Holds(history).all.map { HistoryHold($0) },
                    holding: HistoryLimit(settings.holding))
            }
        } catch {
            guard error.code == .configuration else { throw error }
            return nil
        }
    }

    /// The state of a store's history.
    public struct HistoryStatus: Hashable, Sendable {
        /// The stored names of the models whose keys alone are kept.
        public let keys: [String]
        /// The stored names of the models whose records are kept.
        public let records: [String]
        /// The limit of the history that is kept.
        public let keeping: HistoryLimit
        /// The number of the oldest commit that is kept; nil before the first commit.
        public let firstCommit: Int?
        /// The number of the last commit; nil before the first.
        public let lastCommit: Int?
        /// The holds of readers, in the order of their names.
        public let holds: [HistoryHold]
        /// The most that a hold may keep.
        public let holding: HistoryLimit
    }
}

/// A part of the history as it is read in one session.
struct HistoryPart {
    let session: any StorageSession
    let former: FormerSchemas
    let store: Store

    /// The record that an entry has, if it has one.
    func stored(_ change: HistoryChange) throws(StorageError) -> StoredImage? {
        guard let image = change.before else { return nil }
        return StoredImage(
            image: image, model: change.model, key: change.key, tables: try former.tables(at: change),
            directory: store.registry.directory)
    }
}
