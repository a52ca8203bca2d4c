import StorageDriver

/// The author of a transaction, a note about its purpose, and its origin.
package final class CommitSignature {
    package var author: String?
    package var note: String?
    package var origin = CommitOrigin.call
    /// True while a rule of a reference changes records, and no call does.
    package var isByRule = false
    /// The number that the history has given the commit, at the end of the transaction; nil if the history does not
    /// record it.
    package var commit: Int64?

    package init() {}

    /// The most bytes of UTF-8 that each may have.
    static let maximumBytes = 1 << 16

    /// - Throws: `limitExceeded` for an author, a note or the name of an origin that is too long.
    package func check() throws(StorageError) {
        var texts = [("author", author), ("note", note)]
        if case .taken(let source) = origin { texts.append(("origin", source)) }
        for (name, text) in texts {
            guard let text, text.utf8.count > Self.maximumBytes else { continue }
            throw StorageError(
                .limitExceeded,
                "The \(name) of a transaction has \(text.utf8.count) bytes, more than the limit of \(Self.maximumBytes). Keep long "
                    + "texts in a record of their own.")
        }
    }
}
