import Logging
import Synchronization

/// The models that a store has prepared, by their type.
final class ModelRegistry: Sendable {
    private let handles = Mutex<[ObjectIdentifier: ModelHandle]>([:])
    /// Models known by their recorded tables alone, by their stored name.
    private let recorded = Mutex<[String: ModelHandle]>([:])
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

    /// The stored name of a model.
    func name(of model: ModelSource) -> String {
        switch model {
        case .type(let type): handle(type)?.name ?? type.schema.name
        case .recorded(let name): name
        }
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
        try run(planner.steps, in: writer)
        return ModelHandle(planner.binding, ids: ids)
    }

    private func run(_ steps: [SchemaStep], in writer: any StorageWriter) throws(StorageError) {
        let migration = SchemaMigration(writer: writer, ids: ids, logger: logger, info: info)
        for step in steps { try migration.run(step) }
    }

    // MARK: Models without types

    /// Makes a model's tables as a schema declares them, or adds to those there are what it declares beyond them.
    ///
    /// - Returns: whether anything was changed.
    func prepare(_ schema: RecordSchema, in writer: any StorageWriter) throws(StorageError) -> Bool {
        let tables = try writer.tables()
        var schema = schema
        if tables.contains(where: { $0.isRoot && $0.path[0].isSame(as: schema.name) }) {
            schema = try RecordSchema(RecordedTables(schema.name, tables)).adding(schema)
        }
        let planner = try planner(try DeclaredTables(schema), in: writer)
        try run(planner.steps, in: writer)
        return planner.steps.contains(where: \.changesStore)
    }

    /// Forgets what is known of models by their types: their tables have changed.
    func forget(_ models: Set<String>) {
        guard !models.isEmpty else { return }
        handles.withLock { handles in handles = handles.filter { !models.contains($0.value.name) } }
    }

    /// The handle of a model as the store has recorded it; the same one as long as its tables stay as they are.
    func recorded(_ name: String, in session: any StorageSession) throws(StorageError) -> ModelHandle {
        let tables = try session.tables()
        let known = recorded.withLock { $0[name] }
        if let known, known.tables.isMade(of: tables) { return known }
        let handle = ModelHandle(try ModelTables(recorded: name, tables), ids: ids)
        recorded.withLock { $0[name] = handle }
        return handle
    }

    /// - Throws: `io` for a type that has not been prepared; as ``recorded(_:in:)``.
    func handle(_ model: ModelSource, in session: any StorageSession) throws(StorageError) -> ModelHandle {
        switch model {
        case .recorded(let name): return try recorded(name, in: session)
        case .type(let type):
            if let handle = handle(type) { return handle }
            throw StorageError(.io, "The model is not prepared.", model: type.schema.name)
        }
    }

    private func planner(
        _ type: any Storable.Type, in session: any StorageSession
    ) throws(StorageError) -> SchemaPlanner {
        try planner(try DeclaredTables(type), in: session)
    }

    private func planner(
        _ declared: DeclaredTables, in session: any StorageSession
    ) throws(StorageError) -> SchemaPlanner {
        try SchemaPlanner(
            declared, recorded: try session.tables(), reservedPrefixes: info.reservedNamePrefixes,
            columnLimit: info.limits.columns)
    }
}
