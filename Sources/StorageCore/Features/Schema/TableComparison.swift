import StorageDriver

/// Compares one recorded table with its declaration.
struct TableComparison {
    let old: TableSchema
    let table: DeclaredTables.Table
    /// The recorded properties that this table owns.
    let owned: RecordedOwned
    let data: StoredData
    /// The properties whose undeclared rules are removed.
    let removals: RuleRemovals
    private(set) var steps: [SchemaStep] = []

    private var new: TableSchema
    private var sources: [ColumnSource] = []
    private var needsRebuild = false
    private var notes: [String] = []
    /// Columns that a declared property has, or that it needs out of the way.
    private var kept: Set<Int> = []
    private var dropped: Set<Int> = []

    init(
        old: TableSchema, table: DeclaredTables.Table, owned: RecordedOwned, data: StoredData, removals: RuleRemovals
    ) {
        self.old = old
        self.table = table
        self.owned = owned
        self.data = data
        self.removals = removals
        new = old
        new.storedPath = table.path
        // Keys that were assigned are never used again, whatever an older program declares (clause K2).
        new.assignsKeys = table.assignsKeys || old.assignsKeys && Self.mayAssign(table)
        new.isRequired = table.isRequired
        (new.isRemoved, new.keepsRules) = (false, nil)
        new.settledNames = old.settledNames.adding(table.settledNames)
    }

    /// Returns whether the model's keys can come from the numbers that the store assigns. These end at Int64.max, so a
    /// key of the type UInt64 rules that out.
    private static func mayAssign(_ table: DeclaredTables.Table) -> Bool {
        table.model.keys.allSatisfy { $0.kind.columnType != .uint64 }
    }

    mutating func run() throws(StorageError) -> TableSchema {
        try comparePrefix()
        for index in old.columns.indices { sources.append(source(of: index, in: old.columns[index])) }
        let names = try formerNames()
        for column in names.replaced.compactMap({ place($0, .property) }) { drop(column) }
        for (member, wanted) in table.members.flatMap({ member in member.columns.map { (member, $0) } }) {
            if let index = try storedColumn(for: wanted, member.property, names) {
                kept.insert(index)
                try compare(index, to: wanted, of: member.property)
            } else {
                try add(wanted, member.property)
            }
        }
        removeColumns()
        keepOneExpiry()
        try compareKey()
        if old.assignsKeys != new.assignsKeys { needsRebuild = true }
        finish()
        return new
    }

    private mutating func comparePrefix() throws(StorageError) {
        let stored = old.columns.filter { [.owner, .position, .node, .parent].contains($0.role) }
        guard stored.map(\.role) == table.prefix.map(\.role), old.isMany == nil || old.isMany == table.recordedIsMany
        else {
            throw otherForm()
        }
        guard old.isRoot || old.isOfReferences == table.isOfReferences else { throw otherForm() }
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

    func place(_ name: StoredName, _ role: ColumnSchema.Role) -> Int? {
        old.columns.firstIndex { $0.role == role && $0.storedProperty == name }
    }

    /// The column that a property has, or had under a former name; nil if it has none yet.
    ///
    /// - Throws: `schemaMismatch` if one of the names belongs to owned records.
    private mutating func storedColumn(
        for wanted: ColumnSchema, _ property: DeclaredProperty, _ names: FormerNames
    ) throws(StorageError) -> Int? {
        let current = place(wanted.storedProperty, wanted.role)
        if wanted.role == .presence {
            let former = owned.declared(property)?.storedPath.last ?? wanted.storedProperty
            let isOthers = isMoved(wanted.storedProperty)
            if former == wanted.storedProperty { return isOthers ? nil : current }
            // It is deleted with its property's rows.
            if let current, !isOthers { drop(current) }
            return place(former, .presence)
        }
        let source = names.source(of: wanted.storedProperty)
        if current == nil, source == nil {
            for former in property.renamedFrom {
                guard let rows = owned.byName[former], !rows.isRemoved else { continue }
                throw kinds.isOwned(rows, renamedTo: property)
            }
        }
        if current == nil, let rows = owned.byName[property.storedName] { throw kinds.isOwned(rows, property) }
        return source.flatMap { place($0, .property) }
    }

    /// Removes an empty column whose name another one gets.
    private mutating func drop(_ index: Int) {
        kept.insert(index)
        dropped.insert(index)
        needsRebuild = true
    }

    var kinds: PropertyKinds { PropertyKinds(table: table, owner: old) }

    private mutating func compare(
        _ index: Int, to wanted: ColumnSchema, of property: DeclaredProperty
    ) throws(StorageError) {
        let stored = old.columns[index]
        var column = stored
        let wanted = try recorded(stored, with: wanted, property)
        compareMarks(stored, wanted)
        compareSearch(stored, wanted)
        (column.isIndexed, column.isUnique) = (wanted.isIndexed, wanted.isUnique)
        (column.isExpiry, column.searchWeight) = (wanted.isExpiry, wanted.searchWeight)
        // A schema without types may not know the key.
        column.isOwnedKey = wanted.isOwnedKey || stored.isOwnedKey && !declaresOwnedKey
        column.settledNames = stored.settledNames.adding(wanted.settledNames)
        column.isRemoved = false
        try compareReferences(stored, to: wanted, of: property)
        column.reference = wanted.reference
        if stored.storedProperty != wanted.storedProperty { rename(&column, to: wanted, from: stored) }
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
            column: index, missing: stored.isRemoved ? try returningValue(wanted, property) : nil, from: stored.type,
            to: column, error: conversionError(stored, to: wanted, of: property))
    }

    /// Returns the declared column with the recorded rules that the program does not declare and does not remove (clause S14).
    ///
    /// - Throws: `schemaMismatch` for a reference whose column gets a type that no key has.
    private mutating func recorded(
        _ stored: ColumnSchema, with wanted: ColumnSchema, _ property: DeclaredProperty
    ) throws(StorageError) -> ColumnSchema {
        guard !removals.contains(stored, of: old, as: wanted) else { return wanted }
        var column = wanted
        let reference = old.binds(stored) ? stored.reference : nil
        column.isIndexed = wanted.isIndexed || stored.isIndexed
        column.isUnique = wanted.isUnique || stored.isUnique
        column.isExpiry = wanted.isExpiry || stored.isExpiry
        column.searchWeight = wanted.searchWeight ?? stored.searchWeight
        column.reference = wanted.reference ?? reference
        if wanted.reference == nil, let reference, wanted.type.storage != stored.type.storage {
            throw mismatch(
                property.name,
                "is stored as a reference to \(reference.model) and declared as \(wanted.type). Declare the reference, or "
                    + "open the store once with removingRules(of:)")
        }
        if column.rules != wanted.rules {
            steps.append(
                .note(
                    "\(wanted.property) keeps a rule that the program does not declare; removingRules(of:) removes it",
                    old.name))
        }
        return column
    }

    private mutating func compareMarks(_ stored: ColumnSchema, _ wanted: ColumnSchema) {
        if stored.isIndexed != wanted.isIndexed {
            notes.append("\(wanted.property) \(wanted.isIndexed ? "gets" : "loses") its index")
        }
        if stored.isUnique != wanted.isUnique {
            notes.append("\(wanted.property) is \(wanted.isUnique ? "now" : "no longer") unique")
        }
        if stored.isExpiry != wanted.isExpiry {
            notes.append("records \(wanted.isExpiry ? "expire" : "no longer expire") at \(wanted.property)")
        }
    }

    private mutating func compareSearch(_ stored: ColumnSchema, _ wanted: ColumnSchema) {
        guard stored.searchWeight != wanted.searchWeight else { return }
        guard let weight = wanted.searchWeight else {
            return notes.append("\(wanted.property) is no longer searched")
        }
        notes.append("\(wanted.property) is searched with the weight \(weight)")
    }

    private mutating func compareReferences(
        _ stored: ColumnSchema, to wanted: ColumnSchema, of property: DeclaredProperty
    ) throws(StorageError) {
        guard let old = stored.reference, let new = wanted.reference else {
            if let new = wanted.reference { notes.append("\(wanted.property) refers to \(new.model)") }
            if let old = stored.reference { notes.append("\(wanted.property) no longer refers to \(old.model)") }
            return
        }
        guard old.storedModel == new.storedModel, old.part == new.part else {
            throw mismatch(
                property.name,
                "is stored as a reference to \(old.model) and declared as one to \(new.model). "
                    + PropertyKinds.advice(property))
        }
        if old.onDelete != new.onDelete {
            notes.append("\(wanted.property) is \(new.onDelete) on delete, and was \(old.onDelete)")
        }
    }

    private var takenNames: [String] {
        // Also the names that columns have until the change is carried out, one after the other.
        [new, old].flatMap { table in
            table.columns.indices.filter { !dropped.contains($0) }.map { table.columns[$0].name }
        }
    }

    private mutating func rename(_ column: inout ColumnSchema, to wanted: ColumnSchema, from stored: ColumnSchema) {
        var names = NameAllocator(used: takenNames)
        column.name = names.allocate(wanted.property)
        column.property = wanted.property
        notes.append("\(stored.property) renamed to \(wanted.property)")
    }

    private mutating func add(_ wanted: ColumnSchema, _ property: DeclaredProperty) throws(StorageError) {
        var names = NameAllocator(used: takenNames)
        var column = wanted
        column.name = names.allocate(wanted.name)
        let missing = try missingValue(wanted, property)
        if missing == nil { steps.append(.requireEmpty(old, noValueError(property))) }
        new.columns.append(column)
        sources.append(
            ColumnSource(
                column: nil, missing: missing ?? .null, from: wanted.type, to: column, error: noValueError(property)))
        if missing == nil { needsRebuild = true }
        notes.append("property \(wanted.property) added")
    }

    private mutating func removeColumns() {
        for index in old.columns.indices where !kept.contains(index) {
            let column = old.columns[index]
            if column.role == .presence {
                // The column said whether another property's array was nil. A renamed property, whose rows are recorded
                // under a former name, now has its name.
                if isTakenByRename(column.storedProperty), !isMoved(column.storedProperty) {
                    drop(index)
                    continue
                }
                removePresence(index)
            }
            if column.role == .property, removals.contains(column, of: old, as: column) { removeRules(index) }
            guard column.role == .property || column.role == .presence, !column.isRemoved else { continue }
            remove(index)
            let kept = new.columns[index].isRuled ? "its values and rules" : "its values"
            notes.append("property \(column.property) is gone; \(kept) are kept")
        }
    }

    /// Marks a column as removed. Its rules stay, unless another property takes them over.
    private mutating func remove(_ index: Int) {
        new.columns[index].isRemoved = true
        if !new.columns[index].isOptional {
            new.columns[index].isOptional = true
            needsRebuild = true
        }
        sources[index].to = new.columns[index]
    }

    /// A model has one time of expiry, so a declared one takes the place of a recorded one.
    private mutating func keepOneExpiry() {
        guard let wanted = table.members.flatMap(\.columns).first(where: \.isExpiry) else { return }
        for index in new.columns.indices where new.columns[index].isExpiry {
            let column = new.columns[index]
            if column.storedProperty == wanted.storedProperty, !column.isRemoved { continue }
            new.columns[index].isExpiry = false
            notes.append("records no longer expire at \(column.property)")
        }
    }

    private mutating func removeRules(_ index: Int) {
        var column = new.columns[index]
        (column.isIndexed, column.isUnique, column.isExpiry) = (false, false, false)
        (column.searchWeight, column.reference) = (nil, nil)
        guard column != new.columns[index] else { return }
        new.columns[index] = column
        notes.append("the rules of \(column.property) are removed")
    }

    /// The column that distinguishes nil from an empty array is useless now: the array is not Optional any more, or
    /// removed.
    private mutating func removePresence(_ index: Int) {
        let column = old.columns[index]
        let property = table.members.first { member in
            member.relation != nil && owned.declared(member.property)?.storedPath.last == column.storedProperty
        }?.property
        if let property {
            new.columns[index].storedProperty = property.storedName
            guard !column.isRemoved || owned.declared(property)?.isRemoved == true else { return }
            steps.append(
                .requireTrue(
                    old, column: index, mismatch(property.name, "is nil in some records and is no longer Optional")))
        } else if column.isRemoved, owned.byName[column.storedProperty]?.isRemoved == false {
            // While the array was not Optional, this column was not written: the array was never nil.
            sources[index].missing = .int(1)
            needsRebuild = true
        }
    }

    private func compareKey() throws(StorageError) {
        guard table.form == .root else { return }
        let wanted = table.model.keys.map(\.storedName)
        guard old.key.map({ new.columns[$0].storedProperty }) == wanted else {
            throw mismatch(
                wanted.first?.text,
                "is the key, and the stored key is \(old.key.map { old.columns[$0].property }.joined(separator: ", "))")
        }
    }

    private mutating func finish() {
        // A schema that lacks these two properties gets them with its next change, because they alone must not make
        // opening change a schema. Only tables of recursive types get them at once, because their records need them.
        if old.model != nil || new != old && !changesKeyMarksAlone || table.form == .node {
            (new.storedModel, new.isMany) = (table.recordedModel, table.recordedIsMany)
        }
        takeOutDropped()
        guard new != old || needsRebuild else { return }
        if new.storedModel != old.storedModel || new.isMany != old.isMany {
            notes.append("rows are of \(table.model.name)")
        }
        if changesKeyMarksAlone { notes.append("the key of \(table.model.name) is recorded") }
        let note = notes.isEmpty ? "marks changed" : notes.joined(separator: "; ")
        if isOnlyMarked || changesKeyMarksAlone {
            steps.append(.mark(.alter(from: old, to: new, added: []), note: note))
        } else if needsRebuild {
            steps.append(.rebuild(from: old, to: new, sources: sources, note: note))
        } else {
            let added = sources[old.columns.count...].map { $0.missing ?? .null }
            steps.append(.change(.alter(from: old, to: new, added: Array(added)), note: note))
        }
    }

    private mutating func takeOutDropped() {
        let left = new.columns.indices.filter { !dropped.contains($0) }
        guard left.count < new.columns.count else { return }
        sources = left.map { sources[$0] }
        new.key = new.key.compactMap(left.firstIndex)
        new.columns = left.map { new.columns[$0] }
    }

    private var declaresOwnedKey: Bool {
        table.members.contains { $0.columns.contains(where: \.isOwnedKey) }
    }

    /// True if the marks of an owned type's key are the only difference. Reading and writing do not need them.
    private var changesKeyMarksAlone: Bool {
        guard new != old, !needsRebuild, new.columns.count == old.columns.count else { return false }
        var unmarked = new
        for index in old.columns.indices { unmarked.columns[index].isOwnedKey = old.columns[index].isOwnedKey }
        return unmarked == old
    }

    /// True if removed properties are the only difference.
    private var isOnlyMarked: Bool {
        guard !needsRebuild, new.columns.count == old.columns.count else { return false }
        var unmarked = new
        for index in old.columns.indices where !kept.contains(index) { unmarked.columns[index] = old.columns[index] }
        return unmarked == old
    }

    private func source(of index: Int, in column: ColumnSchema) -> ColumnSource {
        ColumnSource(
            column: index, missing: nil, from: column.type, to: new.columns[index],
            error: mismatch(column.property, "cannot be converted"))
    }
}
