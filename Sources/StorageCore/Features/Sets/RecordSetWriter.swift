import StorageDriver

/// Stores and removes a set of records of several models in one step, and judges it as a whole: unique values, references and
/// delete rules count when all of it is done.
package struct RecordSetWriter {
    private typealias Obstacle = RecordSetRefusal.Obstacle

    /// A part of the set with its records' keys.
    private struct Given {
        let part: any RecordSetPart
        let writing: RecordWriter
        let keys: KeyList
        /// The records that an obstacle keeps out, by their indices.
        var skipped: Set<Int> = []
    }

    /// Records of a model that are removed.
    private struct Removed {
        let writing: RecordWriter
        var keys: KeyList

        /// True if a database of other software applies its own rules to the records.
        var isForeign: Bool { writing.model.root.schema.isForeign }
    }

    private let context: TransactionContext
    private var given: [Given] = []
    private var removed: [Removed] = []
    /// The places of the removed records' models.
    private var removedPlaces: [StoredName: Int] = [:]
    /// The keys of the given records, by model.
    private var givenKeys: [StoredName: Set<[Value]>] = [:]
    /// The records that the set replaces, and whose unique values others of the set take, by model.
    private var displaced: [StoredName: Set<[Value]>] = [:]
    private var obstacles: [Obstacle] = []

    package init(_ context: TransactionContext) { self.context = context }

    /// - Throws: `invalidValue` if the set contradicts itself; `constraint`, with a ``RecordSetRefusal``, if records stand
    ///   against it; errors of saving and deleting.
    package mutating func write(
        _ parts: [any RecordSetPart], removing keys: [(model: ModelSource, key: [Value])]
    ) throws(StorageError) {
        try collect(parts)
        try collect(keys)
        try findSameValues()
        let dangling = try context.judgingReferences { () throws(StorageError) in try store() }
        for reference in dangling {
            // A record that another obstacle keeps out would be stored.
            if givenKeys[reference.target]?.contains(reference.targetKey) == true { continue }
            // Records that make room are put back with references to records that are removed, and then lose them. Rules decide
            // on such references of other records.
            if !isGiven(reference), isRemoved(reference.targetKey, of: reference.target) { continue }
            obstacles.append(reference.obstacle(isRemoved: false))
        }
        try settle()
        let refusal = RecordSetRefusal(obstacles: obstacles)
        let advice = "Put them into the set as they shall be, or remove them in it."
        if let error = refusal.error(against: "the set", advice) { throw error }
    }

    // MARK: The set

    private mutating func collect(_ parts: [any RecordSetPart]) throws(StorageError) {
        for part in parts {
            let writing = try context.writing(part.model)
            let keys = try part.keys(by: writing)
            for (index, key) in keys.enumerated() {
                if givenKeys[writing.handle.name, default: []].insert(key).inserted { continue }
                throw contradiction("The set has two records with this key; give it one.", in: writing, key)
                    .with { $0.element = part.place(of: index) }
            }
            given.append(Given(part: part, writing: writing, keys: keys))
        }
    }

    private mutating func collect(_ keys: [(model: ModelSource, key: [Value])]) throws(StorageError) {
        var last: (source: ModelSource, writing: RecordWriter)?
        for (source, key) in keys {
            // Keys of one model mostly follow each other, and a model is looked up once for all of them.
            var known: RecordWriter?
            if let last, last.source.isSame(as: source) { known = last.writing }
            let writing = if let known { known } else { try context.writing(source) }
            last = (source, writing)
            let name = writing.handle.name
            guard key.count == writing.model.rootKeyCount else {
                throw contradiction(
                    "The key to remove has \(key.count) values, and the model's keys have "
                        + "\(writing.model.rootKeyCount).", in: writing, key)
            }
            if givenKeys[name]?.contains(key) == true {
                throw contradiction("The set stores and removes this record; let it do one of both.", in: writing, key)
            }
            let place = removedPlaces[name] ?? removed.endIndex
            if place == removed.endIndex {
                removedPlaces[name] = place
                removed.append(Removed(writing: writing, keys: KeyList(width: key.count)))
            }
            removed[place].keys.append(key)
        }
        for place in removed.indices {
            let writing = removed[place].writing
            // Of records that are not stored, no rule applies.
            let given = removed[place].keys.distinct
            let stored = try writing.handle.stored(among: given, in: writing.writer)
            var keys = given.filter(stored.contains)
            if !keys.isEmpty, let hooks = context.hooks, writing.decidesDeletions {
                keys = try hooks.deletable(keys, of: writing.handle)
            }
            removed[place].keys = KeyList(width: writing.model.rootKeyCount, keys)
        }
    }

    private func contradiction(_ message: String, in writing: RecordWriter, _ key: [Value]) -> StorageError {
        StorageError(.invalidValue, message, model: writing.model.name, key: key)
    }

    // MARK: Unique values

    /// Finds the records that have a unique value of another one of the set: obstacles outside it, and records that the set
    /// replaces or removes, whose values are free before others take them.
    private mutating func findSameValues() throws(StorageError) {
        for place in given.indices {
            let columns = given[place].writing.model.root.uniqueColumns
            for column in columns { try findSameValues(of: column, place) }
        }
    }

    private mutating func findSameValues(
        of column: (cell: Int, schema: ColumnSchema, index: Int), _ place: Int
    ) throws(StorageError) {
        let (part, writing, keys) = (given[place].part, given[place].writing, given[place].keys)
        let name = writing.handle.name
        var owners: [Value: Int] = [:]
        var values: [Value] = []
        for (index, value) in try part.values(of: [column.cell], by: writing).enumerated() where !value[0].isNull {
            if let other = owners.updateValue(index, forKey: value[0]) {
                // Several of the set have the value.
                owners[value[0]] = other
                refuse(index, of: place, like: keys[other], in: column.schema)
            } else {
                values.append(value[0])
            }
        }
        let root = writing.model.root.schema
        let plan = writing.handle.plan(
            Query(
                .columns(root.key + [column.index]), filter: .isIn(.column(column.index), list: 0, column.schema.type)))
        let going = removedPlaces[name].map { removed[$0].isForeign ? [] : Set(removed[$0].keys) } ?? []
        for wanted in KeyList(width: 1, values.map { [$0] }).parts(of: RecordReader.partOfRecords) {
            var cursor = try writing.writer.rows(plan, QueryArguments(lists: [wanted.list]))
            while try cursor.next() {
                let holder = root.key.indices.map { cursor.cells[$0].value }
                let value = cursor.cells[root.key.count].value
                guard let owner = owners[value], keys[owner] != holder, !going.contains(holder) else { continue }
                if givenKeys[name]?.contains(holder) == true {
                    displaced[name, default: []].insert(holder)
                } else {
                    refuse(owner, of: place, like: holder, in: column.schema)
                }
            }
        }
    }

    /// Notes that a record has the unique value of the set's record at an index, which is kept out.
    private mutating func refuse(_ index: Int, of place: Int, like other: [Value], in column: ColumnSchema) {
        let key = given[place].keys[index]
        given[place].skipped.insert(index)
        obstacles.append(
            Obstacle(
                model: given[place].writing.model.name.text, key: other, property: column.property,
                reason: .sameValue(asKey: key)))
    }

    // MARK: Writing

    private mutating func store() throws(StorageError) {
        // A database of other software applies its rules at once, so its records go last.
        for part in removed where part.keys.count > 0 && !part.isForeign {
            let cells = part.keys.cells
            _ = try part.writing.deleteRows(cells.rows)
        }
        try makeRoom()
        for part in given { try part.part.put(without: part.skipped, by: part.writing) }
    }

    /// Frees the unique values of the records that are replaced by others with these values: takes the records out, and puts
    /// them back with their new values, and with the data that no program declares.
    private func makeRoom() throws(StorageError) {
        var records: [(writing: RecordWriter, records: [DynamicRecord])] = []
        for part in given {
            guard let moving = displaced[part.writing.handle.name], !part.writing.model.root.schema.isForeign else {
                continue
            }
            let indices = part.keys.indices.filter { moving.contains(part.keys[$0]) && !part.skipped.contains($0) }
            guard !indices.isEmpty else { continue }
            let writing = try context.writing(.whole(part.writing.handle.name))
            let columns = part.writing.model.root.uniqueColumns
            let values = try part.part.values(of: columns.map(\.cell), by: part.writing)
            let keys = KeyList(width: part.keys.width, indices.map { part.keys[$0] })
            let former = try RecordReader(handle: writing.handle, session: writing.writer).find(
                DynamicRecord.self, keys: Array(keys))
            let cells = keys.cells
            _ = try writing.deleteRows(cells.rows)
            records.append(
                (
                    writing,
                    zip(indices, former).compactMap { index, record in
                        record.map { $0.setting(columns.map(\.schema), to: values[index]) }
                    }
                ))
        }
        guard !records.isEmpty else { return }
        // Layers change the records when they are stored as given, and not now.
        let signature = context.hooks == nil ? nil : context.signature
        let origin = signature?.origin ?? .call
        if origin == .call { signature?.origin = .undo }
        defer { signature?.origin = origin }
        for part in records { _ = try part.writing.put(part.records, .insert) }
    }

    /// Carries out the rules of the references to removed records, and collects the references that deny it.
    private mutating func settle() throws(StorageError) {
        let native = removed.filter { $0.keys.count > 0 && !$0.isForeign }
        let left = try DeleteRules.settle(
            native.map { ($0.writing.handle, $0.keys) }, keeping: givenKeys, in: context)
        for reference in left {
            // A reference that the set itself has written leads nowhere, which is known.
            if isGiven(reference), isRemoved(reference.targetKey, of: reference.target) { continue }
            obstacles.append(reference.obstacle(isRemoved: true))
        }
        guard obstacles.isEmpty else { return }
        for part in removed where part.keys.count > 0 && part.isForeign { _ = try part.writing.delete(part.keys) }
    }

    private func isGiven(_ reference: DanglingReference) -> Bool {
        givenKeys[reference.model]?.contains(reference.key) ?? false
    }

    private func isRemoved(_ key: [Value], of model: StoredName) -> Bool {
        removedPlaces[model].map { removed[$0].keys.contains(key) } ?? false
    }
}

extension ModelSource {
    /// Returns whether it is the same type, or the same name.
    fileprivate func isSame(as other: ModelSource) -> Bool {
        switch (self, other) {
        case (.type(let one), .type(let other)): one == other
        case (.recorded(let one), .recorded(let other)), (.whole(let one), .whole(let other)): one == other
        default: false
        }
    }
}

extension TableBinding {
    /// The columns whose values are unique: the cell of the model's row, the column and its number.
    fileprivate var uniqueColumns: [(cell: Int, schema: ColumnSchema, index: Int)] {
        columns.enumerated().compactMap { cell, index in
            schema.columns[index].isUnique ? (cell, schema.columns[index], index) : nil
        }
    }
}

extension DynamicRecord {
    /// The record with other values of some of its properties.
    fileprivate func setting(_ columns: [ColumnSchema], to values: [Value]) -> DynamicRecord {
        var record = self
        for (column, value) in zip(columns, values) {
            guard let index = record.fields.firstIndex(where: { $0.storedName == column.storedProperty }) else {
                continue
            }
            record.fields[index].content = .value(value, column.type)
        }
        return record
    }
}
