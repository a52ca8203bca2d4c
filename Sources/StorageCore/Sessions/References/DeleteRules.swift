import StorageDriver

/// Deletes records by the rules of the references to them (clause R3): cascades are deleted in the same call,
/// nullifying references are set to nil, and denials are checked last, after all cascades.
///
/// Costs a lookup by index for each referring property and level, for any number of records.
struct DeleteRules {
    let context: TransactionContext
    private var denied: [(referrer: Referrer, target: StoredName, keys: KeyList)] = []
    private var open: [(keys: KeyList, model: ModelHandle)] = []
    /// The records already deleted, by the model's name, at which a cycle ends.
    private var deleted: [StoredName: Set<[Value]>] = [:]

    init(context: TransactionContext) { self.context = context }

    /// - Returns: the number of the given records that existed.
    func delete(_ keys: RowBuffer, of model: ModelHandle, referrers: [Referrer]) throws(StorageError) -> Int {
        var rules = self
        var given = KeyList(keys).distinct
        // A transaction may have written references to records that it stores later. Deleting such a record has no
        // effect, so no rule applies.
        let missing = Set(try model.missing(given, in: context.openWriter(model.name)))
        if !missing.isEmpty { given = KeyList(width: keys.width, given.filter { !missing.contains($0) }) }
        try rules.carryOut(given, of: model, referrers: referrers)
        let count = try rules.delete(given, of: model, referrers: referrers)
        while let (keys, model) = rules.open.popLast() {
            _ = try rules.delete(keys, of: model, referrers: try context.referrers(to: model), byRule: true)
        }
        try rules.judge(rules.denied)
        return count
    }

    /// Carries out the foreign keys of other software before the database does, so that the store knows each change: it deletes
    /// the records that refer to records with the keys, or sets their references to nil. The database then finds no row
    /// to change.
    private mutating func carryOut(
        _ keys: KeyList, of model: ModelHandle, referrers: [Referrer]
    ) throws(StorageError) {
        // A layer may keep records, and then no rule applies.
        guard let reactions = context.reactions, context.hooks?.decidesDeletions(of: model.name) != true else { return }
        var levels = [(keys: keys, model: model, referrers: referrers)]
        var found: [StoredName: Set<[Value]>] = [model.name: Set(keys)]
        var next = 0
        while next < levels.count {
            let (keys, model, referrers) = levels[next]
            next += 1
            let writer = try context.openWriter(model.name)
            for referrer in referrers where reactions.carriesOut(referrer) {
                if referrer.rule == .nullify { try nullify(referrer, keys, in: writer) }
                guard referrer.rule == .cascade else { continue }
                let rows = try referrer.rows(keys, in: writer)
                guard rows.count > 0 else { continue }
                let child = try context.handle(.recorded(referrer.model))
                let roots = referrer.roots(of: rows, keyCount: child.tables.rootKeyCount)
                let new = roots.filter { found[child.name, default: []].insert($0).inserted }
                guard !new.isEmpty else { continue }
                levels.append((KeyList(width: roots.width, new), child, try context.referrers(to: child)))
            }
        }
        for level in levels.dropFirst().reversed() {
            _ = try delete(level.keys, of: level.model, referrers: level.referrers, byRule: true)
        }
    }

    private mutating func delete(
        _ keys: KeyList, of model: ModelHandle, referrers: [Referrer], byRule: Bool = false
    ) throws(StorageError) -> Int {
        // The set is changed where it is: a copy for each level would make a chain's cost grow with its square.
        var new = keys.filter { deleted[model.name, default: []].insert($0).inserted }
        let found = new.count
        if found > 0, let hooks = context.hooks, hooks.decidesDeletions(of: model.name) {
            new = try hooks.deletable(new, of: model)
        }
        let kept = found - new.count
        guard !new.isEmpty else { return kept }
        let going = KeyList(width: keys.width, new)
        let writer = try context.openWriter(model.name)
        let writing = RecordWriter(handle: model, writer: writer, context: context)
        let cells = going.cells
        let count: Int
        do throws(StorageError) {
            count = try marked(byRule) { () throws(StorageError) in try writing.deleteRows(cells.rows) }
        } catch {
            // A database of other software denies it by itself, and does not name the referring records.
            if error.code == .constraint {
                try judge(referrers.filter { $0.rule == .deny }.map { ($0, model.name, going) })
            }
            throw error
        }
        for referrer in referrers { try apply(referrer, to: going, of: model.name, in: writer) }
        return count + kept
    }

    private mutating func apply(
        _ referrer: Referrer, to keys: KeyList, of target: StoredName, in writer: any StorageWriter
    ) throws(StorageError) {
        switch referrer.rule {
        case .unchecked: break
        case .deny: denied.append((referrer, target, keys))
        case .nullify: try nullify(referrer, keys, in: writer)
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
        _ referrer: Referrer, _ keys: KeyList, in writer: any StorageWriter
    ) throws(StorageError) {
        let rows = try referrer.rows(keys, in: writer)
        guard rows.count > 0 else { return }
        try marked(true) { () throws(StorageError) in try nullify(rows, of: referrer, keys, in: writer) }
    }

    private func nullify(
        _ rows: KeyList, of referrer: Referrer, _ keys: KeyList, in writer: any StorageWriter
    ) throws(StorageError) {
        if !referrer.isNumbered { return try referrer.nullify(rows, in: writer) }
        // Perhaps no program declares the array.
        let writing = try context.writing(.whole(referrer.model))
        let roots = referrer.roots(of: rows, keyCount: writing.model.rootKeyCount)
        // The rows of a type that owns itself have numbers: the record is written again, a part at a time.
        let named = Set(keys)
        for part in roots.parts(of: RecordReader.partOfRecords) {
            let reading = RecordReader(handle: writing.handle, session: writer)
            let records = try reading.find(DynamicRecord.self, keys: Array(part))
            _ = try writing.put(
                records.compactMap { $0.map { referrer.removing(named, from: $0) } }, WriteOperation.update)
        }
    }

    /// Runs a step, and tells those who record changes whether a rule makes it. Layers of the application run outside of such
    /// steps.
    private func marked<T>(_ byRule: Bool, _ step: () throws(StorageError) -> T) throws(StorageError) -> T {
        guard byRule, let signature = context.givenSignature else { return try step() }
        signature.isByRule = true
        defer { signature.isByRule = false }
        return try step()
    }

    private func judge(
        _ denied: [(referrer: Referrer, target: StoredName, keys: KeyList)]
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
