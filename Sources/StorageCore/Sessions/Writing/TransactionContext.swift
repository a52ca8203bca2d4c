import StorageDriver

/// A transaction, or a block of reads, while a call or a user's closure runs in it.
///
/// A query builder that leaves the closure finds the session closed.
package final class TransactionContext {
    private let environment: TransactionEnvironment
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var reader: (any StorageReader)?
    /// The session that a transaction writes to, with all layers.
    @exclusivity(unchecked) package private(set) var outerWriter: (any StorageWriter)?
    /// The session below the layers that capture changes; nil if there are none.
    @exclusivity(unchecked) private var inner: (any StorageWriter)?
    @exclusivity(unchecked) private var call: (any CancellableCall)?
    /// Captures the changes of a transaction; nil if no subscriber needs them.
    @exclusivity(unchecked) package private(set) var capture: (any TransactionCapture)?
    /// The layers of the application; nil if there are none.
    @exclusivity(unchecked) package var hooks: (any TransactionHooks)?
    /// The rows that the database changes by itself; nil if it changes no rows by itself.
    @exclusivity(unchecked) package var reactions: DatabaseReactions?
    /// The models that this transaction has prepared and changed; nil if none, as mostly.
    @exclusivity(unchecked) private(set) var own: UncommittedModels?
    /// The author of the transaction, and its purpose; nil if it names none.
    @exclusivity(unchecked) package private(set) var givenSignature: CommitSignature?
    /// The last error of a call in this transaction that another writer has caused.
    @exclusivity(unchecked) package private(set) var collision: StorageError?
    /// The denials that a judged savepoint leaves to its end; nil outside of one.
    @exclusivity(unchecked) var postponedDenials: PostponedDenials?
    /// References that were written before their records; nil if there are none.
    @exclusivity(unchecked) private var unresolved: UnresolvedReferences?

    /// A block of reads.
    package init(_ environment: TransactionEnvironment, reader: any StorageReader) {
        self.environment = environment
        self.reader = reader
    }

    /// A transaction.
    ///
    /// - Parameters:
    ///   - writer: the session with all layers.
    ///   - inner: the session that captures no changes; nil if `writer` captures none.
    ///   - capture: captures the changes, and reads the signature; nil if no subscriber needs them.
    package init(
        _ environment: TransactionEnvironment, writer: any StorageWriter, inner: (any StorageWriter)? = nil,
        call: any CancellableCall, capture: (any TransactionCapture)? = nil
    ) {
        self.environment = environment
        outerWriter = writer
        self.inner = inner
        self.call = call
        self.capture = capture
        givenSignature = capture?.signature
    }

    package var registry: ModelRegistry { environment.registry }
    package var limits: BackendInfo.Limits { environment.limits }

    /// Checks the conditions for the end of a transaction.
    ///
    /// - Returns: the models that it has prepared and changed; nil if there are none.
    /// - Throws: `constraint` if a written reference is dangling (clause R2); `limitExceeded` if the author or the note
    ///   is too long; errors of layers.
    package func finish() throws(StorageError) -> UncommittedModels? {
        try hooks?.callWillEnd()
        try checkReferences()
        try givenSignature?.check()
        return own
    }

    package func end() {
        if own != nil, canWrite { registry.directory.setUncommitted([:]) }
        reader = nil
        (outerWriter, inner) = (nil, nil)
        (call, capture) = (nil, nil)
        hooks?.end()
        (hooks, reactions) = (nil, nil)
    }

    package var canWrite: Bool { outerWriter != nil }

    /// The author of the transaction, and its purpose, to be set.
    package var signature: CommitSignature {
        if let givenSignature { return givenSignature }
        let signature = CommitSignature()
        signature.author = environment.author
        givenSignature = signature
        return signature
    }

    /// The error that a call of this session throws: a collision with another writer is kept, since it may be a reason to
    /// repeat the transaction.
    package func tracking(_ error: StorageError) -> StorageError {
        if error.code == .busy || error.code == .conflict { collision = error }
        return error
    }

    package func reading(_ model: ModelSource) throws(StorageError) -> RecordReader {
        RecordReader(handle: try handle(model), session: try openSession())
    }

    /// - Throws: `unsupported` also for a view of other software, and a table without a key.
    package func writing(_ model: ModelSource) throws(StorageError) -> RecordWriter {
        let handle = try handle(model)
        if handle.isReadOnly { throw TableSchema.onlyRead(handle.name) }
        return RecordWriter(handle: handle, writer: try openWriter(handle.name), context: self)
    }

    /// Creates or changes tables as schemas declare.
    ///
    /// - Parameter isExact: whether models lose properties that the schemas do not have.
    package func prepare(_ schemas: [RecordSchema], isExact: Bool = false) throws(StorageError) {
        let changed: [StoredName]
        do throws(StorageError) {
            changed = try environment.models.prepare(
                schemas, isExact: isExact, in: openWriter(schemas.first?.storedName), didChange)
        } catch {
            // The code that compares and changes tables reports errors of opening a store.
            throw error.with { $0.operation = isExact ? "migrate" : "prepare" }
        }
        guard !changed.isEmpty else { return }
        var own = own ?? UncommittedModels()
        own.changed.formUnion(changed)
        own.referrers = [:]
        own.prepared = own.prepared.filter { !own.changed.contains($0.value.name) }
        setOwn(own)
    }

    /// Prepares models, and the models that they refer to, if they are not prepared yet. The tables are read once.
    package func prepare(_ types: [any Storable.Type]) throws(StorageError) {
        try prepare(all: DeclaredModels.withTargets(types).filter { !isPrepared($0) })
    }

    private func didChange(_ change: SchemaChange) throws(StorageError) {
        for observer in environment.schemaObservers { try observer.didChange(change, in: self) }
    }

    package func handle(_ model: ModelSource) throws(StorageError) -> ModelHandle {
        switch model {
        case .type(let type): try handle(type)
        case .recorded(let name): try registry.recorded(name, in: openSession())
        case .whole(let name): try registry.whole(name, in: openSession())
        }
    }

    /// The writing session itself.
    ///
    /// - Parameter model: the model to write, for the error.
    /// - Throws: `unsupported` in a read block; `cancelled` if the task was cancelled; `closed`.
    package func openWriter(
        _ model: @autoclosure () -> StoredName? = nil
    ) throws(StorageError) -> any StorageWriter {
        guard let outerWriter else {
            _ = try openSession()
            throw StorageError(.unsupported, "A read block cannot write; use transaction.", model: model()?.text)
        }
        try call?.checkCancellation()
        return outerWriter
    }

    /// The session below the layers that capture changes: for copies of whole models, and for rows of no model.
    ///
    /// - Throws: as ``openWriter(_:)``.
    package func innerWriter(_ model: StoredName? = nil) throws(StorageError) -> any StorageWriter {
        let outer = try openWriter(model)
        return inner ?? outer
    }

    package func handle(_ type: any Storable.Type) throws(StorageError) -> ModelHandle {
        if own != nil, let known = own?.prepared[ObjectIdentifier(type)] { return known }
        if let known = registry.handle(type), own == nil || own?.changed.contains(known.name) == false {
            if let refusal = known.refusal { throw refusal }
            return known
        }
        let targets = try DeclaredModels.withTargets([type]).dropFirst().filter { !isPrepared($0) }
        try prepare(all: [type] + targets)
        guard let handle = own?.prepared[ObjectIdentifier(type)] else {
            throw UnpreparedModel(model: .type(type)).error
        }
        return handle
    }

    package func isPrepared(_ type: any Storable.Type) -> Bool {
        own?.prepared[ObjectIdentifier(type)] != nil || registry.handle(type) != nil
    }

    private func prepare(all types: [any Storable.Type]) throws(StorageError) {
        let session = try openSession()
        guard let outerWriter else {
            let (models, behind) = try environment.models.upToDate(types, in: session, canWrite: false)
            if let type = behind.first {
                throw StorageError(
                    .schemaMismatch, "The model's tables are not made yet; name it in models: when opening the store.",
                    model: type.schema.name)
            }
            own = (own ?? UncommittedModels()).adding(models)
            // A reader finds only committed models.
            for (type, handle) in models { registry.directory.set(handle.tables, of: type) }
            return
        }
        let (models, haveChanged) = try environment.models.prepare(types, in: outerWriter, didChange)
        setOwn((own ?? UncommittedModels()).adding(models))
        if haveChanged { own?.referrers = [:] }
    }

    /// Sets the models that the transaction has prepared, which only the transaction's queries see.
    private func setOwn(_ models: UncommittedModels?) {
        own = models
        registry.directory.setUncommitted(models?.prepared.mapValues(\.tables) ?? [:])
    }

    /// Releases the names that the undone transaction has claimed.
    package func releaseNames() { if let own { registry.release(own.claimed) } }

    // MARK: References

    /// Keeps references to records that are not stored yet, to be checked at the end.
    func add(unresolved keys: [[Value]], _ place: UnresolvedReferences.Place) {
        let unresolved = unresolved ?? UnresolvedReferences()
        unresolved.add(keys, place)
        self.unresolved = unresolved
    }

    /// - Throws: `constraint` if a written reference is dangling (clause R2).
    package func checkReferences() throws(StorageError) { try unresolved?.check(self) }

    /// Runs a body whose written references are judged by themselves, apart from the references that the transaction has
    /// written before.
    ///
    /// - Returns: the references of the body that lead to no record when it ends.
    func judgingReferences(
        of body: () throws(StorageError) -> Void
    ) throws(StorageError) -> [DanglingReference] {
        let before = unresolved
        unresolved = nil
        defer { unresolved = before }
        try body()
        return try unresolved?.dangling(self) ?? []
    }

    /// Returns the references to a model's records, of all programs.
    package func referrers(to model: ModelHandle) throws(StorageError) -> [Referrer] {
        let writer = try openWriter(model.name)
        // Other transactions don't know the models that this one has prepared, and these may be undone.
        guard own == nil else {
            if let known = own?.referrers[model.name] { return known }
            let found = try Referrer.all(to: model, in: writer)
            own?.referrers[model.name] = found
            return found
        }
        return try model.referrers(at: registry.schemaVersion.load(ordering: .acquiring)) {
            () throws(StorageError) in try Referrer.all(to: model, in: writer)
        }
    }

    /// Runs a user's closure in a savepoint, which is undone if the closure throws.
    package func savepoint<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        _ = try openSession()
        guard canWrite else {
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
            throw tracking(error)
        }
    }

    /// Runs one call of a transaction: a failure undoes the call, and the transaction may continue.
    package func atomically<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        guard let outerWriter else { return try body() }
        let before = (own, unresolved?.mark)
        var result: T?
        do {
            try outerWriter.savepoint { () throws(StorageError) in
                result = try body()
                try hooks?.callWillEnd()
            }
        } catch {
            if own != nil { undo(to: before.0) }
            unresolved?.undo(to: before.1 ?? 0)
            throw error
        }
        guard let result else { throw StorageError(.io, "The backend did not run the savepoint.") }
        return result
    }

    /// Forgets the models that an undone savepoint has prepared.
    private func undo(to before: UncommittedModels?) {
        let claimed = own?.claimed ?? [:]
        setOwn(before)
        own?.referrers = [:]
        registry.release(claimed.filter { before?.claimed[$0.key] == nil })
    }

    /// The session itself, to read.
    ///
    /// - Throws: `closed` if it has ended; `cancelled` if the task was cancelled.
    package func openSession() throws(StorageError) -> any StorageSession {
        if let outerWriter {
            try call?.checkCancellation()
            return outerWriter
        }
        guard let reader else {
            throw StorageError(
                .closed, "The transaction or read block has ended; its handle and builders cannot be used.")
        }
        try CancellationCheck.look()
        return reader
    }
}

/// The parts of a store that its transactions and read blocks use.
package final class TransactionEnvironment: Sendable {
    let registry: ModelRegistry
    package let models: any ModelPreparing
    let limits: BackendInfo.Limits
    let schemaObservers: [any SchemaChangeObserver]
    /// The author of transactions that name none; nil for none.
    package let author: String?

    package init(
        _ registry: ModelRegistry, _ limits: BackendInfo.Limits, models: any ModelPreparing,
        schemaObservers: [any SchemaChangeObserver], author: String?
    ) {
        self.author = author
        self.registry = registry
        self.models = models
        self.limits = limits
        self.schemaObservers = schemaObservers
    }
}

/// The models that a transaction has prepared, and that the store does not know until it commits.
package struct UncommittedModels {
    /// Prepared models.
    package var prepared: [ObjectIdentifier: ModelHandle] = [:]
    /// Models whose tables a schema has changed, so that the store's handles for their types are outdated.
    package var changed: Set<StoredName> = []
    /// The stored names of the types that were prepared.
    package var claimed: [ObjectIdentifier: StoredName] = [:]
    /// The names of these models.
    package var names: [StoredName] { prepared.values.map(\.name) + changed }

    /// The references to models, found since the last change.
    var referrers: [StoredName: [Referrer]] = [:]

    func adding(_ handles: [ObjectIdentifier: ModelHandle]) -> UncommittedModels {
        var models = self
        models.prepared.merge(handles) { $1 }
        models.claimed.merge(handles.mapValues(\.name)) { $1 }
        return models
    }
}

/// A call that its task may cancel.
package protocol CancellableCall: AnyObject {
    /// - Throws: `cancelled` if the task was cancelled.
    func checkCancellation() throws(StorageError)
}

/// Learns of changes of schemas, in the transactions that make them.
package protocol SchemaChangeObserver: AnyObject, Sendable {
    func didChange(_ change: SchemaChange, in context: TransactionContext) throws(StorageError)
}
