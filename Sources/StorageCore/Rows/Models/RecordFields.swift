import StorageDriver

/// The fields of a record, and their columns in the rows of one table.
struct RecordFields: Sendable {
    /// The model's name in records that are read.
    let model: StoredName
    /// One for each of a model's cells, in their order.
    let columns: [Column]
    let relations: [Relation]

    struct Column: Sendable {
        let name: StoredName
        let type: ColumnType
        let isRequired: Bool
        let content: Content
        let check: ColumnCheck
        /// The default of a record that lacks the field.
        let initial: DeclaredDefaults.Initial?
    }

    package enum Content: Sendable {
        case value
        /// The presence of a relation's owned records.
        case presence(Int?)
    }

    struct Relation: Sendable {
        let name: StoredName
        let isMany: Bool
        let isOptional: Bool
        let isOfReferences: Bool
        /// The cell that says whether an optional array exists.
        let presence: Int?
        let writeDefault: OwnedDefault?
        /// The names that owned records may have: their path, and their model's name if it is recorded.
        let models: [StoredName]
    }

    init(_ table: TableBinding, of model: ModelTables) {
        self.model = StoredName(table.schema.storedPath.joined())
        let cells = table.columns.dropFirst(table.prefixCount)
        columns = cells.map { place in
            let column = table.schema.columns[place]
            let relation = table.relations.firstIndex { $0.storedProperty == column.storedProperty }
            // A nil key is detected with the keys.
            let isKey = table.form == .root && table.schema.key.contains(place)
            var checked = column
            // A key that the store assigns is nil in a model that is not stored yet.
            if isKey, model.assigns != nil { checked.isOptional = true }
            return Column(
                name: column.storedProperty, type: column.type, isRequired: !column.isOptional && !isKey,
                content: column.role == .presence ? .presence(relation) : .value, check: ColumnCheck(checked),
                initial: isKey ? nil : table.initials[place])
        }
        relations = table.relations.map { relation in
            let target = model.tables[relation.target].schema
            return Relation(
                name: relation.storedProperty, isMany: relation.isMany, isOptional: relation.isOptional,
                isOfReferences: model.tables[relation.target].element != nil,
                presence: table.columns.firstIndex { place in
                    table.schema.columns[place].role == .presence
                        && table.schema.columns[place].storedProperty == relation.storedProperty
                }, writeDefault: relation.writeDefault,
                models: [StoredName(target.storedPath.joined()), target.storedModel].compactMap(\.self))
        }
    }
}

/// The positions of records' fields in the rows of one table. Determined once for records whose fields come in the same
/// order, as the records of one call mostly do.
final class FieldPositions {
    let fields: RecordFields
    /// For each column its field, if any.
    private(set) var columns: [Int?]
    private(set) var relations: [Int?]
    /// The columns of the root's key, in its order.
    let keyColumns: [Int]
    private var order: [StoredName] = []
    private let names: [StoredName: Target]

    private enum Target {
        case column(Int)
        case relation(Int)
    }

    init(_ table: TableBinding, of model: ModelTables) {
        fields = RecordFields(table, of: model)
        columns = fields.columns.map { _ in nil }
        relations = fields.relations.map { _ in nil }
        keyColumns = table.form == .root ? table.keyCells.map { $0 - table.prefixCount } : []
        var names: [StoredName: Target] = [:]
        for (index, column) in fields.columns.enumerated() {
            if case .value = column.content { names[column.name] = .column(index) }
        }
        for (index, relation) in fields.relations.enumerated() { names[relation.name] = .relation(index) }
        self.names = names
    }

    /// Finds the positions of a record's fields.
    ///
    /// - Throws: `invalidValue` for a field that the model does not have, or that occurs twice.
    func find(_ fields: [DynamicRecord.Field]) throws(StorageError) {
        if isKnown(fields) { return }
        order = []
        for index in columns.indices { columns[index] = nil }
        for index in relations.indices { relations[index] = nil }
        for (index, field) in fields.enumerated() {
            let earlier: Int?
            switch names[field.storedName] {
            case .column(let column):
                earlier = columns[column]
                columns[column] = index
            case .relation(let relation):
                earlier = relations[relation]
                relations[relation] = index
            case nil: throw unknown(field.name)
            }
            guard earlier == nil else {
                throw StorageError(
                    .invalidValue, "The record has \(field.name) twice; leave one.", property: field.name)
            }
        }
        order = fields.map(\.storedName)
    }

    private func isKnown(_ fields: [DynamicRecord.Field]) -> Bool {
        guard fields.count == order.count, !order.isEmpty else { return false }
        for index in fields.indices where fields[index].storedName != order[index] { return false }
        return true
    }

    private func unknown(_ name: String) -> StorageError {
        let known = fields.columns.filter { if case .value = $0.content { true } else { false } }.map(\.name)
        let names = (known + fields.relations.map(\.name)).map(\.text)
        return StorageError(
            .invalidValue,
            "\(fields.model) has no property \(name)\(SpellingSuggestion.hint(name, among: names)); it has "
                + "\(names.joined(separator: ", ")).", property: name)
    }
}
