import MemoryBackend
import StorageAPI
import StorageDriver
import StorageSearch

/// The words to search for, a title, and a body, one on each line. Any text is a query, and the index of a store finds what a
/// scan of the texts finds, with the same relevance.
struct TextSearch: Fuzzed {
    private static let schema = RecordSchema(
        name: "Text",
        properties: [
            .init(name: "id", kind: .column(.int64), isKey: true),
            .init(name: "title", kind: .column(.string), searchWeight: 2),
            .init(name: "body", kind: .column(.string), searchWeight: 1),
        ])
    private static let properties = [SearchProperty("title", weight: 2), SearchProperty("body")]
    /// Texts that are stored before, so that statistics are about several records.
    private static let texts = [("", "other words"), ("a title", "a body with a few words")]

    private let store: Store

    init() throws {
        store = try wait {
            let store = try await Store(InMemoryBackend())
            try await store.prepare([Self.schema])
            for (number, (title, body)) in Self.texts.enumerated() {
                try await store.insert(Self.record(Int64(number), title: title, body: body))
            }
            return store
        }
    }

    private static func record(_ id: Int64, title: String, body: String) -> DynamicRecord {
        let fields: [(String, Value, ColumnType)] = [
            ("id", .int(id), .int64), ("title", .text(title), .string), ("body", .text(body), .string),
        ]
        return DynamicRecord(
            model: "Text", fields: fields.map { .init(name: $0.0, content: .value($0.1, $0.2)) })
    }

    func test(_ bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        let (query, title, body) = (lines[0], lines.count > 1 ? lines[1] : "", lines.count > 2 ? lines[2] : "")
        let documents = (Self.texts + [(title, body)]).map { [[$0], [$1]] }
        let scan = SearchScan(documents, properties: Self.properties)
        let found = try wait { [store] in
            try await store.save(Self.record(2, title: title, body: body))
            return try await store.records("Text").where(text: "matches ?", arguments: [.text(query)])
                .order(text: "relevance desc").all()
        }
        // The lines of a query are separated here; its own operators are not.
        let ranked = scan.ranked(SearchQuery(query, properties: Self.properties.map(\.name)))
        let expected = ranked.sorted { ($1.relevance, $0.index) < ($0.relevance, $1.index) }.map { Int64($0.index) }
        let keys = found.compactMap { record -> Int64? in
            guard case .value(.int(let id), _)? = record["id"] else { return nil }
            return id
        }
        require(keys == expected, "the index finds \(keys), and a scan \(expected)")
        _ = SearchQuery(typing: query, properties: ["title", "body"])
        let excerpt = body.excerpt(for: query)
        var end = excerpt.text.startIndex
        for range in excerpt.highlights {
            require(end <= range.lowerBound && range.upperBound <= excerpt.text.endIndex, "highlights overlap")
            end = range.upperBound
        }
    }
}
