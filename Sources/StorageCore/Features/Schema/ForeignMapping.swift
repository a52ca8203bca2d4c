import StorageDriver

/// Maps a model onto a table that other software made, by the names of its columns. The table stays as it is, so a
/// model that it cannot hold is refused.
struct ForeignMapping {
    private let foreign: TableSchema
    private let table: DeclaredTables.Table

    init(_ foreign: TableSchema, _ table: DeclaredTables.Table) {
        self.foreign = foreign
        self.table = table
    }

    /// The table with the types that the model gives its columns, and with the model's key.
    ///
    /// - Throws: `schemaMismatch` if a column is missing or its type cannot stand for the property's, if the key is not
    ///   the table's, or if the table does not enforce `@Unique`; `unsupported` if a property is searched, or if a property of a
    ///   model that can only be read would be written.
    func schema() throws(StorageError) -> TableSchema {
        var schema = foreign
        if foreign.isReadOnly { try requireReadable() }
        for wanted in table.members.flatMap(\.columns) {
            let index = try column(wanted)
            let stored = foreign.columns[index]
            // A computed column has no declared type. Each value is checked when it is read.
            guard
                wanted.type == stored.type || wanted.type.row.standsFor.contains(stored.type) || foreign.isReadOnly
            else {
                throw mismatch(wanted.property, "is \(stored.type) in the table and declared as \(wanted.type)")
            }
            guard wanted.searchWeight == nil else {
                throw StorageError(
                    .unsupported,
                    "The property \(wanted.property) cannot be searched: other software writes the table without the "
                        + "store's index. Copy the records into a table of the store.",
                    operation: "open", property: wanted.property)
            }
            guard !wanted.isUnique || stored.isUnique || foreign.key == [index] else {
                throw mismatch(wanted.property, "is declared @Unique, and the table does not see to that")
            }
            schema.columns[index].type = wanted.type
            schema.columns[index].isOptional = wanted.isOptional
            schema.columns[index].reference = wanted.reference
            schema.columns[index].isExpiry = wanted.isExpiry
        }
        schema.key = try key()
        schema.assignsKeys = table.assignsKeys
        return schema
    }

    /// The guarantees that the table does not give the model, and need not give.
    var notes: [SchemaStep] {
        table.members.flatMap(\.columns).compactMap { wanted in
            guard wanted.isIndexed, let index = place(of: wanted.storedProperty) else {
                return nil
            }
            guard !foreign.columns[index].isIndexed, !foreign.key.starts(with: [index]) else { return nil }
            return .note("\(wanted.property) has no index in a table of other software, and gets none", foreign.name)
        }
    }

    private func place(of property: StoredName) -> Int? {
        foreign.columns.firstIndex { $0.storedProperty == property }
    }

    private func column(_ wanted: ColumnSchema) throws(StorageError) -> Int {
        guard wanted.role == .property else {
            throw mismatch(
                wanted.property, "is an optional array of owned models, which would need a column of its own")
        }
        if let index = place(of: wanted.storedProperty) { return index }
        let names = foreign.columns.map(\.property).joined(separator: ", ")
        throw mismatch(wanted.property, "is no column of the table, which has \(names)")
    }

    /// Refuses properties that need tables of their own, and the removal of expired records.
    private func requireReadable() throws(StorageError) {
        let owned = table.relations.first?.property
        let expiring = table.members.flatMap(\.columns).first(where: \.isExpiry)?.property
        guard let property = owned ?? expiring else { return }
        throw StorageError(
            .unsupported,
            "\(foreign.name) is a view, or a table without a key, and can only be read; leave \(property) out of the model, or make it "
                + "a plain property.", operation: "open", model: table.model.name, property: property)
    }

    /// The table's key, in the model's order, or a column that is unique. Of a view the model knows which columns are its key.
    private func key() throws(StorageError) -> [Int] {
        let wanted = table.model.keys.compactMap { place(of: $0.storedName) }
        if foreign.isReadOnly, wanted.count == table.model.keys.count { return wanted }
        if Set(wanted) == Set(foreign.key) { return wanted }
        if let only = wanted.first, wanted.count == 1, foreign.columns[only].isUnique { return wanted }
        let key = foreign.key.map { foreign.columns[$0].property }.joined(separator: ", ")
        throw mismatch(table.model.keys.first?.storedName.text, "is the key, and the table's key is \(key)")
    }

    private func mismatch(_ property: String?, _ problem: String) -> StorageError {
        StorageError(
            .schemaMismatch,
            "\(property ?? foreign.name) \(problem). Other software created the table \(foreign.name), so it is not changed.",
            operation: "open", model: table.model.name, property: property)
    }
}
