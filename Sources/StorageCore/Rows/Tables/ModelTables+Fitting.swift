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
    /// - Throws: `schemaMismatch`, with the property that no longer fits, or whose declared rule is gone (clause S14).
    func rebound(to recorded: [TableSchema]) throws(StorageError) -> ModelTables {
        try tables.map(\.schema).requireStored(in: recorded)
        var bindings: [TableBinding] = []
        for table in tables {
            let now = recorded.first { $0.name == table.schema.name }
            bindings.append(try now.map { (now) throws(StorageError) in try table.rebound(to: now) } ?? table)
        }
        let own = Set(bindings.map(\.schema.name))
        let others = recorded.filter {
            !own.contains($0.name) && !$0.isForeign && $0.storedPath.first == root.schema.storedPath[0]
        }
        return ModelTables(name: name, tables: bindings, assigns: assigns, undeclared: others)
    }

    /// The same model in the tables by which it reads and writes, with the references that are recorded now.
    func bound(like now: ModelTables) -> ModelTables {
        let bindings = zip(tables, now.tables).map { $0.bound(like: $1) }
        return ModelTables(name: name, tables: bindings, assigns: assigns, undeclared: undeclared)
    }
}

extension TableBinding {
    /// The same cells in the current version of the table, which has all their columns.
    ///
    /// - Throws: `schemaMismatch` if a rule is gone that the program declares.
    fileprivate func rebound(to table: TableSchema) throws(StorageError) -> TableBinding {
        // Tables of other software keep the schema with which the model reads them.
        if schema.isForeign { return self }
        func place(_ column: Int) -> Int {
            table.columns.firstIndex { $0.name == schema.columns[column].name } ?? column
        }
        for declared in rules {
            guard let problem = declared.rules.missing(in: table.columns[place(declared.column)]) else { continue }
            throw table.changed(schema.columns[declared.column].property, problem)
        }
        let columns = columns.map(place)
        let declared = references.prefix(declaredReferences).map { reference in
            let places = reference.columns.map(place)
            let recorded = table.columns[places[0]].reference ?? reference.schema
            return ReferenceBinding(
                property: reference.property, target: reference.target, schema: recorded, cells: reference.cells,
                columns: places)
        }
        return copy(
            table, columns: columns,
            members: members.map { member in
                if case .column(let column) = member { .column(place(column)) } else { member }
            },
            references: declared + table.undeclaredReferences(in: columns, besides: declared),
            rules: rules.map { .init(column: place($0.column), rules: $0.rules) }, identity: identity.map(place))
    }

    /// This binding with the references of the same cells in another one.
    fileprivate func bound(like other: TableBinding) -> TableBinding {
        let references = other.references.map { reference in
            ReferenceBinding(
                property: reference.property, target: reference.target, schema: reference.schema,
                cells: reference.cells, columns: reference.cells.map { columns[$0] })
        }
        return copy(
            schema, columns: columns, members: members, references: references, rules: rules, identity: identity)
    }

    private func copy(
        _ schema: TableSchema, columns: [Int], members: [Member], references: [ReferenceBinding],
        rules: [DeclaredRules], identity: [Int]
    ) -> TableBinding {
        TableBinding(
            index: index, schema: schema, form: form, columns: columns, prefixCount: prefixCount, keyCells: keyCells,
            members: members, relations: relations, references: references, declaredReferences: declaredReferences,
            rules: rules, identity: identity, names: names)
    }
}
