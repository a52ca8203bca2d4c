import StorageDriver

extension SchemaPlanner {
    /// Binds the cells of a declared table to the columns of its recorded one.
    ///
    /// - Throws: `corrupt` if the recorded table lacks a column.
    func bind(
        _ table: DeclaredTables.Table, _ index: Int, to schema: TableSchema
    ) throws(StorageError) -> TableBinding {
        // By their order: arrays at two levels may have one name.
        let prefix = Array(schema.prefix.prefix(table.prefix.count))
        let own = table.members.map { member in
            member.columns.compactMap { wanted in
                schema.columns.firstIndex { $0.role == wanted.role && $0.storedProperty == wanted.storedProperty }
            }
        }
        guard prefix.count == table.prefix.count, zip(own, table.members).allSatisfy({ $0.count == $1.columns.count })
        else {
            throw StorageError(
                .corrupt, "The recorded schema of table \(schema.name) lacks columns that the table must have.",
                operation: "open", model: declared.model.name)
        }
        let columns = prefix + own.joined()
        var members: [TableBinding.Member] = []
        var references: [ReferenceBinding] = []
        for (member, own) in zip(table.members, own) {
            if let relation = member.relation {
                members.append(.relation(relation))
            } else if member.property.references.first?.isElement == false {
                members.append(.reference(references.count))
            } else {
                members.append(.column(own[0]))
            }
            guard let target = member.property.target else { continue }
            references.append(
                ReferenceBinding(
                    property: member.property.name, target: target, schema: member.property.references[0],
                    columns: own, in: columns))
        }
        // The elements of an array have one reference, however many columns its parts are.
        if let first = references.first, first.schema.isElement {
            references = [
                ReferenceBinding(
                    property: table.owner?.property.name ?? first.property, target: first.target,
                    schema: first.schema, columns: references.flatMap(\.columns), in: columns)
            ]
        }
        let rules = zip(own.joined(), table.members.flatMap(\.columns)).map { column, wanted in
            TableBinding.DeclaredRules(column: column, rules: wanted.rules)
        }
        return TableBinding(
            index: index, schema: schema, form: table.form, columns: columns, prefixCount: prefix.count,
            members: members, relations: table.relations,
            references: references + schema.undeclaredReferences(in: columns, besides: references),
            declaredReferences: references.count, rules: rules,
            identity: table.model.keys.compactMap { key in
                schema.columns.firstIndex { $0.role == .property && $0.storedProperty == key.storedName }
            },
            names: table.members.map { .init(name: StoredName($0.property.name), storedName: $0.property.storedName) })
    }
}
