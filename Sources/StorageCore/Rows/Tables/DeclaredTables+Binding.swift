import StorageDriver

extension DeclaredTables {
    /// Binds the cells of a declared table to the columns of its recorded one.
    ///
    /// - Throws: `limitExceeded` for too many columns; `corrupt` if the recorded table lacks a column.
    func binding(
        of index: Int, to schema: TableSchema, columnLimit: Int
    ) throws(StorageError) -> TableBinding {
        let table = tables[index]
        guard schema.columns.count <= columnLimit else {
            throw StorageError(
                .limitExceeded, "The table \(schema.name) has more than \(columnLimit) columns; split the model.",
                operation: "open", model: model.name)
        }
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
                operation: "open", model: model.name)
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

    /// The table that a new store makes for a declared one.
    ///
    /// - Parameter names: the names of the store's tables.
    func newTable(_ table: Table, _ names: inout NameAllocator) -> TableSchema {
        var own = NameAllocator()
        // The properties' columns get their names first, then the leading ones get the remaining names.
        let columns = table.members.flatMap(\.columns).map { column in
            var column = column
            column.name = own.allocate(column.name)
            return column
        }
        let prefix = table.prefix.map { column in
            var column = column
            column.name = own.allocate(column.name)
            return column
        }
        let all = prefix + columns
        var schema = TableSchema(
            name: names.allocate(table.path.joined(separator: "_")), path: table.path.texts, columns: all,
            key: Self.key(of: all, table, model), assignsKeys: table.assignsKeys,
            isRequired: table.isRequired, model: table.recordedModel?.text, isMany: table.recordedIsMany)
        schema.settledNames = table.settledNames
        return schema
    }

    private static func key(
        of columns: [ColumnSchema], _ table: Table, _ model: DeclaredModel
    ) -> [Int] {
        guard table.form == .root else {
            return columns.indices.filter { [.owner, .position, .node].contains(columns[$0].role) }
        }
        return model.keys.compactMap { key in
            columns.firstIndex { $0.role == .property && $0.storedProperty == key.storedName }
        }
    }
}

extension ModelTables {
    /// A declared model in the tables that a new store makes for it.
    ///
    /// - Throws: `limitExceeded` for a table of too many columns.
    package convenience init(new declared: DeclaredTables) throws(StorageError) {
        var names = NameAllocator()
        var bindings: [TableBinding] = []
        for index in declared.tables.indices {
            let schema = declared.newTable(declared.tables[index], &names)
            bindings.append(
                try declared.binding(of: index, to: schema, columnLimit: BackendInfo.Limits().columns))
        }
        self.init(name: declared.model.name, tables: bindings, assigns: declared.model.keyAssignment)
    }
}
