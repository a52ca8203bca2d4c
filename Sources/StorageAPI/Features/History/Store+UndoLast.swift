public import StorageDriver

extension Store {
    /// Undoes the latest commit of an author, or of this store, that is not undone yet; called again, the one before it.
    ///
    /// ```swift
    /// try await store.undoLast(author: "Ann")
    /// ```
    /// Without an author, it is the latest commit that this store has made since it was opened: other processes' commits,
    /// and commits of earlier runs of the program, stay. With one, it is the latest commit of the author, whoever's store
    /// has made it. Commits that undo others are passed over, and so are commits that are undone, by whatever call or
    /// program: so a second call goes back one step further. After a redo, which is the undo of an undo, the commit
    /// counts again. A commit that has no change left to undo, because its records have expired, is passed over too. So are
    /// commits that were taken from elsewhere (``CommitOrigin/taken(from:)``) and, without an author, the removal of expired
    /// records.
    ///
    /// A later commit of another author does not prevent it, unless it has changed the same records.
    ///
    /// Costs a look at the later commits, in addition to the cost of ``undo(_:author:note:)``.
    ///
    /// - Parameters:
    ///   - author: the author whose commit is undone, and of the new commit; nil for the commits of this store.
    ///   - note: the reason for undoing it.
    /// - Returns: the number of the new commit.
    /// - Throws: `notFound` if the kept history has no such commit; `conflict` if its records have changed since;
    ///   `configuration` if the store keeps no history; as ``undo(_:author:note:)``. Then no record is changed.
    @discardableResult
    public nonisolated(nonsending) func undoLast(
        author: String? = nil, note: String? = nil
    ) async throws(StorageError) -> Int {
        try await undoLast(of: author.map { .author($0) } ?? .thisStore, author, note)
    }

    /// Undoes the latest commit of the chosen ones that is not undone yet; called again, the one before it.
    ///
    /// ```swift
    /// try await store.undoLast(.anyone)
    /// ```
    /// For a program that runs once for each command: its store has made no commit since it was opened. Otherwise it is as
    /// ``undoLast(author:note:)``.
    ///
    /// - Parameters:
    ///   - commits: the commits among which it is the latest.
    ///   - author: the author of the new commit; nil for the one of ``Options/author``.
    ///   - note: the reason for undoing it.
    @discardableResult
    public nonisolated(nonsending) func undoLast(
        _ commits: UndoableCommits, author: String? = nil, note: String? = nil
    ) async throws(StorageError) -> Int {
        try await undoLast(of: commits, author, note)
    }

    /// The commits that `undoLast` chooses from.
    public enum UndoableCommits: Hashable, Sendable {
        /// The commits that this store has made since it was opened.
        case thisStore
        /// The commits of an author, by whatever program.
        case author(String)
        /// All commits, by whatever author and program.
        case anyone
    }

    private nonisolated(nonsending) func undoLast(
        of chosen: UndoableCommits, _ author: String?, _ note: String?
    ) async throws(StorageError) -> Int {
        try await undo(author, note) { (history, undo) throws(StorageError) in
            var commits = try UndoneCommits(history)
            func isChosen(_ header: CommitRow) -> Bool {
                switch chosen {
                case .thisStore: header.origin != .expiry && self.history.hasMade(header.number)
                case .author(let author): header.author?.utf8.elementsEqual(author.utf8) ?? false
                case .anyone: header.origin != .expiry
                }
            }
            while let commit = try commits.next(where: { !$0.origin.isTaken && isChosen($0) }) {
                if let number = try undo(commit) { return number }
            }
            throw StorageError(.notFound, chosen.missing)
        }
    }
}

extension Store.UndoableCommits {
    fileprivate var missing: String {
        switch self {
        case .thisStore:
            "This store has made no commit since it was opened that can be undone. Name an author to undo "
                + "earlier commits, or commits of other stores."
        case .author(let author): "The kept history has no commit of the author “\(author)” that can be undone."
        case .anyone: "The kept history has no commit that can be undone."
        }
    }
}
