import StorageDriver

extension SchemaPlanner {
    /// Binds the cells of a declared table to the columns of its recorded one.
    ///
    /// - Throws: `corrupt` if the recorded table lacks a column.
    func bind(
        _ table: DeclaredTables.Table, _ index: Int, to schema: TableSchema
    ) throws(StorageError) -> TableBinding {
        // By their order: arrays at two levels may have one name.
        let leading = schema.columns.indices.filter { schema.columns[$0].role.isPrefix }
        let prefix = table.prefix.indices.map { leading.indices.contains($0) ? leading[$0] : nil }
        let own = table.members.flatMap(\.columns).map { wanted in
            schema.columns.firstIndex { $0.role == wanted.role && $0.property.isSame(as: wanted.property) }
        }
        let columns = (prefix + own).compactMap(\.self)
        guard columns.count == prefix.count + own.count else {
            throw StorageError(
                .corrupt, "The recorded schema of table \(schema.name) lacks columns that the table must have.",
                operation: "open", model: declared.model.name)
        }
        let keyCells =
            table.form == .root
            ? schema.key.compactMap { columns.firstIndex(of: $0) }
            : columns.indices.filter { $0 < prefix.count && schema.columns[columns[$0]].role == .owner }
        let references = references(of: table, columns)
        let wanted = table.members.flatMap(\.columns)
        return TableBinding(
            index: index, schema: schema, form: table.form, columns: columns, prefixCount: prefix.count,
            keyCells: keyCells, members: members(of: table, columns), relations: table.relations,
            references: references + schema.undeclaredReferences(in: columns, besides: references),
            declaredReferences: references.count,
            rules: zip(columns.dropFirst(prefix.count), wanted.map(\.rules)).map { .init(column: $0, rules: $1) },
            identity: table.model.keys.compactMap { key in
                schema.columns.firstIndex { $0.role == .property && $0.property.isSame(as: key.storedName) }
            },
            names: table.members.map { .init(name: $0.property.name, storedName: $0.property.storedName) })
    }

    private func members(of table: DeclaredTables.Table, _ columns: [Int]) -> [TableBinding.Member] {
        var cell = table.prefix.count
        var reference = 0
        return table.members.map { member in
            defer {
                cell += member.columns.count
                reference += member.property.target == nil ? 0 : 1
            }
            if let relation = member.relation { return .relation(relation) }
            let isReference = member.property.references.first?.isElement == false
            return isReference ? .reference(reference) : .column(columns[cell])
        }
    }

    private func references(of table: DeclaredTables.Table, _ columns: [Int]) -> [ReferenceBinding] {
        var cell = table.prefix.count
        var references: [ReferenceBinding] = []
        for member in table.members {
            defer { cell += member.columns.count }
            guard let target = member.property.target else { continue }
            references.append(
                ReferenceBinding(
                    property: member.property.name, target: target, schema: member.property.references[0],
                    cells: Array(cell..<cell + member.columns.count),
                    columns: Array(columns[cell..<cell + member.columns.count])))
        }
        // The elements of an array have one reference, however many columns its parts are.
        guard let first = references.first, first.schema.isElement else { return references }
        return [
            ReferenceBinding(
                property: table.owner?.property.name ?? first.property, target: first.target, schema: first.schema,
                cells: references.flatMap(\.cells), columns: references.flatMap(\.columns))
        ]
    }
}
