import StorageDriver

/// A step that fills records in parts, once in a store.
protocol BackfillStep: Sendable {
    var name: StoredName { get }
    var model: any Storable.Type { get }
    var size: Int { get }
    var duringOpening: Bool { get }

    /// Runs the step until all records are filled, or until another program has recorded it.
    nonisolated(nonsending) func run(in store: Store) async throws(StorageError)
    func runBlocking(in store: Store) throws(StorageError)
}

/// A step that fills records of a type.
struct Backfill<M: Storable>: BackfillStep {
    /// Records that are to be filled, as one snapshot has them.
    private struct Part: Sendable {
        var keys: [M.Key] = []
        var records: [DynamicRecord?] = []
        /// The place after the records; nil after the last ones of the model.
        let next: Store.PageToken?
    }

    /// How far a run has come.
    private struct Run: Sendable {
        var place: Store.PageToken?
        /// The keys after the place that are filled.
        var done: Set<[Value]> = []
        var filled = 0
        var total = 0
    }

    let name: StoredName
    let size: Int
    let duringOpening: Bool
    let progress: (@Sendable (Store.BackfillProgress) -> Void)?
    let isUnfilled: @Sendable (M.Columns) -> QueryExpression<Bool>
    let change: @Sendable (inout M, DynamicRecord) throws -> Void

    var model: any Storable.Type { M.self }

    nonisolated(nonsending) func run(in store: Store) async throws(StorageError) {
        guard
            var run = try await store.read({ (snapshot: inout Store.Snapshot) throws(StorageError) -> Run? in
                try begin(in: snapshot)
            })
        else { return }
        while true {
            let now = run
            let part = try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) -> Part in
                try self.part(now, in: snapshot)
            }
            // Several programs may fill the same records.
            let filled = try await store.transaction(retries: 10) {
                (tx: inout Store.Transaction) throws(StorageError) -> [[Value]]? in
                try fill(part, in: tx)
            }
            guard let filled, add(filled, of: part, to: &run, in: store) else { return }
        }
    }

    func runBlocking(in store: Store) throws(StorageError) {
        let calls = store.blocking
        guard
            var run = try calls.read({ (snapshot: inout Store.Snapshot) throws(StorageError) -> Run? in
                try begin(in: snapshot)
            })
        else { return }
        while true {
            let part = try calls.read { (snapshot: inout Store.Snapshot) throws(StorageError) -> Part in
                try self.part(run, in: snapshot)
            }
            let filled = try calls.transaction { (tx: inout Store.Transaction) throws(StorageError) -> [[Value]]? in
                try fill(part, in: tx)
            }
            guard let filled, add(filled, of: part, to: &run, in: store) else { return }
        }
    }

    /// A run from the first record on; nil if the step is recorded.
    private func begin(in snapshot: borrowing Store.Snapshot) throws(StorageError) -> Run? {
        if try snapshot.context.hasRun(name) { return nil }
        return Run(total: try snapshot.select(M.self).where(isUnfilled).count())
    }

    private func part(_ run: Run, in snapshot: borrowing Store.Snapshot) throws(StorageError) -> Part {
        let query = snapshot.select(M.self).where(isUnfilled)
        let page =
            if let place = run.place { try query.page(after: place, size: size) } else {
                try query.page(size: size)
            }
        var part = Part(next: page.next)
        part.keys = page.records.compactMap(M.key).filter { !run.done.contains(M.values(of: $0)) }
        part.records = try snapshot.records(M.schema.name, withRemoved: true).find(keys: part.keys.map(M.values))
        return part
    }

    /// Fills the records that are still as they were found. Records the step with the last part.
    ///
    /// - Returns: the keys of the filled records; nil if another program has recorded the step.
    private func fill(_ part: Part, in tx: borrowing Store.Transaction) throws(StorageError) -> [[Value]]? {
        if try tx.context.hasRun(name) { return nil }
        let now = try tx.records(M.schema.name, withRemoved: true).find(keys: part.keys.map(M.values))
        let records = try tx.find(M.self, keys: part.keys)
        var filled: [M] = []
        var keys: [[Value]] = []
        for (number, key) in part.keys.enumerated() {
            // The bytes of equal records are equal, also where a Double is not a number.
            guard let stored = now[number], var record = records[number], let found = part.records[number],
                stored.bytes == found.bytes
            else { continue }
            let key = M.values(of: key)
            do { try change(&record, stored) } catch { throw failure(error, key) }
            guard M.key(of: record).map(M.values) == key else {
                throw failure(StorageError(.invalidValue, "The step has changed the key of the record."), key)
            }
            filled.append(record)
            keys.append(key)
        }
        try tx.update(filled)
        if part.next == nil, keys.count == part.keys.count { try tx.context.record(name, tx.store.registry.directory) }
        return keys
    }

    private func failure(_ error: any Error, _ key: [Value]) -> StorageError {
        let cause = (error as? StorageError) ?? StorageError(.schemaMismatch, "\(error)", underlying: error)
        return cause.with {
            $0.message = """
                The step “\(name)” failed at a record and has filled the records before it; mend the step and run it again: \
                \($0.message)
                """
            $0.model = M.schema.name
            $0.key = key
        }
    }

    /// Goes on after a part.
    ///
    /// - Returns: false after the last part.
    private func add(_ filled: [[Value]], of part: Part, to run: inout Run, in store: Store) -> Bool {
        run.filled += filled.count
        progress?(
            Store.BackfillProgress(
                step: name.text, model: M.schema.name, filled: run.filled, total: max(run.total, run.filled)))
        guard filled.count == part.keys.count else {
            // Others have changed some records meanwhile: these are looked at again.
            run.done.formUnion(filled)
            return true
        }
        (run.place, run.done) = (part.next, [])
        if part.next != nil { return true }
        store.logger.notice("filled records", metadata: ["step": "\(name)", "records": "\(run.filled)"])
        return false
    }
}

extension TransactionContext {
    /// Returns whether the store has run a step.
    fileprivate func hasRun(_ step: StoredName) throws(StorageError) -> Bool {
        let session = try openSession()
        return try RecordedMove.all(among: session.tables(), in: session).contains(step)
    }

    /// Records that the store has run a step.
    func record(_ step: StoredName, _ directory: ModelDirectory) throws(StorageError) {
        let writer = try innerWriter()
        try RecordedMove(name: step).record(.upsert, among: writer.tables(), in: writer, directory)
    }
}
