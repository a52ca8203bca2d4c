import StorageDriver

/// The search indexes of a store, which answer the searches of its queries.
package protocol SearchIndexes: TextSearch {
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
