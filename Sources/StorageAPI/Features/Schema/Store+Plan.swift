public import StorageDriver

extension Store {
    /// A step of a change to a store's tables, which ``Store`` would take to prepare a model.
    public struct SchemaChange: Sendable, CustomStringConvertible {
        /// The kinds of step.
        public enum Kind: String, Sendable {
            /// A table is created.
            case create
            /// A table gets or loses columns or indexes, or is renamed. No row is written.
            case alter
            /// All rows of a table are converted and rewritten.
            case rewrite
            /// A table without rows is dropped.
            case drop
            /// A check of stored data, without changes.
            case check
            /// An action that a declaration seems to ask for but that is not taken.
            case note
        }

        /// The model's stored name.
        public let model: String
        /// The table's name in the store.
        public let table: String
        /// The kind of step.
        public let kind: Kind
        /// The same in words.
        public let note: String
        /// The number of rows that a `rewrite` writes.
        public let rows: Int
        /// The reason why the step would fail with the current data; nil if it would succeed. All steps fail together.
        public let problem: StorageError?

        /// One line.
        public var description: String {
            "\(model): \(kind.rawValue) \(table): \(note)" + (rows > 0 ? " (\(rows) row\(rows == 1 ? "" : "s"))" : "")
                + (problem.map { "; fails: \($0.message)" } ?? "")
        }
    }

    /// Returns the changes that opening the store with models would make, without making them.
    ///
    /// ```swift
    /// let store = try await Store(SQLiteBackend(path: "people.db"))
    /// for change in try await store.plan(for: Person.self) { print(change) }
    /// ```
    ///
    /// Open the store without the models first, since opening it with them makes the changes. A change never loses data: a
    /// removed property keeps its values. Reads every row of a table that would be rewritten.
    ///
    /// - Returns: the steps, in order; empty if the models are stored as declared.
    /// - Throws: `configuration` for a model that cannot be stored; `schemaMismatch` for a change that is impossible for
    ///   any stored data.
    public nonisolated(nonsending) func plan(for models: any Storable.Type...) async throws(StorageError)
        -> [SchemaChange]
    {
        try await plan(for: models)
    }

    /// Returns the changes that opening the store with an array of models would make, without making them.
    public nonisolated(nonsending) func plan(for models: [any Storable.Type]) async throws(StorageError)
        -> [SchemaChange]
    {
        var declared: [DeclaredTables] = []
        for model in try DeclaredModels.withTargets(models) { declared.append(try DeclaredTables(model)) }
        return try await plan(declared, isExact: false)
    }

    /// Returns the changes that ``migrate(to:)`` would make, without making them.
    public nonisolated(nonsending) func plan(for schemas: [RecordSchema]) async throws(StorageError) -> [SchemaChange] {
        var declared: [DeclaredTables] = []
        for schema in schemas { declared.append(try DeclaredTables(schema)) }
        return try await plan(declared, isExact: true)
    }

    private nonisolated(nonsending) func plan(
        _ declared: [DeclaredTables], isExact: Bool
    ) async throws(StorageError) -> [SchemaChange] {
        try await reads { () throws(StorageError) in
            try self.withReader("plan", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
                let checks = SchemaChecks(session: reader)
                var changes: [SchemaChange] = []
                let steps = try self.environment.models.steps(to: declared, isExact: isExact, in: reader)
                for (model, steps) in zip(declared, steps) {
                    for step in steps {
                        let change = try SchemaChange(step, of: model.model.name.text, checks)
                        if change.kind != .check || change.problem != nil { changes.append(change) }
                    }
                }
                return changes
            }
        }
    }

    /// Changes models to match schemas exactly. A property that a schema lacks is removed from its model and keeps its
    /// values; a renamed property moves together with its values. Unlike opening the store with types of these properties,
    /// this also removes the indexes and rules that a schema lacks: uniqueness, expiry, search and the rules of references.
    ///
    /// ``prepare(_:)`` only adds missing properties.
    ///
    /// One transaction: all schemas or none.
    /// - Throws: `configuration` if a model cannot be stored; `schemaMismatch` if a change is impossible, or if stored data
    ///   does not fit; `constraint` if values of a property that becomes unique are not; `limitExceeded`.
    public nonisolated(nonsending) func migrate(to schemas: [RecordSchema]) async throws(StorageError) {
        guard !schemas.isEmpty else { return }
        try await reads { () throws(StorageError) in
            var declared: [DeclaredTables] = []
            for schema in schemas { declared.append(try DeclaredTables(schema)) }
            for feature in self.features.all { try feature.willChange(declared, isExact: true, in: self) }
        }
        try await writing("migrate") { context throws(StorageError) in try context.prepare(schemas, isExact: true) }
        try await complete(schemas.map(\.storedName))
    }
}

extension Store.SchemaChange {
    init(_ step: SchemaStep, of model: String, _ checks: SchemaChecks) throws(StorageError) {
        self.model = model
        (table, kind, note) = step.told
        if case .rebuild(let old, _, _, _) = step { rows = try checks.count(old) } else { rows = 0 }
        do throws(StorageError) {
            try checks.check(step)
            problem = nil
        } catch {
            switch error.code {
            case .schemaMismatch, .constraint, .invalidValue: problem = error
            default: throw error
            }
        }
    }
}

extension SchemaStep {
    /// The step's table, its kind and a description.
    fileprivate var told: (String, Store.SchemaChange.Kind, String) {
        switch self {
        case .change(.create(let table), let note): (table.name, .create, note)
        case .change(.drop(let table), let note), .mark(.drop(let table), let note): (table.name, .drop, note)
        case .change(.alter(_, let table, _), let note), .mark(.alter(_, let table, _), let note),
            .mark(.create(let table), let note):
            (table.name, .alter, note)
        case .rebuild(_, let table, _, let note): (table.name, .rewrite, note)
        case .requireEmpty(let table, let error): (table.name, .check, error.only("there are no records"))
        case .requireTrue(let table, _, let error): (table.name, .check, error.only("it is nil in no record"))
        case .requireChild(_, let table, let error): (table.name, .check, error.only("every owner has a record in it"))
        case .note(let note, let table): (table, .note, note)
        }
    }
}

extension StorageError {
    /// The condition under which the error's property can be stored as declared.
    fileprivate func only(_ condition: String) -> String {
        (property.map { $0 + ": " } ?? "") + "possible only if " + condition
    }
}
