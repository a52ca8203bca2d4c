import StorageDriver

// A model and tables that another process has changed since the model was compared with them (clause S11).

extension ModelTables {
    /// Returns whether a store has all that the model reads and writes.
    package func isStored(in recorded: [TableSchema]) -> Bool {
        do throws(StorageError) {
            try tables.map(\.schema).requireStored(in: recorded)
            return true
        } catch {
            return false
        }
    }

    /// The same model in tables to which another process has added: writes preserve the additions (clause S7).
    ///
    /// - Throws: `schemaMismatch`, with the property that no longer fits.
    func rebound(to recorded: [TableSchema]) throws(StorageError) -> ModelTables {
        try tables.map(\.schema).requireStored(in: recorded)
        let bindings = tables.map { table in
            recorded.first { $0.name == table.schema.name }.map(table.rebound) ?? table
        }
        let own = Set(bindings.map(\.schema.name))
        let others = recorded.filter {
            !own.contains($0.name) && !$0.isForeign && $0.path.first.map { $0.isSame(as: root.schema.path[0]) } == true
        }
        return ModelTables(name: name, tables: bindings, assigns: assigns, undeclared: others)
    }
}

extension TableBinding {
    /// The same cells in the current version of the table, which has all their columns.
    fileprivate func rebound(to table: TableSchema) -> TableBinding {
        // Tables of other software keep the schema with which the model reads them.
        if schema.isForeign { return self }
        func place(_ column: Int) -> Int {
            table.columns.firstIndex { $0.name == schema.columns[column].name } ?? column
        }
        return TableBinding(
            index: index, schema: table, form: form, columns: columns.map(place), prefixCount: prefixCount,
            keyCells: keyCells,
            members: members.map { member in
                if case .column(let column) = member { .column(place(column)) } else { member }
            },
            relations: relations,
            references: references.map {
                ReferenceBinding(
                    property: $0.property, target: $0.target, schema: $0.schema, cells: $0.cells,
                    columns: $0.columns.map(place))
            },
            identity: identity.map(place), names: names)
    }
}
