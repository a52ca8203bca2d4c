import StorageDriver

/// Words to search for, as a person writes them.
package struct SearchText: Hashable, Sendable {
    package let text: String
    /// True if the last word stands for all that begin with it.
    package let isTyping: Bool
}

/// A record that a search finds.
package struct SearchHit: Hashable {
    package let key: [Value]
    package let relevance: Double

    package init(key: [Value], relevance: Double) {
        self.key = key
        self.relevance = relevance
    }
}

/// Answers searches by the indexes of a store.
package protocol TextSearch: AnyObject, Sendable {
    /// The keys of a model's records that a search finds, in any order.
    ///
    /// - Parameter column: the only column that is searched, of the model's table or a table that it owns; nil for all.
    /// - Throws: `invalidQuery` if the model or the column is not searched; `busy` while the index is made.
    func keys(
        _ search: SearchText, of model: ModelTables, _ column: (table: TableSchema, column: Int)?,
        in session: any StorageSession
    ) throws(StorageError) -> [[Value]]

    /// The records that a search finds, with their relevance.
    ///
    /// - Parameter count: the number of records from the greatest relevance on, in key order if the relevance is equal;
    ///   nil for all, in any order.
    func hits(
        _ search: SearchText, of model: ModelTables, _ column: (table: TableSchema, column: Int)?, best count: Int?,
        in session: any StorageSession
    ) throws(StorageError) -> [SearchHit]
}
