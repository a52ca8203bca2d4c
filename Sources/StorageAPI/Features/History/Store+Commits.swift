public import StorageDriver

extension Store {
    /// Some whole commits of the history after a token, with each changed record before and after, all of one snapshot.
    ///
    /// ```swift
    /// var token: Store.HistoryToken?
    /// let page = try await store.commits(since: token)
    /// for commit in page.commits {
    ///     for change in commit.changes {
    ///         for property in try change.properties() { print(commit.author ?? "", change.model, change.key, property) }
    ///     }
    /// }
    /// token = page.next
    /// ```
    ///
    /// Costs a range of the history's index, and of changed records that no later commit has changed a look by their keys. If
    /// the page is not the last one, the keys of all later entries of the same models are read too. Pages that follow one
    /// another share that: from the second one on the store holds 12 bytes for each later entry, of at most a million, until
    /// the last page. The page holds its records in memory: as many as the limit says, and at least a whole commit.
    ///
    /// - Parameters:
    ///   - token: the last position seen; nil for the whole history. A commit of which the token has seen some entries alone is
    ///     read whole.
    ///   - models: the stored names of models; nil for all.
    ///   - limit: the number of changes after which no further commit is begun.
    /// - Throws: `configuration` if the store keeps no history, or none of a model; `notKept` if the token is older than the
    ///   kept history; `invalidValue` for a token of another store, from the future, or of a commit that this store does not
    ///   have, because it was restored from a backup; `invalidQuery` for a limit below 1; `corrupt`.
    public nonisolated(nonsending) func commits(
        since token: HistoryToken? = nil, of models: Set<String>? = nil, limit: Int = 1000
    ) async throws(StorageError) -> HistoryPage {
        try await readingHistory("commits") { (history, _) throws(StorageError) in
            try CommitReading(self, in: history.session).page(since: token, of: models, limit: limit)
        }
    }

    /// Some whole commits after a token without the ones of some origins, for a program that passes on what others have not passed
    /// to it.
    ///
    /// ```swift
    /// let page = try await store.commits(excluding: [.taken(from: "hub"), .expiry])
    /// ```
    ///
    /// The records before and after a change are the same as if no commit were left out. Left-out commits cost their rows, and none of
    /// their records is read. A page ends where a left-out commit follows a commit that it has.
    ///
    /// - Parameters:
    ///   - token: the last position seen; nil for the whole history.
    ///   - models: the stored names of models; nil for all.
    ///   - origins: the origins whose commits are left out.
    ///   - limit: the number of changes after which no further commit is begun.
    /// - Throws: as ``commits(since:of:limit:)``.
    public nonisolated(nonsending) func commits(
        since token: HistoryToken? = nil, of models: Set<String>? = nil, excluding origins: Set<Origin>,
        limit: Int = 1000
    ) async throws(StorageError) -> HistoryPage {
        try await readingHistory("commits") { (history, _) throws(StorageError) in
            try CommitReading(self, in: history.session)
                .page(since: token, of: models, excluding: origins, limit: limit)
        }
    }

    /// The last whole commits of the history, the earliest of them first, all of one snapshot.
    ///
    /// ```swift
    /// for commit in try await store.commits(last: 20).commits.reversed() { print(commit.number, commit.author ?? "") }
    /// ```
    ///
    /// Costs a look at each of the last commits, until so many have changes of the models, and then the cost of a page. The
    /// history before them is not read.
    ///
    /// - Parameters:
    ///   - count: the number of commits; the page has fewer if fewer are kept.
    ///   - models: the stored names of models; nil for all. Commits that have changed none of them do not count.
    /// - Returns: the last page, whose `next` is the position after it.
    /// - Throws: `configuration` if the store keeps no history, or none of a model; `invalidQuery` for a number below 1; `corrupt`.
    public nonisolated(nonsending) func commits(
        last count: Int, of models: Set<String>? = nil
    ) async throws(StorageError) -> HistoryPage {
        try await readingHistory("commits") { (history, _) throws(StorageError) in
            try CommitReading(self, in: history.session).page(last: count, of: models)
        }
    }
}

extension ReadingVerbs where Self: ~Copyable {
    /// Some whole commits of the history after a token, as ``Store/commits(since:of:limit:)`` reads them, in the snapshot of
    /// the session.
    ///
    /// In a transaction these are the commits before it; the records after them are as they were when the transaction began.
    public func commits(
        since token: Store.HistoryToken? = nil, of models: Set<String>? = nil, limit: Int = 1000
    ) throws(StorageError) -> Store.HistoryPage {
        try _session.target.readingCommits("commits") { (commits) throws(StorageError) in
            try commits.page(since: token, of: models, limit: limit)
        }
    }

    /// Some whole commits without the ones of some origins, as ``Store/commits(since:of:excluding:limit:)`` reads them, in the snapshot
    /// of the session.
    public func commits(
        since token: Store.HistoryToken? = nil, of models: Set<String>? = nil,
        excluding origins: Set<Store.Origin>, limit: Int = 1000
    ) throws(StorageError) -> Store.HistoryPage {
        try _session.target.readingCommits("commits") { (commits) throws(StorageError) in
            try commits.page(since: token, of: models, excluding: origins, limit: limit)
        }
    }

    /// The last whole commits, as ``Store/commits(last:of:)`` reads them, in the snapshot of the session. In a transaction
    /// these are the ones before it.
    public func commits(last count: Int, of models: Set<String>? = nil) throws(StorageError) -> Store.HistoryPage {
        try _session.target.readingCommits("commits") { (commits) throws(StorageError) in
            try commits.page(last: count, of: models)
        }
    }

    /// The position after the latest commit that the session sees, as ``Store/historyToken()``. In a transaction it is the
    /// position before that transaction's commit.
    ///
    /// - Throws: `configuration` if the store keeps no history.
    public func historyToken() throws(StorageError) -> Store.HistoryToken {
        try _session.target.readingCommits("history") { (commits) throws(StorageError) in try commits.token }
    }
}

extension VerbTarget {
    fileprivate func readingCommits<T>(
        _ operation: String, _ body: (CommitReading) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try readingStore(operation, .snapshot) { (session, context) throws(StorageError) in
            try body(CommitReading(home, in: session, running: context?.historyRecorder?.place?.commit))
        }
    }
}
