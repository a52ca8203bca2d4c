import StorageDriver

/// Checks a model's declaration, and is the only check. The macro refuses most of this at compile time; a conformance
/// written by hand comes here first.
enum SchemaValidation {
    /// The most properties that make up one key.
    private static let maximumKeys = 16

    /// - Parameter needsKey: false for an owned model: it needs no key, and a key that it has is data (clauses C2 and
    ///   C8).
    static func validate(_ schema: DeclaredModel, needsKey: Bool = true) throws(StorageError) {
        try validateName(schema.name, model: schema.name, property: nil)
        let keys = needsKey ? schema.keys : []
        guard !keys.isEmpty || !needsKey else {
            throw noKey(schema.name)
        }
        guard keys.count <= maximumKeys else {
            throw error(
                model: schema.name, property: nil, "has \(keys.count) key properties; a key has at most \(maximumKeys)")
        }
        for key in keys { try validateKey(key, schema, isOnly: keys.count == 1) }
        var names: Set<StoredName> = []
        for property in schema.properties {
            try validateName(property.storedName, model: schema.name, property: property.name)
            guard names.insert(property.storedName).inserted else {
                throw error(
                    model: schema.name, property: property.name,
                    "has the stored name of another property; give it one with @Field")
            }
            try validateTraits(property, schema.name)
        }
        try validateExpiry(schema, isOwned: !needsKey)
        try validateStamps(schema, isOwned: !needsKey)
        try validateSearch(schema)
        try validateRenames(schema)
    }

    /// A delete that reached an owned record would leave its owner without it, so a rule that deletes stands in root models
    /// alone; and a reference that becomes nil has to be Optional (clause R3).
    static func validateRules(_ models: [DeclaredModel]) throws(StorageError) {
        for (index, model) in models.enumerated() {
            for property in model.properties {
                guard let reference = property.references.first else { continue }
                if reference.onDelete == .cascade, index > 0 || reference.isElement {
                    throw error(
                        model: models[0].name,
                        property: (path(to: index, models) + (reference.isElement ? [] : [property.name])).joined(
                            separator: "."),
                        "cannot cascade: only a reference of a record itself can, not one of an owned record or in an array"
                    )
                }
                if reference.onDelete == .nullify, !reference.isElement, !property.isOptional {
                    throw error(
                        model: model.name, property: property.name,
                        "is not Optional, so it cannot become nil; make it Ref<\(reference.model)>?")
                }
            }
        }
    }

    /// The names of the owned properties that lead to a model of the list.
    private static func path(to index: Int, _ models: [DeclaredModel]) -> [String] {
        // A model comes after the first that owns it, so the way to it does not go in circles.
        for (owner, model) in models.prefix(index).enumerated() {
            for property in model.properties where property.kind == .one(index) || property.kind == .many(index) {
                return path(to: owner, models) + [property.name]
            }
        }
        return []
    }

    static func noKey(_ model: StoredName) -> StorageError {
        error(
            model: model, property: nil,
            "has no key, so it can be owned but not stored by itself; name a property id, or mark the key with @Key")
    }

    /// The data of a former name go to one property. Another one may be called so today.
    private static func validateRenames(_ schema: DeclaredModel) throws(StorageError) {
        var taken: Set<StoredName> = []
        for property in schema.properties {
            for former in property.renamedFrom where !taken.insert(former).inserted {
                throw error(
                    model: schema.name, property: property.name,
                    "is renamed from \(former), which is a former name already; name it once, for the property that has its data"
                )
            }
        }
    }

    private static func validateKey(_ key: DeclaredProperty, _ schema: DeclaredModel, isOnly: Bool) throws(StorageError)
    {
        guard let type = key.kind.columnType, type.canBeKey else {
            throw error(
                model: schema.name, property: key.name,
                "cannot be a key: keys are integers, String, UUID or enums of integers or strings")
        }
        guard key.isOptional else { return }
        guard isOnly, KeyAssignment(type) != nil else {
            throw error(
                model: schema.name, property: key.name,
                "cannot be an Optional key: only a single integer or UUID is assigned by the store")
        }
    }

    private static func validateTraits(_ property: DeclaredProperty, _ model: StoredName) throws(StorageError) {
        guard !property.traits.isDisjoint(with: [.indexed, .unique]) else { return }
        switch property.kind {
        case .column(.embedded), .column(.array): break
        case .column: return
        case .reference(let types) where types.count == 1: return
        case .reference, .one, .many, .refused: break
        }
        throw error(model: model, property: property.name, "cannot be indexed or unique: only scalars can")
    }

    private static func validateExpiry(_ schema: DeclaredModel, isOwned: Bool) throws(StorageError) {
        let marked = schema.properties.filter { $0.traits.contains(.expires) }
        guard let property = marked.first else { return }
        guard property.kind == .column(.date), !property.traits.contains(.key) else {
            throw error(
                model: schema.name, property: property.name,
                "cannot be the time of expiry: that is a Date or Date?, and no key")
        }
        guard marked.count == 1 else {
            throw error(model: schema.name, property: marked[1].name, "is a second time of expiry; mark one")
        }
        guard !isOwned else {
            throw error(
                model: schema.name, property: property.name,
                "is the expiry of an owned record, which is deleted with its owner; mark one of the owner's"
            )
        }
    }

    private static func validateSearch(_ schema: DeclaredModel) throws(StorageError) {
        for property in schema.properties {
            guard let weight = property.searchWeight else { continue }
            guard property.kind == .column(.string) || property.kind == .column(.array(of: .string)) else {
                throw error(
                    model: schema.name, property: property.name, "cannot be searched: only String and [String] can")
            }
            guard weight > 0, weight <= 1e6 else {
                throw error(
                    model: schema.name, property: property.name,
                    "is searched with the weight \(weight); give one of 0 to 1,000,000"
                )
            }
        }
    }

    private static func validateStamps(_ schema: DeclaredModel, isOwned: Bool) throws(StorageError) {
        for (trait, mark) in [(Property.Traits.created, "@Created"), (.modified, "@Modified")] {
            let marked = schema.properties.filter { $0.traits.contains(trait) }
            guard let property = marked.first else { continue }
            guard property.kind == .column(.date), !property.traits.contains(.key) else {
                throw error(
                    model: schema.name, property: property.name,
                    "cannot be \(mark): that is a Date or Date?, and no key")
            }
            guard marked.count == 1 else {
                throw error(model: schema.name, property: marked[1].name, "is a second property with \(mark); mark one")
            }
            guard !isOwned else {
                throw error(
                    model: schema.name, property: property.name,
                    "is \(mark) in a record that another owns, which is written with its owner; mark one of the owner's"
                )
            }
        }
    }

    private static func validateName(_ name: StoredName, model: StoredName, property: String?) throws(StorageError) {
        guard (1...255).contains(name.text.utf8.count), !name.text.utf8.contains(0) else {
            throw error(model: model, property: property, "needs a stored name of 1 to 255 bytes without NUL")
        }
    }

    /// Refuses a schema that nests too deeply or is too large, because recursive functions walk schemas.
    static func checkSize(_ schema: RecordSchema) throws(StorageError) {
        var level = [schema]
        var count = 0
        for _ in 0..<maximumDepth {
            count += level.count
            guard count <= DeclaredTables.maximumTables else { break }
            level = level.flatMap(\.properties).compactMap(\.kind.schema)
            if level.isEmpty { return }
        }
        throw StorageError(
            .limitExceeded,
            "The schema nests deeper than \(maximumDepth) levels, or has more than \(DeclaredTables.maximumTables) owned properties.",
            operation: "open", model: schema.name)
    }

    private static let maximumDepth = 200

    static func error(model: StoredName, property: String?, _ problem: String) -> StorageError {
        let subject = property.map { "The property \($0)" } ?? "The model"
        return StorageError(
            .configuration, "\(subject) \(problem).", operation: "open", model: model, property: property)
    }
}
