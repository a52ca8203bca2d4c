import StorageDriver

/// A session of a store while a call or a user's closure runs in it.
///
/// A query builder that leaves the closure finds the session closed.
final class SessionContext {
    let store: Store
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var reader: (any StorageReader)?
    @exclusivity(unchecked) private var writer: (any StorageWriter)?
    @exclusivity(unchecked) private var job: WriteJob?
    /// What this transaction has prepared and changed; nil if nothing, as mostly.
    @exclusivity(unchecked) private(set) var own: OwnModels?
    /// What the write has changed, if anybody asks.
    let noted: NotedChanges?
    /// Who the transaction is by, and why; nil if it does not say.
    private(set) var signed: CommitSignature?
    /// The same, to be said.
    var signature: CommitSignature {
        if let signed { return signed }
        let signature = CommitSignature()
        noted?.signature = signature
        signed = signature
        return signature
    }
    /// The models whose records are compared, with all that is recorded.
    @exclusivity(unchecked) var wholeModels: [String: ModelHandle] = [:]
    /// The last error of a call in this transaction that says that somebody else is in the way.
    @exclusivity(unchecked) private(set) var collision: StorageError?
    /// What has been written and refers to records that were not there; nil if there is none.
    @exclusivity(unchecked) private var unresolved: UnresolvedReferences?

    init(_ store: Store, reader: any StorageReader) {
        self.store = store
        self.reader = reader
        noted = nil
    }

    init(_ store: Store, writer: any StorageWriter, job: WriteJob) {
        self.store = store
        noted = store.observers.notes(store, writer)
        self.writer = writer
        self.job = job
    }

    func end() {
        if own != nil, writer != nil { store.registry.directory.setUncommitted([:]) }
        reader = nil
        writer = nil
        job = nil
    }

    var canWrite: Bool { writer != nil }

    /// The error that a call of this session throws.
    func noting(_ error: StorageError) -> StorageError {
        if error.code == .busy || error.code == .conflict { collision = error }
        return error
    }

    func reading(_ model: ModelSource) throws(StorageError) -> Reading {
        Reading(handle: try handle(model), session: try openSession())
    }

    func writing(_ model: ModelSource) throws(StorageError) -> Writing {
        let handle = try handle(model)
        return Writing(
            handle: handle, writer: try openWriter(handle.name), limits: store.opened.limits, context: self)
    }

    /// Creates or changes tables as schemas declare.
    ///
    /// - Parameter isExact: whether models lose what the schemas do not have.
    func prepare(_ schemas: [RecordSchema], isExact: Bool = false) throws(StorageError) {
        for schema in schemas {
            do throws(StorageError) {
                let writer = try openWriter(schema.name)
                guard try store.registry.prepare(schema, isExact: isExact, in: writer, noted?.history) else { continue }
            } catch {
                // The code that compares and changes tables reports errors of opening a store.
                throw error.with {
                    $0.operation = isExact ? "migrate" : "prepare"
                    $0.model = schema.name
                }
            }
            var own = own ?? OwnModels()
            own.changed.insert(schema.name)
            own.referrers = [:]
            own.prepared = own.prepared.filter { $0.value.name != schema.name }
            setOwn(own)
            noted?.noteTables(of: schema.name)
            wholeModels = [:]
        }
    }

    func handle(_ model: ModelSource) throws(StorageError) -> ModelHandle {
        switch model {
        case .type(let type): try handle(type)
        case .recorded(let name): try store.registry.recorded(name, in: openSession())
        }
    }

    /// The writing session itself.
    ///
    /// - Parameter model: the model to write, for the error.
    /// - Throws: `unsupported` in a read block; `cancelled` if the task was cancelled; `closed`.
    func openWriter(_ model: String? = nil) throws(StorageError) -> any StorageWriter {
        guard let writer else {
            _ = try openSession()
            throw StorageError(.unsupported, "A read block cannot write; use transaction.", model: model)
        }
        try job?.checkCancellation()
        return writer
    }

    func handle(_ type: any Storable.Type) throws(StorageError) -> ModelHandle {
        if own != nil, let known = own?.prepared[ObjectIdentifier(type)] { return known }
        if let known = store.registry.handle(type), own == nil || own?.changed.contains(known.name) == false {
            if let refusal = known.refusal { throw refusal }
            return known
        }
        let handle = try prepare(type)
        for target in try DeclaredModels.withTargets([type]).dropFirst() {
            if !isPrepared(target) { _ = try prepare(target) }
        }
        return handle
    }

    func isPrepared(_ type: any Storable.Type) -> Bool {
        own?.prepared[ObjectIdentifier(type)] != nil || store.registry.handle(type) != nil
    }

    private func prepare(_ type: any Storable.Type) throws(StorageError) -> ModelHandle {
        let session = try openSession()
        if let handle = try store.registry.upToDate(type, in: session, canWrite: writer != nil) {
            let models = (own ?? OwnModels()).adding(handle, for: type)
            if writer != nil {
                setOwn(models)
            } else {
                // What a reader finds is committed.
                own = models
                store.registry.directory.set(handle.tables, of: ObjectIdentifier(type))
            }
            return handle
        }
        guard let writer else {
            throw StorageError(
                .schemaMismatch, "The model's tables are not made yet; name it in models: when opening the store.",
                model: type.schema.name)
        }
        let handle = try store.registry.prepare(type, in: writer, noted?.history)
        setOwn((own ?? OwnModels()).adding(handle, for: type))
        own?.referrers = [:]
        noted?.noteTables(of: handle.name)
        wholeModels = [:]
        return handle
    }

    /// Sets what the transaction has prepared, which its own queries lead to and no other's.
    private func setOwn(_ models: OwnModels?) {
        own = models
        store.registry.directory.setUncommitted(models?.prepared.mapValues(\.tables) ?? [:])
    }

    /// Releases the names that the undone transaction has claimed.
    func releaseNames() { if let own { store.registry.release(own.claimed) } }

    // MARK: References

    /// Takes notice of references to records that are not there yet.
    func add(unresolved keys: [[Value]], _ place: UnresolvedReferences.Place) {
        let unresolved = unresolved ?? UnresolvedReferences()
        unresolved.add(keys, place)
        self.unresolved = unresolved
    }

    /// - Throws: `constraint` if a reference that was written names nothing (clause R2).
    func resolve() throws(StorageError) { try unresolved?.check(self) }

    /// What refers to a model's records, whoever has declared it.
    func referrers(to model: ModelHandle) throws(StorageError) -> [Referrer] {
        let writer = try openWriter(model.name)
        // What this transaction has prepared is not known to others, and perhaps undone.
        guard own == nil else {
            if let known = own?.referrers[model.name] { return known }
            let found = try Referrer.all(to: model, in: writer)
            own?.referrers[model.name] = found
            return found
        }
        return try model.referrers(at: store.registry.schemaVersion.load(ordering: .acquiring)) {
            () throws(StorageError) in try Referrer.all(to: model, in: writer)
        }
    }

    /// Runs a user's closure in a savepoint, which is undone if the closure throws.
    func savepoint<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        _ = try openSession()
        guard writer != nil else {
            throw StorageError(.unsupported, "A read block has no savepoints; use transaction.", operation: "savepoint")
        }
        var own: StorageError?
        do {
            return try atomically { () throws(StorageError) in
                do throws(StorageError) {
                    return try body()
                } catch {
                    own = error
                    throw error
                }
            }
        } catch {
            if let own, error.isSame(as: own) { throw error }
            throw noting(error)
        }
    }

    /// Runs one call of a transaction: a failure undoes the call, and the transaction may continue.
    func atomically<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        guard let writer else { return try body() }
        let before = (own, noted?.mark, unresolved?.mark)
        var result: T?
        do {
            try writer.savepoint { () throws(StorageError) in result = try body() }
        } catch {
            if own != nil { undo(to: before.0) }
            if let mark = before.1 { noted?.undo(to: mark) }
            unresolved?.undo(to: before.2 ?? 0)
            throw error
        }
        guard let result else { throw StorageError(.io, "The backend did not run the savepoint.") }
        return result
    }

    /// Forgets what an undone savepoint has prepared.
    private func undo(to before: OwnModels?) {
        let claimed = own?.claimed ?? [:]
        setOwn(before)
        own?.referrers = [:]
        store.registry.release(claimed.filter { before?.claimed[$0.key] == nil })
    }

    private func openSession() throws(StorageError) -> any StorageSession {
        if let writer {
            try job?.checkCancellation()
            return writer
        }
        guard let reader else {
            throw StorageError(
                .closed, "The transaction or read block has ended; its handle and builders cannot be used.")
        }
        try CancellationCheck.look()
        return reader
    }
}

/// What a transaction has prepared, and the store does not know until it is committed.
struct OwnModels {
    /// Prepared models.
    var prepared: [ObjectIdentifier: ModelHandle] = [:]
    /// Models whose tables a schema has changed, so that the store's handles for their types are outdated.
    var changed: Set<String> = []
    /// The stored names of the types that were prepared.
    var claimed: [ObjectIdentifier: String] = [:]
    /// What refers to models, found since the last change.
    var referrers: [String: [Referrer]] = [:]

    func adding(_ handle: ModelHandle, for type: any Storable.Type) -> OwnModels {
        var models = self
        models.prepared[ObjectIdentifier(type)] = handle
        models.claimed[ObjectIdentifier(type)] = handle.name
        return models
    }
}
