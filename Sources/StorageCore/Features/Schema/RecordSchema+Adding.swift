import StorageDriver

extension RecordSchema {
    /// This recorded schema with the properties of another that it lacks.
    ///
    /// Properties that the other does not name stay unchanged, so a schema that was made from a part of the data
    /// removes no property.
    /// - Throws: `schemaMismatch`, with the first property that is recorded with another kind.
    func adding(_ wanted: RecordSchema) throws(StorageError) -> RecordSchema {
        let sum = try adding(wanted, path: [])
        let keys = wanted.properties.filter(\.isKey).map(\.storedName)
        guard keys.isEmpty || keys == properties.filter(\.isKey).map(\.storedName) else {
            throw mismatch([], "\(keys.map(\.text).joined(separator: ", ")) is not the key that is stored")
        }
        guard !wanted.assignsKeys || assignsKeys || hasUUIDKey else {
            throw mismatch([], "the store does not assign its keys")
        }
        return sum
    }

    /// A model with one UUID as its key is recorded alike whether or not the store assigns it.
    private var hasUUIDKey: Bool {
        let keys = properties.filter(\.isKey)
        return keys.count == 1 && keys[0].kind == .column(.uuid)
    }

    private func adding(_ wanted: RecordSchema, path: [String]) throws(StorageError) -> RecordSchema {
        var sum = self
        for property in wanted.properties {
            if let index = sum.properties.firstIndex(where: { $0.storedName == property.storedName }) {
                sum.properties[index] = try adding(property, to: sum.properties[index], path: path + [property.name])
            } else if let former = property.renamedFrom,
                let index = sum.properties.firstIndex(where: { $0.storedName == StoredName(former) })
            {
                sum.properties[index] = try adding(property, to: sum.properties[index], path: path + [property.name])
                (sum.properties[index].name, sum.properties[index].renamedFrom) = (property.name, former)
            } else {
                sum.properties.append(property)
            }
        }
        return sum
    }

    private func adding(_ wanted: Property, to stored: Property, path: [String]) throws(StorageError) -> Property {
        var sum = stored
        switch (stored.kind, wanted.kind) {
        case (.child(let old), .child(let new)): sum.kind = .child(try old.adding(new, path: path))
        case (.children(let old), .children(let new)): sum.kind = .children(try old.adding(new, path: path))
        default:
            guard stored.kind == wanted.kind else {
                throw mismatch(path, "it is stored as \(stored.kind.words) and declared as \(wanted.kind.words)")
            }
        }
        guard stored.isOptional || !wanted.isOptional || stored.isKey else {
            throw mismatch(path, "it is stored as required and declared as Optional")
        }
        guard wanted.reference == nil || stored.reference?.storedModel == wanted.reference?.storedModel else {
            throw mismatch(
                path,
                "it refers to \(wanted.reference?.model ?? "nothing"), and is stored as "
                    + (stored.reference.map { "a reference to \($0.model)" } ?? stored.kind.words))
        }
        sum.reference = wanted.reference ?? stored.reference
        sum.isKey = stored.isKey || wanted.isKey
        sum.isIndexed = stored.isIndexed || wanted.isIndexed
        sum.isUnique = stored.isUnique || wanted.isUnique
        sum.isExpiry = stored.isExpiry || wanted.isExpiry
        sum.searchWeight = wanted.searchWeight ?? stored.searchWeight
        return sum
    }

    private func mismatch(_ path: [String], _ problem: String) -> StorageError {
        let property = path.isEmpty ? nil : path.joined(separator: ".")
        return StorageError(
            .schemaMismatch, "\(property ?? name): \(problem). Nothing was changed.", property: property)
    }
}

extension RecordSchema.Kind {
    fileprivate var words: String {
        switch self {
        case .column(let type): type.description
        case .child(let schema): "one owned \(schema.name)"
        case .children(let schema): "several owned \(schema.name)"
        case .ancestor(let name, let isMany): isMany ? "several of \(name) around it" : "one of \(name) around it"
        }
    }
}
