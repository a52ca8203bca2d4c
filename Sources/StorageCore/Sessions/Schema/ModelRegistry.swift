package import Logging
import StorageDriver
package import Synchronization

/// The models that a store has prepared, by their type.
package final class ModelRegistry: ModelResolver {
    private let handles = Mutex(HandlesByType())
    /// Models known only by their recorded tables, by their stored name.
    private let recorded = Mutex<[String: ModelHandle]>([:])
    /// The recorded models that no program declares in full, with everything that is recorded.
    private let whole = Mutex<[String: ModelHandle]>([:])
    private let names = ModelNames()
    package let directory = ModelDirectory()
    /// The models whose types mark times to be filled in.
    package let stamps = StampedModels()
    /// Increases with each change of the known models.
    package let schemaVersion = Atomic(0)
    /// The version of the engine's tables that the models were compared with.
    private let tablesVersion = Atomic(0)
    private let info: BackendInfo
    private let logger: Logger
    /// The rules that the program removes, by the stored names of their models.
    private let removals: [(model: String, properties: [String])]

    /// The state of the known models and of the engine's tables at one time.
    package struct Version: Equatable {
        package let number: Int

        package init(models: Int, tables: Int) { number = models &<< 32 | tables & 0xFFFF_FFFF }
    }

    package init(_ info: BackendInfo, logger: Logger, removals: [(model: String, properties: [String])] = []) {
        self.info = info
        self.logger = logger
        self.removals = removals
        directory.serve(self, info)
    }

    package func handle(_ type: any Storable.Type) -> ModelHandle? {
        handles.withLock { $0[ObjectIdentifier(type)] }
    }

    /// Returns whether the program has declared a model of the stored name.
    package func isDeclared(_ name: String) -> Bool {
        handles.withLock { $0.contains { $0.name.isSame(as: name) } }
    }

    /// The stored name of a model.
    package func name(of model: ModelSource) -> String {
        switch model {
        case .type(let type): handle(type)?.name ?? type.schema.name
        case .recorded(let name), .whole(let name): name
        }
    }

    /// The declared types, with their handles.
    package var declared: [(type: any Storable.Type, handle: ModelHandle)] {
        names.types.compactMap { type in handle(type).map { (type, $0) } }
    }

    /// Returns the defaults that the program declares for records that lack some of a model's properties.
    package func defaults(of model: String) -> DeclaredDefaults {
        DeclaredDefaults(type: declared.first { $0.handle.name.isSame(as: model) }?.type)
    }

    package func add(_ prepared: [ObjectIdentifier: ModelHandle]) {
        guard !prepared.isEmpty else { return }
        schemaVersion.add(1, ordering: .releasing)
        for (type, handle) in prepared { directory.set(handle.tables, of: type) }
        handles.withLock { handles in for (type, handle) in prepared { handles.add(handle, for: type) } }
    }

    /// Releases the names of types whose transaction was undone, unless they are known by another one.
    package func release(_ claimed: [ObjectIdentifier: String]) {
        for (type, name) in claimed where handles.withLock({ $0[type] == nil }) { names.release(name, of: type) }
    }

    /// The model's handle if its tables are as declared; nil if something must be changed first.
    ///
    /// - Parameter canWrite: whether it can be changed. If not, marks of removed properties are ignored.
    package func upToDate(
        _ type: any Storable.Type, in session: any StorageSession, canWrite: Bool
    ) throws(StorageError) -> ModelHandle? {
        try claiming(type) { (declared) throws(StorageError) in
            let planner = try planner(declared, in: session)
            guard !planner.steps.contains(where: { canWrite ? $0.changesStore : $0.isNeeded }) else { return nil }
            return try ModelHandle(planner.binding, directory: directory)
        }
    }

    /// Creates or changes the model's tables as declared.
    ///
    /// - Parameter didChange: called with the changes, if there are any.
    func prepare(
        _ type: any Storable.Type, in writer: any StorageWriter,
        _ didChange: (SchemaChange) throws(StorageError) -> Void
    ) throws(StorageError) -> ModelHandle {
        try claiming(type) { (declared) throws(StorageError) in
            let planner = try planner(declared, in: writer)
            try run(planner.steps, of: declared.model.name, in: writer, didChange)
            return try ModelHandle(planner.binding, directory: directory)
        }
    }

    /// Runs the body for a type that has its stored name from now on, unless the body fails before there is a handle, or a
    /// transaction that has claimed it is undone (``release(_:)``).
    private func claiming<T>(
        _ type: any Storable.Type, _ body: (DeclaredTables) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        let declared = try DeclaredTables(type)
        try names.claim(declared, by: type)
        stamps.add(declared.model)
        do throws(StorageError) { return try body(declared) } catch {
            if handle(type) == nil { names.release(declared.model.name, of: ObjectIdentifier(type)) }
            throw error
        }
    }

    private func run(
        _ steps: [SchemaStep], of model: String, in writer: any StorageWriter,
        _ didChange: (SchemaChange) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard !steps.isEmpty else { return }
        let change = SchemaChange(model: model, tables: RecordedTables.list(model, try writer.tables()), steps: steps)
        let migration = SchemaMigration(writer: writer, directory: directory, logger: logger, info: info)
        for step in steps { try migration.run(step) }
        if steps.contains(where: \.changesStore) { try didChange(change) }
    }

    // MARK: Models without types

    /// Returns the steps after which a model is stored as it is declared.
    ///
    /// - Parameter isExact: whether the model loses rules that are recorded and not declared.
    package func steps(
        to declared: DeclaredTables, isExact: Bool, in session: any StorageSession
    ) throws(StorageError) -> [SchemaStep] {
        try planner(declared, isExact: isExact, in: session).steps
    }

    /// Creates a model's tables as a schema declares them, or adds what existing tables lack.
    ///
    /// - Parameter isExact: whether the model gets exactly the schema's properties and rules, and loses others.
    /// - Returns: whether anything was changed.
    func prepare(
        _ schema: RecordSchema, isExact: Bool, in writer: any StorageWriter,
        _ didChange: (SchemaChange) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        let tables = try writer.tables()
        var schema = schema
        if !isExact, tables.contains(where: { $0.isRoot && $0.path[0].isSame(as: schema.name) }) {
            schema = try RecordSchema(RecordedTables(schema.name, tables.filter { !$0.isRemoved }))
                .adding(schema)
        }
        let planner = try planner(try DeclaredTables(schema), isExact: isExact, in: writer)
        try run(planner.steps, of: schema.name, in: writer, didChange)
        return planner.steps.contains(where: \.changesStore)
    }

    /// Drops the handles of models whose tables have changed.
    package func forget(_ models: Set<String>) {
        guard !models.isEmpty else { return }
        schemaVersion.add(1, ordering: .releasing)
        handles.withLock { handles in
            handles.removeAll { models.contains($0.name) }
            // Their plans may touch tables that have changed.
            handles.replaceAll { $0.replanned() }
        }
    }

    /// Compares the models with tables that another process may have changed (clause S11), if that was not done at this
    /// version of the tables. A model that no longer fits is refused when it is used.
    ///
    /// - Returns: whether they were compared.
    package func compareAgain(at version: Int, in session: any StorageSession) throws(StorageError) -> Bool {
        guard tablesVersion.load(ordering: .acquiring) != version else { return false }
        let tables = try session.tables()
        handles.withLock { $0.replaceAll { $0.compared(with: tables, directory: directory) } }
        schemaVersion.add(1, ordering: .releasing)
        tablesVersion.store(version, ordering: .releasing)
        return true
    }

    /// The handle of a model as the store has recorded it. It is the same as long as its tables do not change.
    package func recorded(_ name: String, in session: any StorageSession) throws(StorageError) -> ModelHandle {
        let tables = try session.tables()
        let known = recorded.withLock { $0[name] }
        if let known, isMade(known.tables, of: tables) { return known }
        return try record(name, tables)
    }

    /// The handle of a model as it is recorded, with the properties that no program declares any more: the history
    /// keeps and restores that too.
    package func whole(_ name: String, in session: any StorageSession) throws(StorageError) -> ModelHandle {
        let handle = try recorded(name, in: session)
        guard !handle.tables.isWhole else { return handle }
        let tables = try session.tables()
        if let known = whole.withLock({ $0[name] }), known.tables.isMade(of: tables) { return known }
        let made = try ModelHandle(ModelTables(recorded: name, tables, hasRemoved: true), directory: directory)
        whole.withLock { $0[name] = made }
        return made
    }

    /// Returns whether a recorded model, and all that it refers to, is as it was when it was bound.
    private func isMade(_ model: ModelTables, of tables: [TableSchema]) -> Bool {
        var seen: Set<String> = []
        var open = [model]
        while let next = open.popLast() {
            guard next.isMade(of: tables) else { return false }
            for name in next.targets where seen.insert(name).inserted {
                // What refers to a model that is gone leads nowhere, until it is used.
                if let target = directory.tables(named: name) { open.append(target) }
            }
        }
        return true
    }

    /// Binds a recorded model and those that it refers to.
    private func record(_ name: String, _ tables: [TableSchema]) throws(StorageError) -> ModelHandle {
        let model = try ModelTables(recorded: name, tables)
        var seen: Set<String> = [name]
        var open = [model]
        directory.set(model, named: name)
        while let next = open.popLast() {
            for name in next.targets where seen.insert(name).inserted && tables.contains(where: { $0.isRoot(of: name) })
            {
                let target = try ModelTables(recorded: name, tables)
                directory.set(target, named: name)
                open.append(target)
            }
        }
        let handle = try ModelHandle(model, directory: directory)
        recorded.withLock { $0[name] = handle }
        return handle
    }

    /// The handle of a model that is known by its type; nil for others, whose tables a session must read.
    package func known(_ model: ModelSource) -> ModelHandle? {
        if case .type(let type) = model { handle(type) } else { nil }
    }

    /// - Throws: `io` for a type that has not been prepared; as ``recorded(_:in:)``.
    package func handle(_ model: ModelSource, in session: any StorageSession) throws(StorageError) -> ModelHandle {
        switch model {
        case .recorded(let name): return try recorded(name, in: session)
        case .whole(let name): return try whole(name, in: session)
        case .type(let type):
            if let handle = handle(type) { return handle }
            throw StorageError(.io, "The model is not prepared.", model: type.schema.name)
        }
    }

    private func planner(
        _ declared: DeclaredTables, isExact: Bool = false, in session: any StorageSession
    ) throws(StorageError) -> SchemaPlanner {
        let named = removals.filter { $0.model.isSame(as: declared.model.name) }.flatMap(\.properties)
        return try SchemaPlanner(
            declared, recorded: try session.tables(), reservedPrefixes: info.reservedNamePrefixes,
            columnLimit: info.limits.columns, data: StoredData(session: session),
            removals: isExact ? .all : .named(named))
    }
}

/// Handles sorted by the identities of their types. Every call looks one up: a few comparisons here instead of a hash
/// of sixteen rounds in a dictionary.
private struct HandlesByType {
    private var entries: [(type: ObjectIdentifier, handle: ModelHandle)] = []

    subscript(type: ObjectIdentifier) -> ModelHandle? {
        let place = place(of: type)
        return place < entries.count && entries[place].type == type ? entries[place].handle : nil
    }

    func contains(where isWanted: (ModelHandle) -> Bool) -> Bool {
        entries.contains { isWanted($0.handle) }
    }

    /// Adds a handle unless the type has one.
    mutating func add(_ handle: ModelHandle, for type: ObjectIdentifier) {
        let place = place(of: type)
        if place < entries.count, entries[place].type == type { return }
        entries.insert((type, handle), at: place)
    }

    mutating func replaceAll(by replacement: (ModelHandle) -> ModelHandle) {
        for place in entries.indices { entries[place].handle = replacement(entries[place].handle) }
    }

    mutating func removeAll(where isUnwanted: (ModelHandle) -> Bool) {
        entries.removeAll { isUnwanted($0.handle) }
    }

    /// The first index whose type does not come before the given one.
    private func place(of type: ObjectIdentifier) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].type < type { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
