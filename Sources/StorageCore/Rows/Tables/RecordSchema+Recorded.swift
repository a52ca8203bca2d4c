import StorageDriver

extension RecordSchema {
    /// All models of recorded tables.
    package static func all(_ tables: [TableSchema]) throws(StorageError) -> [RecordSchema] {
        var schemas: [RecordSchema] = []
        let tables = tables.filter { !$0.isRemoved }
        for root in tables where root.isRoot && !root.isStoresOwn {
            schemas.append(try RecordSchema(RecordedTables(root.storedPath[0], tables)))
        }
        return schemas
    }

    /// A model's recorded tables as a tree of properties. Omits properties that are removed from the model.
    ///
    /// Owned records keep their order. They come at the column of an optional array, or else after the columns, since a
    /// table does not record their position.
    /// - Throws: `limitExceeded` if types own each other in so many ways that the tree is too large to use.
    init(_ tables: RecordedTables) throws(StorageError) {
        var tree = RecordedTree(tables)
        self = try tree.schema(at: 0, ancestors: [])
    }
}

/// Walks a model's recorded tables as a tree.
private struct RecordedTree {
    private let tables: RecordedTables
    private var size = 0

    init(_ tables: RecordedTables) { self.tables = tables }

    /// - Parameter ancestors: the tables above, whose models' names refer back to them.
    mutating func schema(at index: Int, ancestors: [Int]) throws(StorageError) -> RecordSchema {
        let table = tables.list[index]
        size += 1
        guard size <= DeclaredTables.maximumTables else {
            throw StorageError(
                .limitExceeded,
                "The types that own each other make a tree of more than \(DeclaredTables.maximumTables).",
                model: tables.list[0].path.first)
        }
        var schema = RecordSchema(name: tables.model(of: index).text, properties: [], assignsKeys: table.assignsKeys)
        schema.isReadOnly = table.isReadOnly
        var owned = tables.owned[index]
        for (place, column) in table.columns.enumerated() where !column.isRemoved {
            switch column.role {
            case .property:
                let isKey = table.isRoot ? table.key.contains(place) : column.isOwnedKey
                schema.properties.append(RecordSchema.Property(column, isKey: isKey))
            case .presence:
                let child = owned.firstIndex { tables.list[$0].storedPath.last == column.storedProperty }
                guard let child else { break }
                // Tables are made in the order of the properties, so the tables before it belong to earlier properties.
                for earlier in owned[...child] {
                    schema.properties.append(try property(earlier, below: index, ancestors + [index]))
                }
                owned.removeFirst(child + 1)
            case .owner, .position, .node, .parent: break
            }
        }
        for child in owned { schema.properties.append(try property(child, below: index, ancestors + [index])) }
        return schema
    }

    private mutating func property(
        _ child: Int, below owner: Int, _ ancestors: [Int]
    ) throws(StorageError) -> RecordSchema.Property {
        let table = tables.list[child]
        let name = table.storedPath.last ?? ""
        let isMany = table.holdsMany(below: tables.list[owner])
        let isOptional = isMany ? tables.list[owner].hasPresence(of: name) : !table.isRequired
        let kind: RecordSchema.Kind
        if let entry = tables.entries[child], ancestors.contains(where: { isSame($0, as: child, below: entry) }) {
            kind = .ancestor(tables.model(of: child).text, isMany: isMany)
        } else {
            let schema = try schema(at: child, ancestors: ancestors)
            kind = isMany ? .children(schema) : .child(schema)
        }
        return RecordSchema.Property(name: name.text, kind: kind, isOptional: isOptional)
    }

    /// Returns whether the rows of two tables of one recursion are of one model.
    private func isSame(_ ancestor: Int, as child: Int, below entry: Int) -> Bool {
        (ancestor == entry || tables.entries[ancestor] == entry)
            && tables.model(of: ancestor) == tables.model(of: child)
    }
}

extension RecordSchema.Property {
    fileprivate init(_ column: ColumnSchema, isKey: Bool) {
        self.init(
            name: column.property, kind: .column(column.type), isOptional: column.isOptional, isKey: isKey,
            isIndexed: column.isIndexed, isUnique: column.isUnique,
            reference: column.reference)
        isExpiry = column.isExpiry
        searchWeight = column.searchWeight
    }
}
