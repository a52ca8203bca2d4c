import StorageSearch

extension String {
    /// The part of the text with the most words of a search, or its beginning if it has none of them.
    ///
    /// ```
    /// let excerpt = note.body.excerpt(for: "storage engine")
    /// for range in excerpt.highlights { print(excerpt.text[range]) }
    /// ```
    ///
    /// - Parameters:
    ///   - search: The words to search for, as `matches` takes them.
    ///   - width: About the number of characters to show. The part begins and ends with whole words.
    public func excerpt(for search: String, around width: Int = 160) -> SearchExcerpt {
        excerpt(for: SearchQuery(search), around: width)
    }
}
