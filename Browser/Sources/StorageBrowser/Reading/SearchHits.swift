import StorageAPI
import StorageJSON

/// A page of the records that a search finds, the best first.
struct SearchHits: Sendable {
    struct Hit: Sendable {
        let record: DynamicRecord
        let excerpts: [SearchedTexts.Excerpt]
    }

    var hits: [Hit] = []
    /// The number of all records that the search finds, where they meet the condition.
    var total = 0
    var hasLater = false
    /// True if the page is shorter than requested because its records are large.
    var isCut = false
}

extension RecordRequest {
    /// Reads the page of a search, from a number of records on.
    ///
    /// Records are read one after the other, so that large ones are not in memory at once.
    func hits(after count: Int, of store: Store, _ schema: RecordSchema) async throws -> SearchHits {
        let texts = SearchedTexts(schema)
        let names = schema.keyProperties.map(\.name)
        let keys = try await all(store).order(text: "relevance desc").offset(count).limit(size + 1).only(names).all()
        var page = SearchHits(total: try await all(store).count(), hasLater: keys.count > size)
        var bytes = 0
        for fields in keys.prefix(size) {
            guard bytes <= Self.maximumBytes else {
                (page.hasLater, page.isCut) = (true, true)
                break
            }
            let key = DynamicRecord(model: model, fields: fields).key(schema)
            // Pass over a record that was deleted meanwhile.
            guard let record = try await store.records(model).find(key: key) else { continue }
            bytes += record.approximateBytes
            page.hits.append(SearchHits.Hit(record: record, excerpts: texts.excerpts(of: record, for: search ?? "")))
        }
        return page
    }
}
