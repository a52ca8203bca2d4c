import StorageDriver

/// The tables that a model declares, before they are compared with the recorded ones.
///
/// Every owned property becomes a table. Below the entry to a recursion, if a type can reach itself, there is one table
/// of numbered nodes for each declaring type and property, so the list is finite.
package struct DeclaredTables {
    package struct Table {
        package var path: StoredPath
        /// The owning table and property; nil for the root.
        package var owner: (table: Int, property: DeclaredProperty)?
        /// The table at which the recursion of this table begins, perhaps itself.
        var entry: Int?
        /// The model whose rows the table holds.
        var model: DeclaredModel
        var form: TableBinding.Form
        /// The prefix columns; none for a root.
        var prefix: [ColumnSchema]
        /// One for each property of the model, in its order.
        package var members: [Member]
        var relations: [RelationBinding]
        var assignsKeys = false
        /// The former names of the owned property that other properties have now.
        var settledNames: [StoredName]?

        /// The name that is recorded for the owned model.
        var recordedModel: StoredName? { owner == nil ? nil : model.name }

        /// True if an owner may have several rows; nil if that is not recorded.
        var recordedIsMany: Bool? {
            guard form == .node, case .many = owner?.property.kind else { return form == .node ? false : nil }
            return true
        }

        /// True if the rows are the elements of an array of references.
        var isOfReferences: Bool { model.properties.first?.references.first?.isElement == true }

        /// True if every owner has exactly one row here.
        var isRequired: Bool {
            form == .child && owner?.property.isRequiredChild == true
        }
    }

    package struct Member {
        package var property: DeclaredProperty
        /// Its columns in its owner's row: one, of a reference one for each part of its key. Of owned properties only
        /// optional arrays have one.
        package var columns: [ColumnSchema]
        var relation: Int?
    }

    package private(set) var tables: [Table] = []
    private let models: [DeclaredModel]
    /// The root's key. Kept, as ``keyAssignment`` is, because every property asks for it, and finding it takes a search
    /// of all properties.
    private let keys: [DeclaredProperty]
    /// The way in which the store assigns the key; nil if it does not.
    private let keyAssignment: KeyAssignment?
    private var recursive: [RecursiveKey: Int] = [:]

    private struct RecursiveKey: Hashable {
        let entry: Int
        let model: Int
        let property: StoredName
    }

    /// More tables than a reasonable model has. The limit applies before the names of a diamond of types fill the
    /// memory.
    static let maximumTables = 1000

    package init(_ type: any Storable.Type) throws(StorageError) { try self.init(DeclaredModels(type)) }

    package init(_ schema: RecordSchema) throws(StorageError) { try self.init(DeclaredModels(schema)) }

    private init(_ declared: DeclaredModels) throws(StorageError) {
        models = declared.list
        keys = models[0].keys
        keyAssignment = models[0].keyAssignment
        tables = [Table(path: [model.name], model: model, form: .root, prefix: [], members: [], relations: [])]
        tables[0].assignsKeys = keyAssignment == .number
        try expand(0, at: 0, entry: nil)
    }

    /// The root's model.
    package var model: DeclaredModel { models[0] }

    /// The parts that decide whether two types declare the same: stored names, kinds and marks. Defaults are not
    /// compared.
    var signature: [DeclaredModel.Signature] { models.map(\.signature) }

    /// Fills in the members of table `index`, whose rows are of `model`; `entry` is the table above the recursion.
    private mutating func expand(_ model: Int, at index: Int, entry: Int?) throws(StorageError) {
        let entry = entry ?? (isRecursive(model) ? index : nil)
        tables[index].entry = entry
        for property in models[model].properties {
            switch property.kind {
            case .column(let type):
                tables[index].members.append(Member(property: property, columns: columns(property, [type], at: index)))
            case .reference(let types):
                tables[index].members.append(Member(property: property, columns: columns(property, types, at: index)))
            case .one(let child):
                try relate(property, child, isMany: false, owner: model, at: index, entry: entry)
            case .many(let child):
                try relate(property, child, isMany: true, owner: model, at: index, entry: entry)
            case .refused(let reason):
                throw SchemaValidation.error(model: models[model].name, property: property.name, reason)
            }
        }
    }

    private mutating func relate(
        _ property: DeclaredProperty, _ child: Int, isMany: Bool, owner: Int, at index: Int, entry: Int?
    ) throws(StorageError) {
        let presence = isMany && property.isOptional ? presenceColumn(property) : nil
        tables[index].members.append(
            Member(property: property, columns: presence.map { [$0] } ?? [], relation: tables[index].relations.count))
        let key = entry.map { RecursiveKey(entry: $0, model: owner, property: property.storedName) }
        let known = key.flatMap { recursive[$0] }
        let target = known ?? tables.count
        tables[index].relations.append(
            RelationBinding(
                storedProperty: property.storedName, property: property.name, target: target, isMany: isMany,
                isOptional: property.isOptional, writeDefault: property.writeDefault))
        guard known == nil else { return }
        if let key { recursive[key] = target }
        guard target < Self.maximumTables else {
            throw StorageError(
                .limitExceeded,
                "The owned properties make more than \(Self.maximumTables) tables; own fewer types, or refer by key.",
                model: model.name)
        }
        let path = path(of: property, below: index, entry: entry)
        guard !tables.contains(where: { $0.path == path }) else {
            throw SchemaValidation.error(
                model: tables[index].model.name, property: property.name,
                "belongs to a type whose stored name another type of the same recursion has; name one with @Storable")
        }
        tables.append(
            Table(
                path: path, owner: (index, property), model: models[child], form: entry == nil ? .child : .node,
                prefix: prefix(below: index, property, isMany: isMany, entry: entry), members: [], relations: [],
                settledNames: models[owner].settledNames(of: property)))
        try expand(child, at: target, entry: entry)
    }

    /// Below the entry of a recursion a table's path names the declaring type, so that it does not depend on the order
    /// of properties.
    private func path(of property: DeclaredProperty, below owner: Int, entry: Int?) -> StoredPath {
        guard let entry, tables[owner].model.name != tables[entry].model.name else {
            return tables[entry ?? owner].path + [property.storedName]
        }
        return tables[entry].path + [tables[owner].model.name, property.storedName]
    }

    private func prefix(
        below owner: Int, _ property: DeclaredProperty, isMany: Bool, entry: Int?
    ) -> [ColumnSchema] {
        if let entry {
            let node = ColumnSchema(name: "node", role: .node, property: "", type: .int64)
            let parent = ColumnSchema(name: "parent", role: .parent, property: "", type: .int64)
            return inheritedPrefix(of: entry) + [node, parent]
        }
        let position = ColumnSchema(name: "position", role: .position, property: property.storedName.text, type: .int64)
        return inheritedPrefix(of: owner) + (isMany ? [position] : [])
    }

    /// The leading columns that rows owned by rows of a table share with their owner.
    private func inheritedPrefix(of index: Int) -> [ColumnSchema] {
        guard index > 0 else {
            return keys.map { key in
                var type = ColumnType.int64
                if let keyType = key.kind.columnType { type = keyType }
                return ColumnSchema(
                    name: "owner_\(key.storedName)", role: .owner, property: key.storedName.text, type: type)
            }
        }
        return tables[index].prefix.map { column in
            var column = column
            if column.role == .position { column.name = column.property + "_position" }
            return column
        }
    }

    private func columns(_ property: DeclaredProperty, _ types: [ColumnType], at index: Int) -> [ColumnSchema] {
        // A key that the store assigns is nil only in models that are not stored yet.
        let isAssigned = index == 0 && keyAssignment != nil && property.storedName == keys.first?.storedName
        return types.enumerated().map { part, type in
            let name =
                types.count == 1 ? property.storedName.text : "\(property.storedName).\(property.partNames[part])"
            let reference = property.references.indices.contains(part) ? property.references[part] : nil
            var column = ColumnSchema(
                name: name, property: name, type: type, isOptional: property.isOptional && !isAssigned,
                // The index finds references to a record by the first part of its key (clause R5), and expired records
                // by their time.
                isIndexed: reference?.part == 0
                    || index == 0 && !property.traits.isDisjoint(with: [.indexed, .expires]),
                isUnique: index == 0 && property.traits.contains(.unique), reference: reference)
            column.isExpiry = index == 0 && property.traits.contains(.expires)
            column.isOwnedKey =
                index > 0 && reference?.isElement != true && tables[index].model.isKey(property.storedName)
            column.searchWeight = property.searchWeight
            column.settledNames = tables[index].model.settledNames(of: property)
            return column
        }
    }

    private func presenceColumn(_ property: DeclaredProperty) -> ColumnSchema {
        ColumnSchema(name: property.storedName.text, role: .presence, property: property.storedName.text, type: .bool)
    }

    /// Returns whether rows of a model can be owned, at any depth, by a row of it.
    private func isRecursive(_ model: Int) -> Bool {
        var seen: Set<Int> = []
        var open = [model]
        while let next = open.popLast() {
            for child in models[next].properties.compactMap(\.child) {
                if child == model { return true }
                if seen.insert(child).inserted { open.append(child) }
            }
        }
        return false
    }
}
