import StorageDriver

// The comparison's questions, which change no state, and its errors.
extension TableComparison {
    func formerNames() throws(StorageError) -> FormerNames {
        let declared = table.members.flatMap { member in
            member.columns.filter { $0.role == .property }.map {
                FormerNames.Declared(property: member.property, name: $0.storedProperty)
            }
        }
        let recorded = old.columns.filter { $0.role == .property }.map {
            FormerNames.Recorded(
                name: $0.storedProperty, isRemoved: $0.isRemoved, settledNames: $0.settledNames ?? [])
        }
        return try FormerNames(declared, recorded, kinds: kinds) { (name) throws(StorageError) in
            try place(name, .property).map { (column) throws(StorageError) in try data.isIn(column, of: old) } ?? false
        }
    }

    /// Returns the value in rows written before a property existed: the default, or nil if it is Optional.
    func missingValue(_ wanted: ColumnSchema, _ property: DeclaredProperty) throws(StorageError) -> Value? {
        // An array that was not Optional existed in every record; a new property is nil in all of them.
        if wanted.role == .presence { return .int(owned.declared(property) == nil ? 0 : 1) }
        guard let value = property.defaultValue else { return wanted.isOptional ? .null : nil }
        do {
            return try value()
        } catch {
            throw StorageError(
                .invalidValue, "The default value cannot be encoded.", operation: "open", model: table.model.name,
                property: property.name, underlying: error)
        }
    }

    /// Returns the value in rows without a value of a property that comes back. Nil is a value of an Optional one.
    func returningValue(_ wanted: ColumnSchema, _ property: DeclaredProperty) throws(StorageError) -> Value? {
        if wanted.role == .presence { return .int(owned.declared(property)?.isRemoved == false ? 1 : 0) }
        return wanted.isOptional ? nil : try missingValue(wanted, property)
    }

    /// Returns whether the name is that of a declared property whose rows are recorded under another.
    func isTakenByRename(_ name: StoredName) -> Bool {
        table.members.contains { member in
            member.relation != nil && member.property.storedName == name
                && owned.declared(member.property).map { $0.storedPath.last != name } == true
        }
    }

    /// Returns whether the rows recorded under a name belong to a declared property with another name.
    func isMoved(_ name: StoredName) -> Bool {
        table.members.contains { member in
            member.relation != nil && member.property.storedName != name
                && owned.declared(member.property)?.storedPath.last == name
        }
    }

    // MARK: Errors

    func conversionError(
        _ stored: ColumnSchema, to wanted: ColumnSchema, of property: DeclaredProperty
    ) -> StorageError {
        let was = "\(stored.type)\(stored.isOptional ? "?" : "")"
        let wants = "\(wanted.type)\(wanted.isOptional ? "?" : "")"
        return mismatch(property.name, "is stored as \(was) and declared as \(wants), and a stored value does not fit")
    }

    func noValueError(_ property: DeclaredProperty) -> StorageError {
        mismatch(
            property.name,
            "is new and has no value for stored records: make it Optional or give it a default")
    }

    func otherForm() -> StorageError {
        let property = table.owner?.property
        return mismatch(
            property?.name,
            "is owned in another way than it is stored: one, several, by reference, or in a type that owns itself. "
                + (property.map(PropertyKinds.advice) ?? "Declare it as it is stored"))
    }

    func mismatch(_ property: String?, _ problem: String) -> StorageError {
        StorageError(
            .schemaMismatch, "\(property ?? table.path.joined()) \(problem). Nothing was changed.",
            operation: "open", model: table.path.texts.first, property: property)
    }
}
