import StorageDriver

/// Saving by other properties than the key.
extension RecordWriter {
    /// Saves models, each as the stored record that has the same values of some properties. A model without one is
    /// inserted. Returns the models as they are stored.
    ///
    /// - Parameter properties: their indices in the model's schema.
    package func save<M: Storable>(_ models: [M], matching properties: [Int]) throws(StorageError) -> [M] {
        let match = try Match(properties, model)
        // The error is that of the first element that fails. Each step stops at the first element that failed in one
        // before it; the earlier elements are still written, since one of them may fail and then is the error.
        var (count, failure) = (models.count, StorageError?.none)
        func end(_ error: StorageError) throws(StorageError) {
            guard let element = error.element, element < count else { throw error }
            (count, failure) = (element, error)
        }
        var values: [[Value]?] = []
        do throws(StorageError) { try self.values(of: models, match, into: &values) } catch { try end(error) }
        let found = try storedKeys(values, match)
        if let error = found.failure { try end(error) }
        var targets = Targets(found.keys, values.prefix(count))
        var saved = Array(models.prefix(count))
        do throws(StorageError) { try assign(&targets, to: &saved) } catch { try end(error) }
        if let error = try taken(targets, count) { try end(error) }
        try write(saved.prefix(count), targets)
        if let failure { throw failure }
        // A model that got a stored record's key, or was replaced by a later one, is stored differently than it was given.
        return targets.areAllNew && !changesRows ? saved : try stored(saved, keys: targets.keys)
    }

    /// The stored record of each element of a call.
    private struct Targets {
        let values: ArraySlice<[Value]?>
        /// The indices of the elements that are inserted. Of several with the same values that is the first.
        let new: [Int]
        /// The keys of the elements, each after its values.
        var keys: [[Value]] = []
        /// The key of the stored or inserted record with each list of values.
        var known: [[Value]: [Value]]

        init(_ known: [[Value]: [Value]], _ values: ArraySlice<[Value]?>) {
            (self.known, self.values) = (known, values)
            var seen: Set<[Value]> = []
            new = values.indices.filter { index in
                guard let value = values[index] else { return true }
                return known[value] == nil && seen.insert(value).inserted
            }
        }

        var areAllNew: Bool { new.count == values.count }
    }

    /// Gives the new elements the keys that they lack, and finds the key of each element.
    private func assign<M: Storable>(_ targets: inout Targets, to models: inout [M]) throws(StorageError) {
        let new = targets.new
        if assignsKeys(.insert) {
            var inserted = new.map { models[$0] }
            defer { for (index, model) in zip(new, inserted) { models[index] = model } }
            do throws(StorageError) {
                try assignKeys(&inserted)
            } catch {
                throw error.with { $0.element = $0.element.flatMap { new.indices.contains($0) ? new[$0] : nil } }
            }
        }
        var next = new[...]
        for index in models.indices {
            if index == next.first {
                next.removeFirst()
                let given = try element(index) { () throws(StorageError) in try key(of: models[index]) }
                targets.keys.append(given)
                if let value = targets.values[index] { targets.known[value] = given }
            } else {
                targets.keys.append(targets.values[index].flatMap { targets.known[$0] } ?? [])
            }
        }
    }

    /// The error about the first new element whose key a record has, before the element `count`; nil without any.
    ///
    /// Where all elements are new they are inserted, which finds it.
    private func taken(_ targets: Targets, _ count: Int) throws(StorageError) -> StorageError? {
        let new = targets.new.prefix { $0 < min(count, targets.keys.count) }
        guard !targets.areAllNew, !new.isEmpty else { return nil }
        let keys = KeyList(width: model.rootKeyCount, new.map { targets.keys[$0] })
        var free = Set(try handle.missing(keys, in: writer))
        guard let taken = new.first(where: { free.remove(targets.keys[$0]) == nil }) else { return nil }
        return StorageError(
            .duplicateKey, "A record with this key is stored already; save replaces it, update changes it.",
            model: model.name, key: targets.keys[taken]
        ).with { $0.element = taken }
    }

    private func write<M: Storable>(_ models: ArraySlice<M>, _ targets: Targets) throws(StorageError) {
        let models = Array(models)
        let graph = GraphWriter(model, limits: limits)
        graph.keys = KeyList(width: model.rootKeyCount, targets.keys.prefix(models.count)).cells
        try put(models.count, targets.areAllNew ? .insert : .upsert, by: graph) { (index, rows) throws(StorageError) in
            try M.write(models, from: index, into: &rows)
        }
    }

    /// Saves one model; its error names no element.
    package func save<M: Storable>(one model: M, matching properties: [Int]) throws(StorageError) -> M {
        do {
            return try save([model], matching: properties).first ?? model
        } catch {
            throw error.withoutElement
        }
    }

    /// Returns the values by which records are found, and the keys of the stored records found.
    ///
    /// - Returns: for each record the values of the properties, nil if one of them is nil; keys by such values; and the
    ///   error about the first record whose values several stored ones have.
    package func storedKeys(
        of records: [DynamicRecord], matching properties: [Int]
    ) throws(StorageError) -> (names: [[Value]?], keys: [[Value]: [Value]], failure: StorageError?) {
        let match = try Match(properties, model)
        let names = records.map { record in
            let values = match.names.map { record.value($0) ?? .null }
            return values.contains(.null) ? nil : values
        }
        let found = try storedKeys(names, match)
        return (names, found.keys, found.failure)
    }

    /// The indices of properties by their names.
    package func ordinals(of names: [String]) throws(StorageError) -> [Int] {
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
        }

        /// The error where several records have the same values.
        func isShared(by one: [Value], _ other: [Value], of model: StoredName) -> StorageError {
            let shown = [one, other].map { $0.keyText }
            return StorageError(
                .constraint,
                "Several records have the same \(names.joined(separator: " and ")), such as those with the keys \(shown[0]) and \(shown[1]); match by properties that no two records share.",
                model: model, key: other, property: names[0])
        }
    }

    /// The values by which each model is found; nil if one of them is nil, which is the same as no other.
    ///
    /// - Parameter values: gets the values of the models before the first that cannot be stored.
    private func values<M: Storable>(
        of models: [M], _ match: Match, into values: inout [[Value]?]
    ) throws(StorageError) {
        var found: [[Value]] = []
        defer { values = found.map { $0.contains(.null) ? nil : $0 } }
        try self.values(of: models, match.cells, into: &found)
    }

    /// The keys of the stored records that have the values, and the error about the first element whose values several
    /// records have.
    private func storedKeys(
        _ values: [[Value]?], _ match: Match
    ) throws(StorageError) -> (keys: [[Value]: [Value]], failure: StorageError?) {
        var keys: [[Value]: [Value]] = [:]
        var shared: [[Value]: [Value]] = [:]
        let (key, types) = (model.root.schema.key, match.columns.map { model.root.schema.columns[$0].type })
        let terms = match.columns.enumerated().map { QueryTerm.isIn(.column($1), list: $0, types[$0]) }
        let filter = terms.count == 1 ? terms[0] : QueryTerm.and(terms)
        let plan = handle.plan(Query(.columns(key + match.columns), filter: filter))
        // In the order given, and not in that of a set, which is another each time.
        let wanted = KeyList(width: match.columns.count, values.compactMap(\.self)).distinct
        for part in wanted.parts(of: RecordReader.partOfRecords) {
            let lists = match.columns.indices.map { column in
                KeyList(width: 1, part.map { [$0[column]] }).distinct.list
            }
            // The lists also select records with one element's value of a property and another's of the next.
            let names = Set(part)
            var cursor = try writer.rows(plan, QueryArguments(lists: lists))
            while try cursor.next() {
                let found = match.columns.indices.map { cursor.cells[key.count + $0].value }
                guard names.contains(found) else { continue }
                let owner = key.indices.map { cursor.cells[$0].value }
                if keys[found] == nil { keys[found] = owner } else if shared[found] == nil { shared[found] = owner }
            }
        }
        let first = shared.isEmpty ? nil : values.firstIndex { $0.map { shared[$0] != nil } ?? false }
        guard let first, let value = values[first], let one = keys[value], let other = shared[value] else {
            return (keys, nil)
        }
        return (keys, match.isShared(by: one, other, of: model.name).with { $0.element = first })
    }

    private func key<M: Storable>(of model: M) throws(StorageError) -> [Value] {
        do {
            return try keys(of: [model])[0]
        } catch {
            throw error.withoutElement
        }
    }
}

extension Storable {
    /// The indices of properties in the schema.
    package static func ordinals(of properties: [PartialKeyPath<Self>]) throws(StorageError) -> [Int] {
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
