import StorageAPI
import StorageDriver
import StorageJSON

/// The labels of referenced records, by model and by the text of their key.
struct Labels: Sendable {
    private var known: [String: [String: String]] = [:]
    private static let maximumBytes = 1 << 20

    /// Reads the labels of the records that some refer to, by one query for each reference. Keys of several parts have none.
    static func load(
        for records: [DynamicRecord], relations: [Relation], schemas: [RecordSchema], store: Store
    ) async throws -> Labels {
        var labels = Labels()
        for relation in relations where relation.parts.count == 1 && !relation.isArray && relation.owners.isEmpty {
            let keys = Set(records.compactMap { $0.value(relation.name) }.filter { !$0.isNull })
            try await labels.add(Array(keys), of: relation.target, schemas: schemas, store: store)
        }
        return labels
    }

    /// Reads the labels of records by their keys.
    mutating func add(_ keys: [Value], of model: String, schemas: [RecordSchema], store: Store) async throws {
        guard let target = schemas.first(where: { $0.name == model }), !target.label.isEmpty, !keys.isEmpty,
            let key = target.keyProperties.first, target.keyProperties.count == 1
        else { return }
        let marks = keys.map { _ in "?" }.joined(separator: ", ")
        let found = store.records(model).where(text: "\(key.name.queryName) in {\(marks)}", arguments: keys)
        var bytes = 0
        for try await fields in found.only([key.name] + target.label.map(\.name)).stream() {
            let record = DynamicRecord(model: model, fields: fields)
            bytes += record.approximateBytes
            guard bytes < Self.maximumBytes else { return }
            guard let text = record.label(target), let value = record.value(key.name) else { continue }
            known[model, default: [:]][value.text(as: key.columnType) ?? ""] = text
        }
    }

    /// Returns the label of the record of a model with a key.
    func label(_ model: String, _ key: String) -> String? { known[model]?[key] }
}
