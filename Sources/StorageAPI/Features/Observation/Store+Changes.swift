public import StorageDriver

extension Store {
    /// The commits of a store as an asynchronous sequence, in their order and each once.
    public struct Changes<Changed: Sendable>: AsyncSequence, Sendable {
        /// A commit, or that some are not known.
        public enum Element: Sendable {
            /// A commit.
            case commit(Commit<Changed>)
            /// Some commits are not known: the observer was too slow, another process has written, or a write was
            /// running when the observer began. Read the data of interest again. Later commits are reported.
            case gap
        }
        public typealias Failure = StorageError

        let store: Store
        let model: StoredName?
        /// Extracts a commit's changes; nil if the commit has no changes of interest.
        let changes: @Sendable (CommitEvent, Store) throws(StorageError) -> Changed?

        public func makeAsyncIterator() -> Iterator {
            let interest =
                model.map { CommitFeed.Interest(models: [$0: .kinds]) } ?? CommitFeed.Interest(all: .kinds)
            return Iterator(
                subscription: Subscription(store, interest, question: .commits(of: model)), changes: changes)
        }

        /// An observer, which receives the commits since it was created.
        public struct Iterator: AsyncIteratorProtocol {
            let subscription: Subscription
            let changes: @Sendable (CommitEvent, Store) throws(StorageError) -> Changed?
            private var commits: ArraySlice<CommitEvent> = []

            init(
                subscription: Subscription,
                changes: @escaping @Sendable (CommitEvent, Store) throws(StorageError) -> Changed?
            ) {
                self.subscription = subscription
                self.changes = changes
            }

            public mutating func next() async throws(StorageError) -> Element? { try await next(isolation: nil) }

            /// Waits for the next commit. Nil when the store is closed or the task is cancelled.
            public mutating func next(isolation: isolated (any Actor)?) async throws(StorageError) -> Element? {
                try await advance()
            }

            private nonisolated(nonsending) mutating func advance() async throws(StorageError) -> Element? {
                while !Task.isCancelled {
                    if let commit = commits.popFirst() {
                        guard let changed = try changes(commit, subscription.store) else { continue }
                        return .commit(
                            Commit(
                                number: commit.recordedNumber, time: commit.time, author: commit.author,
                                note: commit.note, origin: commit.origin, changes: changed))
                    }
                    switch subscription.news() {
                    case .commits(let news): commits = news[...]
                    case .unknown: return .gap
                    case .end: return nil
                    case .nothing: await subscription.wait()
                    }
                }
                return nil
            }
        }
    }

    /// The commits that change a model, from now on: each once, with the keys of the records that it changed.
    ///
    /// ```swift
    /// for try await change in store.changes(of: Person.self) {
    ///     switch change {
    ///     case .commit(let commit): print(commit.time, commit.changes)
    ///     case .gap: print("read the records again")
    ///     }
    /// }
    /// ```
    ///
    /// An observer receives the commits since its iterator was created, once they are durable. It holds the store open,
    /// and ends when the store is closed or its task is cancelled. The store keeps some thousand commits for slow
    /// observers; an observer that is slower gets a ``Changes/Element/gap``.
    ///
    /// While such an observer exists, each save and update of the model also reads the records before and after.
    /// - Throws: errors of preparing the model, and `typeMismatch` if a stored key does not fit the type, from the
    ///   iterator.
    public func changes<M: Storable>(of type: M.Type) -> Changes<KeyChanges<M.Key>> {
        let name = StoredName(type.schema.name)
        return Changes(store: self, model: name) { (commit, store) throws(StorageError) in
            guard let changes = commit.changes(of: name) else { return nil }
            guard let handle = store.registry.handle(type) else { return .everything }
            return try changes.told { (keys) throws(StorageError) in try handle.tables.keys(M.self, keys) }
        }
    }

    /// The commits that change a model, by its stored name; as for a type.
    public func changes(ofRecords model: String) -> Changes<KeyChanges<[Value]>> {
        let model = StoredName(model)
        return Changes(store: self, model: model) { (commit, _) throws(StorageError) in
            try commit.changes(of: model)?.told { (keys) throws(StorageError) in keys }
        }
    }

    /// All commits, with the changes of each model; as for one model.
    public func changes() -> Changes<[ModelChanges]> {
        Changes(store: self, model: nil) { (commit, _) throws(StorageError) in
            var models: [ModelChanges] = []
            for changes in commit.models {
                let told = try changes.told { (keys) throws(StorageError) in keys }
                models.append(ModelChanges(model: changes.model.text, changes: told))
            }
            return models.isEmpty ? nil : models
        }
    }
}
