import StorageAPI
import StorageDriver

/// One record with all that leads from it and to it.
struct RecordView: Sendable {
    let schema: RecordSchema
    let key: [Value]
    /// Nil if no record has the key at the time that is shown.
    let record: DynamicRecord?
    let labels: Labels
    let referring: [Referring]
    /// Nil if the store keeps no history of the model.
    let history: RecordHistory?
    /// The commit as of which the record is shown; nil for now.
    let commit: Int?

    /// The records that refer to this one by one property.
    struct Referring: Sendable {
        let relation: Relation
        let condition: String
        /// Nil if counting would examine a large model.
        let count: Int?
        let first: [(key: [String], label: String?)]
        let schema: RecordSchema
    }

    /// The most records of a model that are examined to count the references to one record.
    private static let maximumExamined = 100_000

    static func load(
        _ schema: RecordSchema, key: [Value], asOf commit: Int?, reading: Site.Reading
    ) async throws -> RecordView {
        let store = reading.store
        let history = try await RecordHistory.load(schema, key: key, store)
        let record: DynamicRecord?
        if let commit {
            guard let history else {
                throw StorageError(.notKept, "The store keeps no history of \(schema.name).", model: schema.name)
            }
            record = try history.record(asOf: commit)
        } else {
            record = try await store.records(schema.name).find(key: key)
        }
        let labels = try await Labels.load(
            for: record.map { [$0] } ?? [], relations: Relation.all(of: schema), elements: OwnedTable.most,
            schemas: reading.schemas, store: store)
        var referring: [Referring] = []
        for other in reading.schemas {
            for relation in Relation.all(of: other) where relation.target == schema.name {
                referring.append(try await load(relation, of: other, key: key, reading: reading))
            }
        }
        return RecordView(
            schema: schema, key: key, record: record, labels: labels, referring: referring, history: history,
            commit: commit)
    }

    private static func load(
        _ relation: Relation, of schema: RecordSchema, key: [Value], reading: Site.Reading
    ) async throws -> Referring {
        let condition = relation.condition(on: key)
        let isIndexed = relation.isArray || relation.parts[0].isIndexed || relation.parts[0].isUnique
        let isSmall = reading.counts[schema.name].map { $0 <= maximumExamined } ?? false
        guard isIndexed && relation.owners.isEmpty || isSmall else {
            return Referring(relation: relation, condition: condition, count: nil, first: [], schema: schema)
        }
        let records = reading.store.records(schema.name).where(text: condition)
        let names = (schema.keyProperties + schema.label).map(\.name).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        let first = try await records.limit(5).only(names).all().map { fields in
            let record = DynamicRecord(model: schema.name, fields: fields)
            return (key: schema.texts(record.key(schema)), label: record.label(schema))
        }
        return Referring(
            relation: relation, condition: condition, count: try await records.count(), first: first, schema: schema)
    }
}
