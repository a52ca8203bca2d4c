import StorageSearch

extension String {
    /// The part of the text with the most words of a search, or its beginning if it contains no word of the search.
    ///
    /// ```
    /// let excerpt = note.body.excerpt(for: "storage engine")
    /// for range in excerpt.highlights { print(excerpt.text[range]) }
    /// ```
    ///
    /// - Parameters:
    ///   - search: The words to search for, as `matches` takes them.
    ///   - isTyping: True if the last word stands for all that begin with it, as in `matches(_:typing:)`.
    ///   - width: About the number of characters to show. The part begins and ends with whole words.
    public func excerpt(
        for search: String, typing isTyping: Bool = false, around width: Int = 160
    ) -> SearchExcerpt {
        excerpt(for: isTyping ? SearchQuery(typing: search) : SearchQuery(search), around: width)
    }
}
