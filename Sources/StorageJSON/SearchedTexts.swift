public import StorageAPI
import StorageDriver
public import StorageSearch

/// The texts of a model that searches find, and the parts of them that have the words of a search, without the model's type.
///
/// ```
/// let texts = SearchedTexts(schema)
/// for hit in try await store.records("Note").where(text: "matches \"engine\"").limit(10).hits() {
///     for excerpt in texts.excerpts(of: hit.record, for: "engine") { print(excerpt.property, excerpt.content.text) }
/// }
/// ```
public struct SearchedTexts: Sendable {
    /// A part of a text that shows the words of a search.
    public struct Excerpt: Hashable, Sendable {
        /// The stored names of the properties that lead to the text, with points between them.
        public let property: String
        /// The part of the text with its places to highlight.
        public let content: SearchExcerpt

        /// The part divided where highlights begin and end.
        public var pieces: [(text: Substring, isHighlighted: Bool)] {
            let text = content.text
            var pieces: [(text: Substring, isHighlighted: Bool)] = []
            var end = text.startIndex
            for range in content.highlights {
                if end < range.lowerBound { pieces.append((text[end..<range.lowerBound], false)) }
                pieces.append((text[range], true))
                end = range.upperBound
            }
            if end < text.endIndex { pieces.append((text[end...], false)) }
            return pieces
        }
    }

    private struct Place: Sendable {
        let path: [String]
        let weight: Double

        var name: String { path.joined(separator: ".") }
    }

    private let places: [Place]
    /// The place of the texts that tell which record it is: the first one of the greatest weight.
    private let title: Int?

    /// The most excerpts of one property, of which an array and owned records have several.
    private static let maximumExcerpts = 3
    /// The beginning of a text that is looked at, in bytes.
    private static let maximumBytes = 1 << 20

    /// The searched texts of a model and of what it owns.
    public init(_ schema: RecordSchema) {
        places = Self.places(of: schema, behind: [])
        let greatest = places.map(\.weight).max()
        title = places.firstIndex { $0.weight == greatest }
    }

    /// A Boolean value that indicates whether the model has no text that searches find.
    public var isEmpty: Bool { places.isEmpty }

    /// The stored names of the properties, with points between those that lead to a text of an owned record.
    public var names: [String] { places.map(\.name) }

    /// The name of the property of the greatest weight, which is usually a title; nil if none exists.
    public var titleName: String? { title.map { places[$0].name } }

    /// The parts of a record's texts that have words of a search, three of each property at most. The title is among them in any
    /// case. Of a text of more than a megabyte the first one is looked at.
    ///
    /// - Parameters:
    ///   - record: A record of the model with all its properties.
    ///   - search: The words to search for, as `matches` takes them.
    ///   - width: About the number of characters of each part.
    public func excerpts(of record: DynamicRecord, for search: String, around width: Int = 160) -> [Excerpt] {
        let query = SearchQuery(search, properties: names)
        return places.enumerated().flatMap { number, place -> [Excerpt] in
            let texts = Self.texts(of: record, place.path[...]).filter { !$0.isEmpty }
            let all = texts.lazy.map {
                $0.beginning(Self.maximumBytes).excerpt(for: query, property: place.name, around: width)
            }
            var parts = Array(all.filter { !$0.highlights.isEmpty }.prefix(Self.maximumExcerpts))
            if parts.isEmpty, number == title, let first = all.first { parts = [first] }
            return parts.map { Excerpt(property: place.name, content: $0) }
        }
    }

    private static func places(of schema: RecordSchema, behind path: [String]) -> [Place] {
        schema.properties.flatMap { property -> [Place] in
            let path = path + [property.name]
            switch property.kind {
            case .column: return property.searchWeight.map { [Place(path: path, weight: $0)] } ?? []
            case .child(let child), .children(let child): return places(of: child, behind: path)
            case .ancestor: return []
            }
        }
    }

    private static func texts(of record: DynamicRecord, _ path: ArraySlice<String>) -> [String] {
        guard let name = path.first, let field = record.fields.first(where: { $0.storedName == StoredName(name) })
        else {
            return []
        }
        switch field.content {
        case .value(.text(let text), .array): return ArrayElements.texts(text)
        case .value(.text(let text), _): return [text]
        case .value, .child(nil), .children(nil): return []
        case .child(let child?): return texts(of: child, path.dropFirst())
        case .children(let children?): return children.flatMap { texts(of: $0, path.dropFirst()) }
        }
    }
}

extension String {
    /// The text up to a number of bytes, without a part of a scalar at the end.
    fileprivate func beginning(_ bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
