/// The tables that a model declares, before they meet what a store has recorded.
///
/// Every owned property becomes a table. Where a type can reach itself the tables take the node form, one for each
/// declaring type and property below the place where the recursion is entered, so the list ends.
struct DeclaredTables {
    struct Table {
        var path: [String]
        /// The owning table and property; nil for the root.
        var owner: (table: Int, property: Property)?
        /// The model whose rows the table holds.
        var model: ModelSchema
        var form: TableBinding.Form
        /// The leading columns, and for a root nothing.
        var prefix: [ColumnSchema]
        /// One for each property of the model, in its order.
        var members: [Member]
        var relations: [RelationBinding]
        var assignsKeys = false

        /// Whether every owner has exactly one row here.
        var isRequired: Bool {
            guard let property = owner?.property, case .one = property.kind else { return false }
            return !property.isOptional && form == .child
        }

        /// Whether an owner may have several rows here; nil for the root.
        var isMany: Bool? {
            guard let property = owner?.property else { return nil }
            if case .many = property.kind { return true }
            return false
        }
    }

    struct Member {
        var property: Property
        /// The column that stands for it in its owner's row: none for children, but for optional arrays.
        var column: ColumnSchema?
        var relation: Int?
    }

    private(set) var tables: [Table] = []
    let model: ModelSchema
    private var recursive: [RecursiveKey: Int] = [:]
    private var schemas: [ObjectIdentifier: ModelSchema] = [:]

    private struct RecursiveKey: Hashable {
        let entry: Int
        let type: ObjectIdentifier
        let property: String
    }

    /// More tables than a sane model has, before the names of a diamond of types fill the memory.
    static let mostTables = 1000

    init(_ type: any Storable.Type) throws(StorageError) {
        model = type.schema
        schemas[ObjectIdentifier(type)] = model
        try SchemaValidation.validate(model)
        tables = [Table(path: [model.name], model: model, form: .root, prefix: [], members: [], relations: [])]
        tables[0].assignsKeys = model.assignsKeys
        try expand(type, at: 0, entry: nil)
    }

    private mutating func schema(of type: any Storable.Type) throws(StorageError) -> ModelSchema {
        if let known = schemas[ObjectIdentifier(type)] { return known }
        let schema = type.schema
        schemas[ObjectIdentifier(type)] = schema
        try SchemaValidation.validate(schema)
        return schema
    }

    /// Fills in the members of table `index`, whose rows are of `type`; `entry` is the table above the recursion.
    private mutating func expand(_ type: any Storable.Type, at index: Int, entry: Int?) throws(StorageError) {
        let schema = try schema(of: type)
        let isRecursive = entry == nil ? try reaches(type, from: type) : false
        let entry = entry ?? (isRecursive ? index : nil)
        for property in schema.properties {
            switch property.kind {
            case .column(let type):
                tables[index].members.append(Member(property: property, column: column(property, type, at: index)))
            case .one(let child):
                try relate(property, child, isMany: false, owner: type, index, entry)
            case .many(let child):
                try relate(property, child, isMany: true, owner: type, index, entry)
            case .refused(let reason):
                throw SchemaValidation.error(schema.name, property.name, reason)
            }
        }
    }

    private mutating func relate(
        _ property: Property, _ child: any Storable.Type, isMany: Bool, owner: any Storable.Type, _ index: Int,
        _ entry: Int?
    ) throws(StorageError) {
        let presence = isMany && property.isOptional ? presenceColumn(property) : nil
        tables[index].members.append(
            Member(property: property, column: presence, relation: tables[index].relations.count))
        let key = entry.map {
            RecursiveKey(entry: $0, type: ObjectIdentifier(owner), property: property.storedName)
        }
        let known = key.flatMap { recursive[$0] }
        let target = known ?? tables.count
        tables[index].relations.append(
            RelationBinding(
                storedProperty: property.storedName, property: property.name, target: target, isMany: isMany,
                isOptional: property.isOptional))
        guard known == nil else { return }
        if let key { recursive[key] = target }
        guard target < Self.mostTables else {
            throw StorageError(
                .limitExceeded,
                "The owned properties make more than \(Self.mostTables) tables; own fewer types, or refer by key.",
                model: model.name)
        }
        let path = path(of: property, below: index, entry: entry)
        guard !tables.contains(where: { $0.path == path }) else {
            throw SchemaValidation.error(
                tables[index].model.name, property.name,
                "belongs to a type whose stored name another type of the same recursion has; name one with @Storable")
        }
        tables.append(
            Table(
                path: path, owner: (index, property), model: try schema(of: child), form: entry == nil ? .child : .node,
                prefix: prefix(below: index, property, isMany: isMany, entry: entry), members: [], relations: []))
        try expand(child, at: target, entry: entry)
    }

    /// Below the entry of a recursion a table's path names the declaring type, so that it does not depend on the order
    /// in which properties lead there.
    private func path(of property: Property, below owner: Int, entry: Int?) -> [String] {
        guard let entry, tables[owner].model.name != tables[entry].model.name else {
            return tables[entry ?? owner].path + [property.storedName]
        }
        return tables[entry].path + [tables[owner].model.name, property.storedName]
    }

    private func prefix(
        below owner: Int, _ property: Property, isMany: Bool, entry: Int?
    ) -> [ColumnSchema] {
        if let entry {
            let node = ColumnSchema(name: "node", role: .node, property: "", type: .int64)
            let parent = ColumnSchema(name: "parent", role: .parent, property: "", type: .int64)
            return inheritedPrefix(of: entry) + [node, parent]
        }
        let position = ColumnSchema(name: "position", role: .position, property: property.storedName, type: .int64)
        return inheritedPrefix(of: owner) + (isMany ? [position] : [])
    }

    /// The leading columns that rows owned by rows of a table share with their owner.
    private func inheritedPrefix(of index: Int) -> [ColumnSchema] {
        guard index > 0 else {
            return model.keys.map { key in
                var type = ColumnType.int64
                if case .column(let keyType) = key.kind { type = keyType }
                return ColumnSchema(
                    name: "owner_" + key.storedName, role: .owner, property: key.storedName, type: type)
            }
        }
        return tables[index].prefix.map { column in
            var column = column
            if column.role == .position { column.name = column.property + "_position" }
            return column
        }
    }

    private func column(_ property: Property, _ type: ColumnType, at index: Int) -> ColumnSchema {
        // A key that the store assigns is nil only in models that are not stored yet.
        let isAssigned = index == 0 && model.assignsKeys && property.name == model.keys.first?.name
        return ColumnSchema(
            name: property.storedName, property: property.storedName, type: type,
            isOptional: property.isOptional && !isAssigned,
            isIndexed: index == 0 && property.traits.contains(.indexed),
            isUnique: index == 0 && property.traits.contains(.unique))
    }

    private func presenceColumn(_ property: Property) -> ColumnSchema {
        ColumnSchema(name: property.storedName, role: .presence, property: property.storedName, type: .bool)
    }

    /// Whether rows of `type` can be owned, at any depth, by a row of `start`.
    private mutating func reaches(
        _ type: any Storable.Type, from start: any Storable.Type
    ) throws(StorageError) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        var open: [any Storable.Type] = [start]
        while let next = open.popLast() {
            for property in try schema(of: next).properties {
                let child: any Storable.Type
                switch property.kind {
                case .one(let type), .many(let type): child = type
                case .column, .refused: continue
                }
                if ObjectIdentifier(child) == ObjectIdentifier(type) { return true }
                if seen.insert(ObjectIdentifier(child)).inserted { open.append(child) }
            }
        }
        return false
    }
}
