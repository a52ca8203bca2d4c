import StorageDriver

/// A record that a search finds.
package struct SearchHit: Hashable {
    package let key: [Value]
    package let relevance: Double

    package init(key: [Value], relevance: Double) {
        self.key = key
        self.relevance = relevance
    }
}

/// Answers the searches of queries by indexes, so that engines need no search.
package protocol TextSearch: AnyObject, Sendable {
    /// The condition that a search finds the record at a path, or one of its texts.
    func condition(
        _ search: SearchText, at path: PropertyPath, in place: QueryLowering.Place, of query: inout QueryLowering
    ) throws(StorageError) -> QueryTerm

    /// The records of a selection that is ordered by relevance, in its order.
    ///
    /// - Parameters:
    ///   - keys: the keys of the records in scope; nil for all records.
    ///   - areAllVisible: True to assume that no layer hides a record, where that saves a query. The caller looks.
    ///   - change: changes the lowered query. The selection then has no page.
    /// - Throws: `invalidQuery` if relevance is not the first order, or no condition searches the records.
    func ranked(
        _ selection: Selection, of handle: ModelHandle, among keys: KeyList?, areAllVisible: Bool,
        in session: any StorageSession, change: QueryChange
    ) throws(StorageError) -> [SearchHit]
}

extension ModelDirectory {
    func textSearch() throws(StorageError) -> any TextSearch {
        guard let search = search as? any TextSearch else { throw StorageError.storeClosed }
        return search
    }
}
