import StorageDriver

/// Saving by other properties than the key.
extension Writing {
    /// Saves models, each as the stored record that has the same values of some properties. A model without one is
    /// inserted. Returns the models as they are stored.
    ///
    /// - Parameter properties: their indices in the model's schema.
    func save<M: Storable>(_ models: [M], matching properties: [Int]) throws(StorageError) -> [M] {
        let match = try Match(properties, model)
        let values = try values(of: models, match)
        var keys = try storedKeys(values, match)
        // Of several with the same values the first is inserted, and the last is kept.
        var (new, known, seen) = ([Int](), [Int](), Set<[Value]>())
        for (index, value) in values.enumerated() {
            if let value, keys[value] != nil || !seen.insert(value).inserted {
                known.append(index)
            } else {
                new.append(index)
            }
        }
        var saved = models
        let inserted: [M] = try placing(new) { () throws(StorageError) in try put(new.map { models[$0] }, .insert) }
        for (index, model) in zip(new, inserted) {
            saved[index] = model
            if let value = values[index] { keys[value] = try key(of: model) }
        }
        let knownKeys = known.compactMap { values[$0].flatMap { keys[$0] } }
        try placing(known) { () throws(StorageError) in try replace(known.map { models[$0] }, knownKeys) }
        let reading = Reading(handle: handle, session: writer)
        var stored: [[Value]: M] = [:]
        for (key, model) in zip(knownKeys, try reading.find(M.self, keys: knownKeys)) { stored[key] = model }
        for (index, value) in values.enumerated() {
            // Also what was inserted here, and replaced by a later one.
            if let model = value.flatMap({ keys[$0] }).flatMap({ stored[$0] }) { saved[index] = model }
        }
        return saved
    }

    /// Saves one model; its error names no element.
    func save<M: Storable>(one model: M, matching properties: [Int]) throws(StorageError) -> M {
        do {
            return try save([model], matching: properties).first ?? model
        } catch {
            throw withoutElement(error)
        }
    }

    /// What records are found by, and the keys of the stored ones that it finds.
    ///
    /// - Returns: for each record the values of the properties, nil if one of them is nil; and keys by such values.
    func storedKeys(
        of records: [DynamicRecord], matching properties: [Int]
    ) throws(StorageError) -> (names: [[Value]?], keys: [[Value]: [Value]]) {
        let match = try Match(properties, model)
        let names = records.map { record in
            let values = match.names.map { record.value($0) ?? .null }
            return values.contains(.null) ? nil : values
        }
        return (names, try storedKeys(names, match))
    }

    /// The indices of properties by their names.
    func ordinals(of names: [String]) throws(StorageError) -> [Int] {
        guard !names.isEmpty else {
            throw StorageError(.invalidQuery, "Name a property to match records by.", model: model.name)
        }
        var ordinals: [Int] = []
        for name in names {
            guard let ordinal = model.root.ordinal(of: name) else {
                throw StorageError(.invalidQuery, model.root.lacks(name), model: model.name, property: name)
            }
            ordinals.append(ordinal)
        }
        return ordinals
    }

    /// The properties by which records are found.
    private struct Match {
        let names: [String]
        /// The columns of the root's table, and the cells of its rows.
        let columns: [Int]
        let cells: [Int]
        /// Which of the columns narrows the search: a unique one, an indexed one, or the first.
        let narrowing: Int

        init(_ properties: [Int], _ model: ModelTables) throws(StorageError) {
            var columns: [Int] = []
            for property in properties { columns += try model.columns(.property(PropertyPath([property]))) }
            let root = model.root
            let schema = root.schema.columns
            if let part = columns.first(where: { root.schema.key.contains($0) }) {
                throw StorageError(
                    .invalidQuery, "Records are matched by other properties than the key; use save without matching.",
                    model: model.name, property: schema[part].property)
            }
            names = columns.map { schema[$0].property }
            self.columns = columns
            cells = columns.compactMap { root.columns.firstIndex(of: $0) }
            narrowing =
                columns.firstIndex { schema[$0].isUnique } ?? columns.firstIndex { schema[$0].isIndexed } ?? 0
        }
    }

    /// The values by which each model is found; nil if one of them is nil, which is the same as no other.
    private func values<M: Storable>(of models: [M], _ match: Match) throws(StorageError) -> [[Value]?] {
        let graph = GraphWriter(model, limits: limits)
        // A key may be nil yet. These rows are not stored.
        graph.keys = ValueCells(
            ValueList(
                width: model.rootKeyCount, values: Array(repeating: .int(0), count: models.count * model.rootKeyCount)))
        var rows = RowCollector(graph, replaces: false)
        var values: [[Value]?] = []
        while values.count < models.count {
            let first = values.count
            do throws(StorageError) {
                _ = try M.write(models, from: first, into: &rows)
            } catch {
                throw error.with { $0.element = first + rows.count }
            }
            for index in 0..<rows.count {
                let row = graph.buffers[0].row(index)
                let cells = match.cells.map { row[$0].value }
                values.append(cells.contains(.null) ? nil : cells)
            }
            rows.removeAll()
        }
        return values
    }

    /// The keys of the stored records that have the values.
    private func storedKeys(_ values: [[Value]?], _ match: Match) throws(StorageError) -> [[Value]: [Value]] {
        let wanted = Set(values.compactMap(\.self))
        var keys: [[Value]: [Value]] = [:]
        let (key, column) = (model.root.schema.key, match.columns[match.narrowing])
        let filter = QueryTerm.isIn(.column(column), list: 0, model.root.schema.columns[column].type)
        let plan = handle.plan(Query(.columns(key + match.columns), filter: filter))
        var narrow: [Value] = []
        var seen: Set<Value> = []
        // In the order given, and not in that of a set, which is another each time.
        for case let value? in values where seen.insert(value[match.narrowing]).inserted {
            narrow.append(value[match.narrowing])
        }
        for start in stride(from: 0, to: narrow.count, by: Reading.partOfRecords) {
            let part = Array(narrow[start...].prefix(Reading.partOfRecords))
            var cursor = try writer.rows(plan, QueryArguments(lists: [ValueList(width: 1, values: part)]))
            while try cursor.next() {
                let found = match.columns.indices.map { cursor.cells[key.count + $0].value }
                guard wanted.contains(found) else { continue }
                let owner = key.indices.map { cursor.cells[$0].value }
                guard let other = keys.updateValue(owner, forKey: found) else { continue }
                let shown = [other, owner].map { $0.map(\.description).joined(separator: ", ") }
                throw StorageError(
                    .constraint,
                    "Several records have the same \(match.names.joined(separator: " and ")), such as those with the keys \(shown[0]) and \(shown[1]); match by properties that no two records share.",
                    model: model.name, key: owner, property: match.names[0])
            }
        }
        return keys
    }

    private func key<M: Storable>(of model: M) throws(StorageError) -> [Value] {
        let graph = GraphWriter(self.model, limits: limits)
        let keys = RowBuffer(width: self.model.rootKeyCount)
        try graph.addKey(to: keys) { model.writeKey(into: &$0) }
        return (0..<keys.width).map { keys.row(0)[$0].value }
    }

    /// Stores models under other keys than their own.
    private func replace<M: Storable>(_ models: [M], _ keys: [[Value]]) throws(StorageError) {
        guard !models.isEmpty else { return }
        let graph = GraphWriter(model, limits: limits)
        graph.keys = ValueCells(ValueList(width: model.rootKeyCount, values: keys.flatMap(\.self)))
        try put(models.count, .upsert, graph) { (index, rows) throws(StorageError) in
            try M.write(models, from: index, into: &rows)
        }
    }

    /// Names the element of the whole array in an error about one of a part.
    private func placing<T>(_ indices: [Int], _ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        do {
            return try body()
        } catch {
            throw error.with { $0.element = $0.element.flatMap { indices.indices.contains($0) ? indices[$0] : nil } }
        }
    }
}

extension Storable {
    /// The indices of properties in the schema.
    static func ordinals(of properties: [PartialKeyPath<Self>]) throws(StorageError) -> [Int] {
        var ordinals: [Int] = []
        for property in properties {
            guard let ordinal = ordinal(of: property) else {
                throw StorageError(
                    .invalidQuery, "The key path leads to no stored property of the model.", operation: "save",
                    model: schema.name)
            }
            ordinals.append(ordinal)
        }
        return ordinals
    }
}
