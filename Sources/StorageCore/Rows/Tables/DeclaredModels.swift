import StorageDriver

/// A model and everything that it owns, as a program's types or a ``RecordSchema`` declare it: the root first, and every model
/// once, so that a model that owns itself refers back to itself.
package struct DeclaredModels {
    private(set) var list: [DeclaredModel] = []
    /// The declarations of the types.
    private var schemas: [ModelSchema] = []
    private var types: [TypePlace: Int] = [:]
    private var records: [RecordPlace: Int] = [:]

    /// Two arrays of references may differ in the delete rule of their elements.
    private struct TypePlace: Hashable {
        let type: ObjectIdentifier
        let elements: ReferenceSchema?
    }

    /// Two schemas are one model if they are equal and refer back to the same schemas.
    private struct RecordPlace: Hashable {
        let schema: RecordSchema
        let ancestors: [StoredName: Int]
    }

    /// - Throws: `configuration` for a model that cannot be stored.
    init(_ type: any Storable.Type) throws(StorageError) {
        _ = add(type)
        for (index, model) in list.enumerated() { try SchemaValidation.validate(model, needsKey: index == 0) }
        try SchemaValidation.validateRules(list)
        for schema in schemas { try schema.checkPaths() }
    }

    init(_ schema: RecordSchema) throws(StorageError) {
        try SchemaValidation.checkSize(schema)
        _ = try add(schema, ancestors: [:])
        for (index, model) in list.enumerated() { try SchemaValidation.validate(model, needsKey: index == 0) }
        try SchemaValidation.validateRules(list)
        guard (list[0].keyAssignment != nil) == schema.assignsKeys else {
            throw SchemaValidation.error(
                model: schema.storedName, property: nil,
                "needs one integer or UUID key, and assignsKeys, where the store is to assign its keys")
        }
    }

    /// Types and the types that they refer to, at any distance, each once.
    package static func withTargets(_ types: [any Storable.Type]) throws(StorageError) -> [any Storable.Type] {
        var found: [any Storable.Type] = []
        var seen: Set<ObjectIdentifier> = []
        var open = types
        while !open.isEmpty {
            let next = open.removeFirst()
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            found.append(next)
            for property in try DeclaredModels(next).list.flatMap(\.properties) {
                if case .type(let target)? = property.target { open.append(target) }
            }
        }
        return found
    }

    // MARK: Types

    /// - Parameter elements: the target of the first column, if the type stands for the elements of an array of
    ///   references.
    /// - Parameter target: the model that they refer to.
    private mutating func add(
        _ type: any Storable.Type, elements: ReferenceSchema? = nil, of target: (any Storable.Type)? = nil
    ) -> Int {
        let place = TypePlace(type: ObjectIdentifier(type), elements: elements)
        if let known = types[place] { return known }
        let schema = type.schema
        let index = list.count
        types[place] = index
        schemas.append(schema)
        list.append(DeclaredModel(name: StoredName(schema.name), properties: []))
        for property in schema.properties {
            let kind: DeclaredProperty.Kind
            switch property.kind {
            case .column(let type): kind = .column(type)
            case .one(let child): kind = .one(add(child))
            case .many(let child): kind = .many(add(child))
            case .reference(let target):
                let parts = target.schema.keyProperties
                kind = .reference(parts.map { $0.columnType ?? .int64 })
                var declared = DeclaredProperty(property, kind)
                (declared.target, declared.partNames) = (.type(target), parts.map(\.storedName))
                declared.references = parts.indices.map {
                    ReferenceSchema(model: target.schema.name, onDelete: property.rule, part: $0)
                }
                // The default of a reference with several parts cannot be one value.
                if parts.count > 1 {
                    declared.defaultValue = nil
                    if property.isOptional { declared.defaultValue = { .null } }
                }
                list[index].properties.append(declared)
                continue
            case .references(let target, let elements):
                let reference = ReferenceSchema(
                    model: target.schema.name, onDelete: property.rule, isElement: true)
                kind = .many(add(elements, elements: reference, of: target))
            case .refused(let reason): kind = .refused(reason)
            }
            var declared = DeclaredProperty(property, kind)
            if var reference = elements {
                reference.part = list[index].properties.count
                declared.references = [reference]
                declared.target = target.map(ModelSource.type)
            }
            list[index].properties.append(declared)
        }
        return index
    }

    // MARK: Schemas

    private mutating func add(
        _ schema: RecordSchema, ancestors: [StoredName: Int]
    ) throws(StorageError) -> Int {
        let free = schema.ancestors
        let place = RecordPlace(schema: schema, ancestors: ancestors.filter { free.contains($0.key) })
        if let known = records[place] { return known }
        let index = list.count
        records[place] = index
        list.append(DeclaredModel(name: schema.storedName, properties: []))
        var enclosing = ancestors
        enclosing[schema.storedName] = index
        let assigned = index == 0 && schema.assignsKeys ? schema.keyNames : []
        for property in schema.properties {
            let kind = try kind(of: property, in: schema, enclosing)
            list[index].properties.append(
                DeclaredProperty(property, kind, isAssigned: assigned.contains(property.storedName)))
        }
        return index
    }

    private mutating func kind(
        of property: RecordSchema.Property, in schema: RecordSchema, _ enclosing: [StoredName: Int]
    ) throws(StorageError) -> DeclaredProperty.Kind {
        switch property.kind {
        case .column(let type): return .column(type)
        case .child(let child): return .one(try add(child, ancestors: enclosing))
        case .children(let child): return .many(try add(child, ancestors: enclosing))
        case .ancestor(let name, let isMany):
            guard let ancestor = enclosing[StoredName(name)] else {
                throw SchemaValidation.error(
                    model: schema.storedName, property: property.name,
                    "refers to \(name), and no schema around it has that name")
            }
            return isMany ? .many(ancestor) : .one(ancestor)
        }
    }
}

/// A model of a declaration.
package struct DeclaredModel {
    /// The stored name.
    package var name: StoredName
    /// In the order in which rows are read and written.
    var properties: [DeclaredProperty]

    /// The properties marked as key, or else the one called `id`.
    var keys: [DeclaredProperty] {
        let marked = properties.filter { $0.traits.contains(.key) }
        return marked.isEmpty ? properties.filter { $0.name == "id" } : marked
    }

    func isKey(_ property: StoredName) -> Bool { keys.contains { $0.storedName == property } }

    /// The key that the store assigns if the key is nil (clause K2); nil if the key must not be nil.
    var keyAssignment: KeyAssignment? {
        let keys = keys
        guard keys.count == 1, keys[0].isOptional, keys[0].references.isEmpty, case .column(let type) = keys[0].kind
        else { return nil }
        return KeyAssignment(type)
    }
}

extension DeclaredModel {
    /// The former names of a property that other properties have now. A store records them, because its data under such
    /// a name belong to the other property from then on. Nil if there are none.
    func settledNames(of property: DeclaredProperty) -> [StoredName]? {
        let names = property.renamedFrom.filter { former in
            former != property.storedName && properties.contains { $0.storedName == former }
        }
        return names.isEmpty ? nil : names
    }

    /// The parts of a declaration in which two types of one stored name must agree.
    struct Signature: Hashable {
        let name: StoredName
        let properties: [Property]

        struct Property: Hashable {
            let name: StoredName
            let former: [StoredName]
            let kind: DeclaredProperty.Kind
            let isOptional: Bool
            let traits: Int
            let references: [ReferenceSchema]
        }
    }

    var signature: Signature {
        Signature(
            name: name,
            properties: properties.map { property in
                Signature.Property(
                    name: property.storedName, former: property.renamedFrom,
                    kind: property.kind, isOptional: property.isOptional, traits: property.traits.rawValue,
                    references: property.references)
            })
    }
}

/// A property of a declared model; see ``Property``.
package struct DeclaredProperty {
    var name: String
    package var storedName: StoredName
    /// The stored names in older versions, the latest first.
    package var renamedFrom: [StoredName]
    /// True if the schema says how the property is stored so far, so that its rename is carried out whenever it is asked for. A
    /// type declares its renames for as long as older stores may exist.
    var isRenamedNow = false
    var kind: Kind
    var isOptional: Bool
    var traits: Property.Traits
    var defaultValue: (@Sendable () throws -> Value)?
    var writeDefault: OwnedDefault?
    /// The targets of its columns; empty for properties other than references.
    var references: [ReferenceSchema] = []
    /// The model that it refers to.
    var target: ModelSource?
    /// The stored names of the parts of the target's key.
    var partNames: [String] = []
    /// The weight of its words in a search; nil for a property that is not searched.
    var searchWeight: Double?

    enum Kind: Hashable {
        case column(ColumnType)
        /// A reference, by the types of its parts.
        case reference([ColumnType])
        /// An owned record of the model at this index.
        case one(Int)
        case many(Int)
        case refused(String)
    }

    init(_ property: Property, _ kind: Kind) {
        name = property.name
        storedName = StoredName(property.storedName)
        renamedFrom = property.renamedFrom.map { StoredName($0) }
        self.kind = kind
        isOptional = property.isOptional
        traits = property.traits
        defaultValue = property.defaultValue
        writeDefault = property.writeDefault
        searchWeight = property.searchWeight
    }

    /// - Parameter isAssigned: whether it is a key that may be nil in records that are not stored yet.
    init(_ property: RecordSchema.Property, _ kind: Kind, isAssigned: Bool) {
        name = property.name
        storedName = property.storedName
        renamedFrom = property.renamedFrom.map { [StoredName($0)] } ?? []
        isRenamedNow = true
        self.kind = kind
        traits = []
        if property.isKey { traits.insert(.key) }
        if property.isIndexed { traits.insert(.indexed) }
        if property.isUnique { traits.insert(.unique) }
        if property.isExpiry { traits.insert(.expires) }
        searchWeight = property.searchWeight
        isOptional = property.isOptional || isAssigned
        switch kind {
        case .one: if isOptional { defaultValue = { .null } }
        // Records that were stored before have no owned records.
        case .many: defaultValue = { .null }
        case .column, .reference, .refused: break
        }
        if let reference = property.reference {
            references = [reference]
            target = .recorded(reference.storedModel)
        }
    }

    /// True if it is a single owned record that is never nil.
    var isRequiredChild: Bool {
        if case .one = kind { !isOptional } else { false }
    }

    /// The model that it owns.
    var child: Int? {
        switch kind {
        case .one(let child), .many(let child): child
        case .column, .reference, .refused: nil
        }
    }
}

extension DeclaredProperty.Kind {
    /// The type of its one column; nil if it has none, or several.
    var columnType: ColumnType? {
        switch self {
        case .column(let type): type
        case .reference(let types): types.count == 1 ? types[0] : nil
        case .one, .many, .refused: nil
        }
    }
}

extension RecordSchema {
    fileprivate var keyNames: [StoredName] {
        let marked = properties.filter(\.isKey)
        return marked.isEmpty ? ["id"] : marked.map(\.storedName)
    }

    /// The names of enclosing schemas that this one, or one inside it, refers back to.
    fileprivate var ancestors: Set<StoredName> {
        var names: Set<StoredName> = []
        for property in properties {
            switch property.kind {
            case .column: break
            case .child(let child), .children(let child): names.formUnion(child.ancestors)
            case .ancestor(let name, isMany: _): names.insert(StoredName(name))
            }
        }
        names.remove(storedName)
        return names
    }
}

extension TableSchema {
    /// The key that is assigned to a record without a type whose key is nil.
    var assigns: KeyAssignment? {
        if assignsKeys { return .number }
        return key.count == 1 && columns[key[0]].type == .uuid ? .uuid : nil
    }
}
