import StorageDriver
package import Synchronization

/// The models that a store has prepared, by their type.
package final class ModelRegistry: ModelResolver {
    private let handles = Mutex(HandlesByType())
    /// Models known only by their recorded tables, by their stored name.
    private let recorded = Mutex<[StoredName: ModelHandle]>([:])
    /// The recorded models that no program declares in full, with everything that is recorded.
    private let whole = Mutex<[StoredName: ModelHandle]>([:])
    /// The types with their stored names.
    let names = ModelNames()
    package let directory = ModelDirectory()
    /// The models whose types mark times to be filled in.
    package let stamps = StampedModels()
    /// Increases with each change of the known models.
    package let schemaVersion = Atomic(0)
    /// The version of the engine's tables that the models were compared with.
    private let tablesVersion = Atomic(0)
    private let info: BackendInfo

    /// The state of the known models and of the engine's tables at one time.
    package struct Version: Equatable {
        package let number: Int

        package init(models: Int, tables: Int) { number = models &<< 32 | tables & 0xFFFF_FFFF }
    }

    package init(_ info: BackendInfo) {
        self.info = info
        directory.serve(self, info)
    }

    package func handle(_ type: any Storable.Type) -> ModelHandle? {
        handles.withLock { $0[ObjectIdentifier(type)] }
    }

    /// Returns whether the program has declared a model of the stored name.
    package func isDeclared(_ name: StoredName) -> Bool {
        handles.withLock { $0.contains { $0.name == name } }
    }

    /// The stored name of a model.
    package func name(of model: ModelSource) -> StoredName {
        switch model {
        case .type(let type): handle(type)?.name ?? StoredName(type.schema.name)
        case .recorded(let name), .whole(let name): name
        }
    }

    /// The declared types, with their handles.
    package var declared: [(type: any Storable.Type, handle: ModelHandle)] {
        names.types.compactMap { type in handle(type).map { (type, $0) } }
    }

    /// Returns the defaults that the program declares for records that lack some of a model's properties.
    package func defaults(of model: StoredName) -> DeclaredDefaults {
        DeclaredDefaults(type: declared.first { $0.handle.name == model }?.type)
    }

    package func add(_ prepared: [ObjectIdentifier: ModelHandle]) {
        guard !prepared.isEmpty else { return }
        schemaVersion.add(1, ordering: .releasing)
        for (type, handle) in prepared { directory.set(handle.tables, of: type) }
        handles.withLock { handles in for (type, handle) in prepared { handles.add(handle, for: type) } }
        // They have no defaults yet.
        recorded.withLock { recorded in for handle in prepared.values { recorded[handle.name] = nil } }
        whole.withLock { whole in for handle in prepared.values { whole[handle.name] = nil } }
    }

    /// Releases the names of types whose transaction was undone, unless they are known by another one.
    package func release(_ claimed: [ObjectIdentifier: StoredName]) {
        for (type, name) in claimed where handles.withLock({ $0[type] == nil }) { names.release(name, of: type) }
    }

    /// Compares the models that the engine's options name with the models of a store.
    ///
    /// - Parameter declared: the models that it gets.
    /// - Throws: `configuration` for a name of none.
    package func requireNamedModels(
        in session: any StorageSession, and declared: [any Storable.Type] = []
    ) throws(StorageError) {
        guard info.namedModels.contains(where: { !$0.value.isEmpty }) else { return }
        let stored = try session.tables().filter { $0.isRoot && !$0.isStoresOwn }.map { $0.storedPath[0] }
        let known = Set(stored + declared.map { StoredName($0.schema.name) })
        for (option, models) in info.namedModels.sorted(by: { $0.key < $1.key }) {
            guard let name = models.first(where: { !known.contains(StoredName($0)) }) else { continue }
            let names = known.map(\.text).sorted()
            throw StorageError(
                .configuration,
                "The option \(option) names the model \(name)\(SpellingSuggestion.hint(name, among: names)), which the store does not "
                    + "have; the models are \(names.isEmpty ? "none" : names.joined(separator: ", ")). Correct the name or take it "
                    + "out, or give the model's type when the store is opened. No table was made.",
                model: name)
        }
    }

    /// Drops the handles of models whose tables have changed.
    package func forget(_ models: Set<StoredName>) {
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
        let tables = try session.tables().byModel
        handles.withLock { $0.replaceAll { $0.compared(with: tables[$0.name] ?? [], directory: directory) } }
        schemaVersion.add(1, ordering: .releasing)
        tablesVersion.store(version, ordering: .releasing)
        return true
    }

    /// The handle of a model as the store has recorded it. It is the same as long as its tables do not change.
    package func recorded(_ name: StoredName, in session: any StorageSession) throws(StorageError) -> ModelHandle {
        let tables = try session.tables()
        let known = recorded.withLock { $0[name] }
        if let known, isMade(known.tables, of: tables) { return known }
        return try record(name, tables)
    }

    /// The handle of a model as it is recorded, with the properties that no program declares any more: the history
    /// keeps and restores that too.
    package func whole(_ name: StoredName, in session: any StorageSession) throws(StorageError) -> ModelHandle {
        let handle = try recorded(name, in: session)
        guard !handle.tables.isWhole else { return handle }
        let tables = try session.tables()
        if let known = whole.withLock({ $0[name] }), known.tables.isMade(of: tables) { return known }
        let made = try ModelHandle(
            ModelTables(recorded: name, tables, hasRemoved: true, defaults: defaults(of: name)), directory: directory)
        whole.withLock { $0[name] = made }
        return made
    }

    /// Returns whether a recorded model, and all that it refers to, is as it was when it was bound.
    private func isMade(_ model: ModelTables, of tables: [TableSchema]) -> Bool {
        var seen: Set<StoredName> = []
        var open = [model]
        while let next = open.popLast() {
            guard next.isMade(of: tables) else { return false }
            for name in next.targets where seen.insert(name).inserted {
                // A reference to a removed model fails only when it is used.
                if let target = directory.tables(named: name) { open.append(target) }
            }
        }
        return true
    }

    /// Binds a recorded model and the models that it refers to.
    private func record(_ name: StoredName, _ tables: [TableSchema]) throws(StorageError) -> ModelHandle {
        let model = try ModelTables(recorded: name, tables, defaults: defaults(of: name))
        var seen: Set<StoredName> = [name]
        var open = [model]
        directory.set(model, named: name)
        while let next = open.popLast() {
            for name in next.targets where seen.insert(name).inserted {
                guard tables.contains(where: { $0.isRoot(of: name) }) else { continue }
                let target = try ModelTables(recorded: name, tables, defaults: defaults(of: name))
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
