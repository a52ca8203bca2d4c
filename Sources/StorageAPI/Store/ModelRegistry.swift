import Logging
import Synchronization

/// The models that a store has prepared, by their type.
final class ModelRegistry: Sendable {
    private let handles = Mutex<[ObjectIdentifier: ModelHandle]>([:])
    private let ids = PlanIDs()
    private let info: BackendInfo
    private let logger: Logger

    init(_ info: BackendInfo, logger: Logger) {
        self.info = info
        self.logger = logger
    }

    func handle(_ type: any Storable.Type) -> ModelHandle? {
        handles.withLock { $0[ObjectIdentifier(type)] }
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

    private func planner(
        _ type: any Storable.Type, in session: any StorageSession
    ) throws(StorageError) -> SchemaPlanner {
        let declared = try DeclaredTables(type)
        return try SchemaPlanner(
            declared, recorded: try session.tables(), reservedPrefixes: info.reservedNamePrefixes,
            columnLimit: info.limits.columns)
    }
}
