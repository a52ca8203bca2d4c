/// Compares one recorded table with its declared form.
struct TableComparison {
    let old: TableSchema
    let table: DeclaredTables.Table
    /// Owned properties of this table's rows that are recorded already.
    let recordedRelations: Set<String>
    private(set) var steps: [SchemaStep] = []

    private var new: TableSchema
    private var sources: [ColumnSource] = []
    private var needsRebuild = false
    private var notes: [String] = []

    init(old: TableSchema, table: DeclaredTables.Table, recordedRelations: Set<String>) {
        self.old = old
        self.table = table
        self.recordedRelations = recordedRelations
        new = old
        new.path = table.path
        new.assignsKeys = table.assignsKeys
        new.isRequired = table.isRequired
    }

    mutating func run() throws(StorageError) -> TableSchema {
        try comparePrefix()
        for index in old.columns.indices { sources.append(source(of: index, in: old.columns[index])) }
        var kept: Set<Int> = []
        for member in table.members {
            guard let wanted = member.column else { continue }
            if let index = storedColumn(for: wanted, member.property) {
                kept.insert(index)
                try compare(index, wanted, member.property)
            } else {
                try add(wanted, member.property)
            }
        }
        try removeColumns(except: kept)
        try compareKey()
        if old.assignsKeys != new.assignsKeys { needsRebuild = true }
        finish()
        return new
    }

    private mutating func comparePrefix() throws(StorageError) {
        let stored = old.columns.filter { [.owner, .position, .node, .parent].contains($0.role) }
        guard stored.map(\.role) == table.prefix.map(\.role), old.isMany == nil || old.isMany == table.recordedIsMany
        else {
            throw mismatch(
                table.owner?.property.name,
                "is owned in another way than it is stored (one child, several, or a recursive type)")
        }
        for (column, wanted) in zip(stored, table.prefix) {
            guard let index = new.columns.firstIndex(of: column) else { continue }
            // Positions carry the property's name, which may have been declared as renamed.
            new.columns[index].property = wanted.property
            if column.type != wanted.type {
                guard ValueConversion.exists(from: column.type, to: wanted.type) else {
                    throw mismatch(wanted.property, "is stored as \(column.type) and declared as \(wanted.type)")
                }
                new.columns[index].type = wanted.type
                needsRebuild = true
            }
        }
    }

    private func storedColumn(for wanted: ColumnSchema, _ property: DeclaredProperty) -> Int? {
        func place(_ name: String) -> Int? {
            old.columns.firstIndex { $0.role == wanted.role && $0.property == name }
        }
        if let index = place(wanted.property) { return index }
        guard let former = property.renamedFrom else { return nil }
        return place(former)
    }

    private mutating func compare(
        _ index: Int, _ wanted: ColumnSchema, _ property: DeclaredProperty
    ) throws(StorageError) {
        let stored = old.columns[index]
        var column = stored
        column.isIndexed = wanted.isIndexed
        column.isUnique = wanted.isUnique
        column.isRemoved = false
        if stored.property != wanted.property { rename(&column, to: wanted, from: stored) }
        if stored.type != wanted.type {
            guard ValueConversion.exists(from: stored.type, to: wanted.type) else {
                throw mismatch(property.name, "is stored as \(stored.type) and declared as \(wanted.type)")
            }
            column.type = wanted.type
            needsRebuild = true
            notes.append("type of \(wanted.property) changed from \(stored.type) to \(wanted.type)")
        }
        if stored.isOptional != wanted.isOptional {
            column.isOptional = wanted.isOptional
            needsRebuild = true
            notes.append("\(wanted.property) is \(wanted.isOptional ? "now" : "no longer") Optional")
        }
        new.columns[index] = column
        sources[index] = ColumnSource(
            column: index, missing: try missingValue(wanted, property, returns: stored.isRemoved), from: stored.type,
            to: column, error: conversionError(stored, wanted, property))
    }

    private mutating func rename(_ column: inout ColumnSchema, to wanted: ColumnSchema, from stored: ColumnSchema) {
        var names = NameAllocator(used: new.columns.map(\.name))
        column.name = names.allocate(wanted.property)
        column.property = wanted.property
        notes.append("\(stored.property) renamed to \(wanted.property)")
    }

    private mutating func add(_ wanted: ColumnSchema, _ property: DeclaredProperty) throws(StorageError) {
        var names = NameAllocator(used: new.columns.map(\.name))
        var column = wanted
        column.name = names.allocate(wanted.name)
        let missing: Value?
        if wanted.role == .presence {
            // An array that was not Optional was there in every record; a new property is nil in all of them.
            let names = [property.storedName, property.renamedFrom].compactMap(\.self)
            missing = .int(recordedRelations.isDisjoint(with: names) ? 0 : 1)
        } else {
            missing = try missingValue(wanted, property, returns: true)
        }
        if missing == nil { steps.append(.requireEmpty(old, noValueError(property))) }
        new.columns.append(column)
        sources.append(
            ColumnSource(
                column: nil, missing: missing ?? .null, from: wanted.type, to: column, error: noValueError(property)))
        if missing == nil { needsRebuild = true }
        notes.append("property \(wanted.property) added")
    }

    /// What rows without a value read: the default, or nil where the property is Optional.
    private func missingValue(
        _ wanted: ColumnSchema, _ property: DeclaredProperty, returns isNew: Bool
    ) throws(StorageError) -> Value? {
        guard isNew else { return wanted.isOptional ? .null : nil }
        guard let value = property.defaultValue else { return wanted.isOptional ? .null : nil }
        do {
            return try value()
        } catch {
            throw StorageError(
                .invalidValue, "The default value cannot be encoded.", operation: "open", model: table.model.name,
                property: property.name, underlying: error)
        }
    }

    private mutating func removeColumns(except kept: Set<Int>) throws(StorageError) {
        for index in old.columns.indices where !kept.contains(index) {
            let column = old.columns[index]
            guard column.role == .property || column.role == .presence, !column.isRemoved else { continue }
            if column.role == .presence {
                steps.append(
                    .requireTrue(
                        old, column: index,
                        mismatch(column.property, "is nil in some records and is no longer Optional")))
            }
            new.columns[index].isRemoved = true
            new.columns[index].isIndexed = false
            new.columns[index].isUnique = false
            if !column.isOptional {
                new.columns[index].isOptional = true
                sources[index].to = new.columns[index]
                needsRebuild = true
            }
            notes.append("property \(column.property) is gone; its values are kept")
        }
    }

    private func compareKey() throws(StorageError) {
        guard table.form == .root else { return }
        let wanted = table.model.keys.map(\.storedName)
        guard old.key.map({ new.columns[$0].property }) == wanted else {
            throw mismatch(
                wanted.first,
                "is the key, and the stored key is \(old.key.map { old.columns[$0].property }.joined(separator: ", "))")
        }
    }

    private mutating func finish() {
        // A schema without them gets them with its next change, and only where records need them (the types that own
        // themselves) at once: opening alone changes nothing else.
        if old.model != nil || new != old || table.form == .node {
            (new.model, new.isMany) = (table.recordedModel, table.recordedIsMany)
        }
        guard new != old else { return }
        if new.model != old.model || new.isMany != old.isMany { notes.append("rows are of \(table.model.name)") }
        let note = notes.isEmpty ? "indexes changed" : notes.joined(separator: "; ")
        if needsRebuild {
            steps.append(.rebuild(from: old, to: new, sources: sources, note: note))
        } else {
            let added = sources[old.columns.count...].map { $0.missing ?? .null }
            steps.append(.change(.alter(from: old, to: new, added: Array(added)), note: note))
        }
    }

    private func source(of index: Int, in column: ColumnSchema) -> ColumnSource {
        ColumnSource(
            column: index, missing: nil, from: column.type, to: new.columns[index],
            error: mismatch(column.property, "cannot be converted"))
    }

    // MARK: Errors

    private func conversionError(
        _ stored: ColumnSchema, _ wanted: ColumnSchema, _ property: DeclaredProperty
    ) -> StorageError {
        let was = "\(stored.type)\(stored.isOptional ? "?" : "")"
        let wants = "\(wanted.type)\(wanted.isOptional ? "?" : "")"
        return mismatch(property.name, "is stored as \(was) and declared as \(wants), and a stored value does not fit")
    }

    private func noValueError(_ property: DeclaredProperty) -> StorageError {
        mismatch(
            property.name,
            "is new and has no value for the records that are stored already: make it Optional or give it a default")
    }

    private func mismatch(_ property: String?, _ problem: String) -> StorageError {
        StorageError(
            .schemaMismatch, "\(property ?? table.path.joined(separator: ".")) \(problem). Nothing was changed.",
            operation: "open", model: table.path.first, property: property)
    }
}
