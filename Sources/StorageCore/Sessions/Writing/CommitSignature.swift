import StorageDriver

/// The author of a transaction, and a note about its purpose.
package final class CommitSignature {
    package var author: String?
    package var note: String?
    /// The number that the history has given the commit, at the end of the transaction; nil if the history does not
    /// record it.
    package var commit: Int64?

    package init() {}

    /// The most bytes of UTF-8 that each may have.
    static let maximumBytes = 1 << 16

    /// - Throws: `limitExceeded` for an author or a note that is too long.
    package func check() throws(StorageError) {
        for (name, text) in [("author", author), ("note", note)] {
            guard let text, text.utf8.count > Self.maximumBytes else { continue }
            throw StorageError(
                .limitExceeded,
                "The \(name) of a transaction has \(text.utf8.count) bytes, more than the limit of \(Self.maximumBytes). Keep long "
                    + "texts in a record of their own.")
        }
    }
}
