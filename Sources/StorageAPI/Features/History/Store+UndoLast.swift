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
    /// commits that were taken from elsewhere (``Origin/taken(from:)``) and, without an author, the removal of expired records.
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
        try await undo(author, note) { (history, undo) throws(StorageError) in
            var commits = try UndoneCommits(history)
            func next() throws(StorageError) -> Int64? {
                try commits.next { header in
                    if header.origin.isTaken { return false }
                    return author.map { header.author?.utf8.elementsEqual($0.utf8) ?? false }
                        ?? (header.origin != .expiry && self.history.hasMade(header.number))
                }
            }
            while let commit = try next() {
                if let number = try undo(commit) { return number }
            }
            throw StorageError(
                .notFound,
                author.map { "The kept history has no commit of the author “\($0)” that can be undone." }
                    ?? "This store has made no commit since it was opened that can be undone. Name an author to undo what was "
                    + "written before, or by others.")
        }
    }
}
