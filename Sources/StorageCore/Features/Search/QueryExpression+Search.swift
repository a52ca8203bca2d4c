extension ColumnSet {
    /// The condition that the record has the words of a search, as a person writes them: words, `"phrases"`, `pref*`,
    /// `-without`, `one OR other`, `property:word`. Any text is a search; a search that asks for no words finds no
    /// records.
    ///
    /// ```
    /// store.select(Note.self).where { $0.matches("swift \"storage engine\" -toy") }
    /// ```
    ///
    /// The model's `@Searchable` properties are searched by the store's index. The condition costs the reads of the
    /// index, and one lookup for each record that the index finds. The query throws `invalidQuery` if the model has no
    /// such property, and `busy` while its index is made.
    ///
    /// - Parameters:
    ///   - text: the search, as a person writes it.
    ///   - typing: true while the text is typed, so that its last word stands for all that begin with it.
    public func matches(_ text: String, typing: Bool = false) -> QueryExpression<Bool> {
        QueryExpression<Bool>(.matches(_propertyPath, SearchText(text: text, isTyping: typing)))
    }

    /// The relevance of the record for the searches of the query, by which it may be ordered: BM25, with the statistics of
    /// all records.
    ///
    /// ```
    /// store.select(Note.self).where { $0.matches(text) }.order { $0.relevance.descending }.limit(20)
    /// ```
    ///
    /// For several searches, joined by `&&` or `||`, the relevance is the sum over the searches that find the record; a
    /// negated search, or a search of a referenced record, adds 0. Use it as the first order of a query; conditions
    /// can't use it. Records of equal relevance come by the next orders, and then by key. With a limit only the best
    /// records are read.
    public var relevance: Relevance { Relevance() }
}

/// The relevance of records for a search, by which a query may be ordered.
public struct Relevance: Sendable {
    package init() {}

    /// More relevant records first.
    public var descending: OrderingTerm { OrderingTerm(node: .relevance, isDescending: true) }
    /// Less relevant records first.
    public var ascending: OrderingTerm { OrderingTerm(node: .relevance, isDescending: false) }
}

extension QueryExpression where V: TextValue {
    /// The condition that this text, which is `@Searchable`, has the words of a search; see ``ColumnSet/matches(_:typing:)``.
    public func matches(_ text: String, typing: Bool = false) -> QueryExpression<Bool> { searching(text, typing) }
}

extension QueryExpression where V == [String] {
    /// The condition that these texts, which are `@Searchable`, have the words of a search.
    public func matches(_ text: String, typing: Bool = false) -> QueryExpression<Bool> { searching(text, typing) }
}

extension QueryExpression {
    /// The condition that a search finds the record that is referred to.
    public func matches<M: Storable>(_ text: String, typing: Bool = false) -> QueryExpression<Bool> where V == Ref<M> {
        searching(text, typing)
    }

    /// The condition that a search finds the record that is referred to; false for nil.
    public func matches<M: Storable>(_ text: String, typing: Bool = false) -> QueryExpression<Bool> where V == Ref<M>? {
        searching(text, typing)
    }

    /// The condition that a search finds one of the records that are referred to.
    public func matches<M: Storable>(
        _ text: String, typing: Bool = false
    ) -> QueryExpression<Bool> where V == [Ref<M>] {
        searching(text, typing)
    }

    private func searching(_ text: String, _ typing: Bool) -> QueryExpression<Bool> {
        guard let path else { return QueryExpression<Bool>(.invalid("matches asks about a property.")) }
        return QueryExpression<Bool>(.matches(path, SearchText(text: text, isTyping: typing)), depth: depth + 1)
    }
}
