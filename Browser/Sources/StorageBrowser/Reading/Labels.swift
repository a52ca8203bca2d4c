import StorageAPI
import StorageDriver
import StorageJSON

/// The labels of referenced records, by model and by the text of their key.
struct Labels: Sendable {
    private var known: [String: [String: String]] = [:]
    private static let maximumBytes = 1 << 20

    /// Reads the labels of the records that some refer to, by one query for each reference. References by keys of several parts
    /// are shown without labels.
    ///
    /// - Parameter elements: the number of elements of each array of references that need a label.
    static func load(
        for records: [DynamicRecord], relations: [Relation], elements: Int, schemas: [RecordSchema], store: Store
    ) async throws -> Labels {
        var labels = Labels()
        for relation in relations where relation.parts.count == 1 && relation.owners.isEmpty {
            let keys =
                relation.isArray
                ? records.flatMap { $0.elements(relation).prefix(elements).compactMap(\.first) }
                : records.compactMap { $0.value(relation.name) }
            try await labels.add(
                Set(keys.filter { !$0.isNull }), of: relation.target, schemas: schemas, store: store)
        }
        return labels
    }

    /// Reads the labels of records by their keys.
    mutating func add(_ keys: Set<Value>, of model: String, schemas: [RecordSchema], store: Store) async throws {
        guard let target = schemas.first(where: { $0.name == model }), !target.label.isEmpty, !keys.isEmpty,
            let key = target.keyProperties.first, target.keyProperties.count == 1
        else { return }
        let marks = keys.map { _ in "?" }.joined(separator: ", ")
        let found = store.records(model).where(text: "\(key.name.queryName) in {\(marks)}", arguments: Array(keys))
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

extension DynamicRecord {
    /// The keys that an array of references has, in its order.
    func elements(_ relation: Relation) -> [[Value]] {
        guard case .children(let elements?)? = self[relation.name] else { return [] }
        return elements.map { element in relation.parts.map { element.value($0.name) ?? .null } }
    }
}
