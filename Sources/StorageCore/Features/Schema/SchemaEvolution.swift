package import Logging
import StorageDriver
import Synchronization

/// Compares the models that programs declare with the tables of a store, and creates or changes these.
package final class SchemaEvolution: ModelPreparing {
    private let registry: ModelRegistry
    private let info: BackendInfo
    private let logger: Logger
    /// The rules that the program removes, by the stored names of their models.
    private let removals: [(model: StoredName, properties: [String])]
    /// The columns that the engine keeps unique and no table records yet.
    private let unique = Mutex<Set<UniqueColumn>>([])

    package init(
        _ registry: ModelRegistry, _ info: BackendInfo, logger: Logger,
        removals: [(model: StoredName, properties: [String])]
    ) {
        self.registry = registry
        self.info = info
        self.logger = logger
        self.removals = removals
    }

    // MARK: Declared types

    package func upToDate(
        _ types: [any Storable.Type], in session: any StorageSession, canWrite: Bool
    ) throws(StorageError) -> (models: [ObjectIdentifier: ModelHandle], outdated: [any Storable.Type]) {
        try claiming(types, canWrite ? nil : RuleRemovals.none, in: session) { (planners) throws(StorageError) in
            // Several types of one model have the steps of the first.
            let changed = planners.filter { $0.steps.contains { canWrite ? $0.changesStore : $0.isNeeded } }
            let names = Set(changed.map(\.model))
            var (ready, outdated): ([(any Storable.Type, SchemaPlanner)], [any Storable.Type]) = ([], [])
            for (type, planner) in zip(types, planners) {
                if names.contains(planner.model) {
                    outdated.append(type)
                } else {
                    ready.append((type, planner))
                }
            }
            return (try bound(ready), outdated)
        }
    }

    package func prepare(
        _ types: [any Storable.Type], in writer: any StorageWriter,
        _ didChange: (SchemaChange) throws(StorageError) -> Void
    ) throws(StorageError) -> (models: [ObjectIdentifier: ModelHandle], haveChanged: Bool) {
        try claiming(types, in: writer) { (planners) throws(StorageError) in
            let changed = planners.filter { $0.steps.contains(where: \.changesStore) }
            try run(changed, in: writer, didChange)
            return (try bound(Array(zip(types, planners))), !changed.isEmpty)
        }
    }

    private func bound(
        _ planned: [(any Storable.Type, SchemaPlanner)]
    ) throws(StorageError) -> [ObjectIdentifier: ModelHandle] {
        var handles: [ObjectIdentifier: ModelHandle] = [:]
        for (type, planner) in planned {
            handles[ObjectIdentifier(type)] = try ModelHandle(planner.binding, directory: registry.directory)
        }
        return handles
    }

    /// Compares types with the tables of a session, which are read once, and runs the body. The types have their stored
    /// names from now on, unless the body fails before any handle is made, or a transaction that has claimed them is
    /// undone (``ModelRegistry/release(_:)``).
    private func claiming<T>(
        _ types: [any Storable.Type], _ removals: RuleRemovals? = nil, in session: any StorageSession,
        _ body: ([SchemaPlanner]) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        var claimed: [ObjectIdentifier: StoredName] = [:]
        do throws(StorageError) {
            var declared: [DeclaredTables] = []
            for type in types {
                let tables = try DeclaredTables(type)
                try registry.names.claim(tables, by: type)
                claimed[ObjectIdentifier(type)] = tables.model.name
                registry.stamps.add(tables.model)
                declared.append(tables)
            }
            return try body(planners(declared, removals, in: session))
        } catch {
            registry.release(claimed)
            throw error
        }
    }

    // MARK: Schemas without types

    package func steps(
        to declared: [DeclaredTables], isExact: Bool, in session: any StorageSession
    ) throws(StorageError) -> [[SchemaStep]] {
        try planners(declared, isExact ? .all : nil, in: session).map(\.steps)
    }

    package func prepare(
        _ schemas: [RecordSchema], isExact: Bool, in writer: any StorageWriter,
        _ didChange: (SchemaChange) throws(StorageError) -> Void
    ) throws(StorageError) -> [StoredName] {
        var tables = PlannedTables(try writer.tables(), reservedPrefixes: info.reservedNamePrefixes)
        var planners: [SchemaPlanner] = []
        for schema in schemas {
            do throws(StorageError) {
                let own = tables[schema.storedName]
                let isKnown = !isExact && own.contains(where: \.isRoot)
                let wanted =
                    isKnown
                    ? try RecordSchema(RecordedTables(schema.storedName, own.filter { !$0.isRemoved })).adding(schema)
                    : schema
                let removals = isExact ? RuleRemovals.all : RuleRemovals.none
                planners.append(try planner(DeclaredTables(wanted), removals: removals, tables: &tables, in: writer))
            } catch {
                throw error.with { $0.model = schema.name }
            }
        }
        try tables.requireNoDenial()
        try run(planners, in: writer, didChange)
        return planners.filter { $0.steps.contains(where: \.changesStore) }.map(\.model)
    }

    // MARK: Steps

    package func keepsUnique(_ columns: [UniqueColumn]) { unique.withLock { $0.formUnion(columns) } }

    package func check(_ steps: [SchemaStep], in session: any StorageSession) throws(StorageError) {
        let checks = SchemaChecks(session: session)
        for step in steps { try checks.check(step) }
    }

    private func run(
        _ planners: [SchemaPlanner], in writer: any StorageWriter,
        _ didChange: (SchemaChange) throws(StorageError) -> Void
    ) throws(StorageError) {
        let migration = SchemaMigration(
            writer: writer, directory: registry.directory, logger: logger, info: info, unique: unique.withLock { $0 })
        for planner in planners { for step in planner.steps { try migration.run(step) } }
        if planners.contains(where: { $0.steps.contains(where: \.makesModel) }) {
            try registry.requireNamedModels(in: writer)
        }
        for planner in planners where planner.steps.contains(where: \.changesStore) { try didChange(planner.change) }
    }

    /// - Parameter removals: the rules that are removed; nil for the rules that the program names.
    private func planners(
        _ declared: [DeclaredTables], _ removals: RuleRemovals?, in session: any StorageSession
    ) throws(StorageError) -> [SchemaPlanner] {
        var tables = PlannedTables(try session.tables(), reservedPrefixes: info.reservedNamePrefixes)
        var planners: [SchemaPlanner] = []
        for model in declared { planners.append(try planner(model, removals: removals, tables: &tables, in: session)) }
        try tables.requireNoDenial()
        return planners
    }

    private func planner(
        _ declared: DeclaredTables, removals: RuleRemovals?, tables: inout PlannedTables,
        in session: any StorageSession
    ) throws(StorageError) -> SchemaPlanner {
        let named = self.removals.filter { $0.model == declared.model.name }.flatMap(\.properties)
        return try SchemaPlanner(
            declared, in: &tables, columnLimit: info.limits.columns, data: StoredData(session: session),
            removals: removals ?? .named(named))
    }
}
