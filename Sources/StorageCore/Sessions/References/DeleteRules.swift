import StorageDriver

/// Deletes records by the rules of the references to them (clause R3): cascades are deleted in the same call, what
/// nullifies is set to nil, and what denies is judged at the end, when all has gone that goes.
///
/// Costs a lookup by index for each referring property and level, however many records there are.
struct DeleteRules {
    let context: TransactionContext
    private var denied: [(referrer: Referrer, target: String, keys: KeySet)] = []
    private var open: [(keys: [[Value]], model: ModelHandle)] = []
    /// The records already deleted, by the model's name, at which a cycle ends.
    private var deleted = ByName<KeySet>()

    init(context: TransactionContext) { self.context = context }

    /// - Returns: the number of the given records that existed.
    func delete(_ keys: RowBuffer, _ model: ModelHandle, _ referrers: [Referrer]) throws(StorageError) -> Int {
        var rules = self
        var given = (0..<keys.count).map { row in (0..<keys.width).map { keys.row(row)[$0].value } }
        // A transaction may have written references to records that it stores later: nothing is deleted, so no rule applies.
        let list = ValueList(width: keys.width, values: given.flatMap { $0 })
        let missing = Set(try model.missing(list, in: context.openWriter(model.name)))
        if !missing.isEmpty { given.removeAll { missing.contains($0) } }
        try rules.carryOut(given, model, referrers)
        let count = try rules.delete(given, model, referrers)
        while let (keys, model) = rules.open.popLast() {
            _ = try rules.delete(keys, model, try context.referrers(to: model))
        }
        try rules.judge(rules.denied)
        return count
    }

    /// Carries out the foreign keys of other software before the database does, so that the store knows each change: it deletes
    /// the records that refer to those with the keys, or sets their references to nil. The database then finds nothing to change.
    private mutating func carryOut(
        _ keys: [[Value]], _ model: ModelHandle, _ referrers: [Referrer]
    ) throws(StorageError) {
        // A layer may keep records, and then no rule applies.
        guard let reactions = context.reactions, context.hooks?.decidesDeletions(of: model.name) != true else { return }
        var levels = [(keys: keys, model: model, referrers: referrers)]
        var found = ByName<KeySet>()
        for key in keys { _ = found[model.name, default: KeySet()].insert(key) }
        var next = 0
        while next < levels.count {
            let (keys, model, referrers) = levels[next]
            next += 1
            var going = KeySet()
            for key in keys { _ = going.insert(key) }
            let writer = try context.openWriter(model.name)
            for referrer in referrers where reactions.carriesOut(referrer) {
                if referrer.rule == .nullify { try nullify(referrer, going, writer) }
                guard referrer.rule == .cascade else { continue }
                let rows = try referrer.rows(going, in: writer)
                guard rows.count > 0 else { continue }
                let child = try context.handle(.recorded(referrer.model))
                let roots = referrer.roots(of: rows, keyCount: child.tables.rootKeyCount)
                let new = roots.filter { found[child.name, default: KeySet()].insert($0) }
                if !new.isEmpty { levels.append((new, child, try context.referrers(to: child))) }
            }
        }
        for level in levels.dropFirst().reversed() { _ = try delete(level.keys, level.model, level.referrers) }
    }

    private mutating func delete(
        _ keys: [[Value]], _ model: ModelHandle, _ referrers: [Referrer]
    ) throws(StorageError) -> Int {
        var going = KeySet()
        // The set is changed where it is: a copy for each level would make a chain's cost grow with its square.
        var new = keys.filter { deleted[model.name, default: KeySet()].insert($0) }
        let found = new.count
        if found > 0, let hooks = context.hooks, hooks.decidesDeletions(of: model.name) {
            new = try hooks.deletable(new, of: model)
        }
        let kept = found - new.count
        guard !new.isEmpty else { return kept }
        for key in new { _ = going.insert(key) }
        let writer = try context.openWriter(model.name)
        let writing = RecordWriter(handle: model, writer: writer, context: context)
        let cells = ValueCells(ValueList(width: model.tables.rootKeyCount, values: new.flatMap { $0 }))
        let count: Int
        do throws(StorageError) {
            count = try writing.deleteRows(cells.rows)
        } catch {
            // A database of other software denies it by itself, and does not name the referring records.
            if error.code == .constraint {
                try judge(referrers.filter { $0.rule == .deny }.map { ($0, model.name, going) })
            }
            throw error
        }
        for referrer in referrers { try apply(referrer, going, model.name, writer) }
        return count + kept
    }

    private mutating func apply(
        _ referrer: Referrer, _ keys: KeySet, _ target: String, _ writer: any StorageWriter
    ) throws(StorageError) {
        switch referrer.rule {
        case .unchecked: break
        case .deny: denied.append((referrer, target, keys))
        case .nullify: try nullify(referrer, keys, writer)
        case .cascade:
            let rows = try referrer.rows(keys, in: writer)
            guard rows.count > 0 else { return }
            let model = try context.handle(.recorded(referrer.model))
            // A layer may keep some of them, which then refer to deleted records.
            if context.hooks?.decidesDeletions(of: model.name) == true { denied.append((referrer, target, keys)) }
            open.append((referrer.roots(of: rows, keyCount: model.tables.rootKeyCount), model))
        }
    }

    private func nullify(
        _ referrer: Referrer, _ keys: KeySet, _ writer: any StorageWriter
    ) throws(StorageError) {
        let rows = try referrer.rows(keys, in: writer)
        guard rows.count > 0 else { return }
        if !referrer.isNumbered { return try referrer.nullify(rows, in: writer) }
        // The array may be one that no program declares.
        let writing = try context.writing(.whole(referrer.model))
        let roots = referrer.roots(of: rows, keyCount: writing.model.rootKeyCount)
        // The rows of a type that owns itself have numbers: the record is written again, a part at a time.
        for start in stride(from: 0, to: roots.count, by: RecordReader.partOfRecords) {
            let part = Array(roots[start..<min(start + RecordReader.partOfRecords, roots.count)])
            let records = try RecordReader(handle: writing.handle, session: writer).find(DynamicRecord.self, keys: part)
            _ = try writing.put(
                records.compactMap { $0.map { referrer.removing(keys, from: $0) } }, WriteOperation.update)
        }
    }

    private func judge(
        _ denied: [(referrer: Referrer, target: String, keys: KeySet)]
    ) throws(StorageError) {
        for (referrer, target, keys) in denied {
            let writer = try context.openWriter(target)
            let rows = try referrer.rows(keys, in: writer)
            guard rows.count > 0 else { continue }
            let model = try context.handle(.recorded(referrer.model))
            let roots = referrer.roots(of: rows, keyCount: model.tables.rootKeyCount)
            let shown = roots.prefix(10).map { $0.keyText }
            let list = shown.joined(separator: "; ") + (roots.count > shown.count ? "; …" : "")
            throw StorageError(
                .constraint,
                "\(roots.count) \(roots.count == 1 ? "record still refers" : "records still refer") to it by "
                    + "\(referrer.name): \(list). Delete these first or in the same call, or let them refer to other records.",
                model: target, property: referrer.name)
        }
    }
}
