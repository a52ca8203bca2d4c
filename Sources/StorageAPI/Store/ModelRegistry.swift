import Logging
import Synchronization

/// The models that a store has prepared, by their type.
final class ModelRegistry: Sendable {
    private let handles = Mutex<[ObjectIdentifier: ModelHandle]>([:])
    /// Models known by their recorded tables alone, by their stored name.
    private let recorded = Mutex<[String: RecordedHandle]>([:])
    let ids = PlanIDs()
    private let info: BackendInfo
    private let logger: Logger

    init(_ info: BackendInfo, logger: Logger) {
        self.info = info
        self.logger = logger
    }

    func handle(_ type: any Storable.Type) -> ModelHandle? {
        handles.withLock { $0[ObjectIdentifier(type)] }
    }

    /// Whether the program has declared a model of the stored name.
    func isDeclared(_ name: String) -> Bool {
        handles.withLock { $0.values.contains { $0.name.utf8.elementsEqual(name.utf8) } }
    }

    func add(_ prepared: [ObjectIdentifier: ModelHandle]) {
        guard !prepared.isEmpty else { return }
        handles.withLock { $0.merge(prepared) { old, _ in old } }
    }

    /// The model's handle if its tables are as it declares them; nil where something is to be changed first.
    func upToDate(
        _ type: any Storable.Type, in session: any StorageSession
    ) throws(StorageError) -> ModelHandle? {
        let planner = try planner(type, in: session)
        guard !planner.steps.contains(where: \.changesStore) else { return nil }
        return ModelHandle(planner.binding, ids: ids)
    }

    /// Makes the model's tables as it declares them.
    func prepare(
        _ type: any Storable.Type, in writer: any StorageWriter
    ) throws(StorageError) -> ModelHandle {
        let planner = try planner(type, in: writer)
        let migration = SchemaMigration(writer: writer, ids: ids, logger: logger, info: info)
        for step in planner.steps { try migration.run(step) }
        return ModelHandle(planner.binding, ids: ids)
    }

    /// The handle of a model as the store has recorded it; the same one as long as its tables stay as they are.
    func recorded(_ name: String, in session: any StorageSession) throws(StorageError) -> RecordedHandle {
        let tables = try session.tables()
        let known = recorded.withLock { $0[name] }
        if let known, known.model.isMade(of: tables) { return known }
        let model = try RecordedModel(name, tables)
        let handle = RecordedHandle(model: model, handle: ModelHandle(model.tables, ids: ids))
        recorded.withLock { $0[name] = handle }
        return handle
    }

    private func planner(
        _ type: any Storable.Type, in session: any StorageSession
    ) throws(StorageError) -> SchemaPlanner {
        let declared = try DeclaredTables(type)
        return try SchemaPlanner(
            declared, recorded: try session.tables(), reservedPrefixes: info.reservedNamePrefixes,
            columnLimit: info.limits.columns)
    }
}

/// A model known by its recorded tables, with the plans made for them.
struct RecordedHandle: Sendable {
    let model: RecordedModel
    let handle: ModelHandle
}
