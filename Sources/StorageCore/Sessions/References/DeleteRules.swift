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
    /// The records that no rule may delete or change, by the model's name.
    private var kept: [StoredName: Set<[Value]>] = [:]
    /// The rules that would delete or change such records.
    private var refused: [(referrer: Referrer, target: StoredName, keys: KeyList)] = []

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
        try rules.deleteOpen()
        if let postponed = context.postponedDenials {
            postponed.denied += rules.denied
        } else {
            try rules.judge(rules.denied)
        }
        return count
    }

    /// Carries out the rules for records of several models that have been removed together.
    ///
    /// - Parameter kept: the keys of records that no rule may delete or change, by model.
    /// - Returns: the references that still lead to removed records, which a rule denies.
    static func settle(
        _ removed: [(model: ModelHandle, keys: KeyList)], keeping kept: [StoredName: Set<[Value]>],
        in context: TransactionContext
    ) throws(StorageError) -> [DanglingReference] {
        var rules = DeleteRules(context: context)
        rules.kept = kept
        for (model, keys) in removed { rules.deleted[model.name, default: []].formUnion(keys) }
        for (model, keys) in removed {
            let writer = try context.openWriter(model.name)
            for referrer in try context.referrers(to: model) {
                try rules.apply(referrer, to: keys, of: model.name, in: writer)
            }
        }
        try rules.deleteOpen()
        var found: [DanglingReference] = []
        for (referrer, target, keys) in rules.denied {
            found += try referrer.references(to: keys, of: target, in: context)
        }
        for (referrer, target, keys) in rules.refused {
            found += try referrer.references(to: keys, of: target, in: context).filter {
                kept[$0.model]?.contains($0.key) == true
            }
        }
        return found
    }

    /// Deletes the records that cascades have found, and all that these lead to.
    private mutating func deleteOpen() throws(StorageError) {
        while let (keys, model) = open.popLast() {
            _ = try delete(keys, of: model, referrers: try context.referrers(to: model), byRule: true)
        }
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
                let roots = try referrer.records(referringTo: keys, in: context)
                guard roots.count > 0 else { continue }
                let child = try context.handle(.recorded(referrer.model))
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
        if !kept.isEmpty, try applyKeeping(referrer, to: keys, of: target) { return }
        switch referrer.rule {
        case .unchecked: break
        case .deny: denied.append((referrer, target, keys))
        case .nullify: try nullify(referrer, keys, in: writer)
        case .cascade:
            let records = try referrer.records(referringTo: keys, in: context)
            guard records.count > 0 else { return }
            let model = try context.handle(.recorded(referrer.model))
            // A layer may keep some of them, which then refer to deleted records.
            if context.hooks?.decidesDeletions(of: model.name) == true { denied.append((referrer, target, keys)) }
            open.append((records, model))
        }
    }

    /// Applies a rule that would delete or change records that are kept: it is refused for these.
    ///
    /// - Returns: false for a rule that does not concern them.
    private mutating func applyKeeping(
        _ referrer: Referrer, to keys: KeyList, of target: StoredName
    ) throws(StorageError) -> Bool {
        guard let kept = kept[referrer.model], referrer.rule == .cascade || referrer.rule == .nullify else {
            return false
        }
        let records = try referrer.records(referringTo: keys, in: context)
        guard records.contains(where: kept.contains) else { return false }
        refused.append((referrer, target, keys))
        // The call fails, so others need not become nil; but records that cascade may meet more denials.
        let going = KeyList(width: records.width, records.filter { !kept.contains($0) })
        if referrer.rule == .cascade, going.count > 0 {
            open.append((going, try context.handle(.recorded(referrer.model))))
        }
        return true
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

    /// Runs a step, and tells recorders of changes whether a rule makes it. Layers of the application run outside of such
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
            let roots = try referrer.records(referringTo: keys, in: context)
            guard roots.count > 0 else { continue }
            let shown = roots.prefix(10).map { $0.keyText }
            let subject = ["\(target)"] + (keys.count == 1 ? keys.map { $0.keyText } : [])
            let list = shown.joined(separator: "; ") + (roots.count > shown.count ? "; …" : "")
            throw StorageError(
                .constraint,
                "\(roots.count) \(roots.count == 1 ? "record still refers" : "records still refer") to "
                    + "\(subject.joined(separator: " ")) by \(referrer.name): \(list). "
                    + "Delete these first or in the same call, or let them refer to other records.",
                model: target, property: referrer.name)
        }
    }
}

extension Referrer {
    /// The keys of the records that refer to one of the keys, each once.
    package func records(
        referringTo keys: KeyList, in context: TransactionContext
    ) throws(StorageError) -> KeyList {
        let rows = try rows(keys, in: context.openWriter(model))
        guard rows.count > 0 else { return rows }
        return roots(of: rows, keyCount: try context.handle(.recorded(model)).tables.rootKeyCount)
    }

    /// The references to one of the keys of a model that has lost its records.
    func references(
        to keys: KeyList, of target: StoredName, in context: TransactionContext
    ) throws(StorageError) -> [DanglingReference] {
        let property = name.dropFirst(model.text.count + 1)
        let owner = (model, try context.handle(.recorded(model)).tables.rootKeyCount)
        return try DanglingReference.all(
            from: columns, of: table, named: property.isEmpty ? name : String(property), owner: owner,
            to: keys, of: target, in: context.openWriter(model))
    }
}
