public import StorageDriver

extension Store {
    /// Reads everything that is stored and calls the body with each thing that is wrong.
    ///
    /// The engine checks its checksums and structure if it has them (`CheckingEngine`). Then, in one snapshot and a row
    /// at a time: the recorded schema is read; values are of their columns' types, and text is UTF-8; keys are in
    /// order, and no key occurs twice; unique properties are unique; every owned row has its owner, positions leave no
    /// gap, required children are present, and references name stored records. Of a history, no commit is missing,
    /// every entry has its commit, and each can be read. References that deny the deletion of expiring records are
    /// reported, and the expired records that this store could not delete. Of the models that the program has used in this
    /// store, each record is read as its type, and the records that the type cannot read any more are reported (clause S12).
    ///
    /// - Throws: an error that prevents reading the store at all. Damage that is met while reading is a problem, not an error.
    public nonisolated(nonsending) func verify(
        _ body: sending (StoreProblem) -> Void
    ) async throws(StorageError) {
        try await reads { () throws(StorageError) in
            try withoutActuallyEscaping(body) { body throws(StorageError) in try self.tellProblems(body) }
        }
    }

    private func tellProblems(_ body: @escaping (StoreProblem) -> Void) throws(StorageError) {
        var damage: Set<StoreProblem> = []
        if let engine = engine(as: (any CheckingEngine).self) {
            for problem in try checking({ () throws(StorageError) in try engine.findDamage() }) {
                let problem = StoreProblem(problem)
                if damage.insert(problem).inserted { body(problem) }
            }
        }
        // Reading repeats the findings of the engine, model after model.
        let body = { [runningCalls] (problem: StoreProblem) in
            if problem.model == nil, !damage.insert(problem).inserted { return }
            runningCalls.runClosure { body(problem) }
        }
        try withReader("verify", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
            let tables: [TableSchema]
            do throws(StorageError) { tables = try reader.tables() } catch { return try Self.tell(error, body) }
            for model in StoredModel.all(in: tables) {
                do throws(StorageError) {
                    try ModelVerification(model, in: tables, reader, body).run()
                } catch {
                    try Self.tell(error, body)
                }
            }
            for feature in features.all {
                do throws(StorageError) {
                    try feature.verify(tables, in: reader, body)
                } catch {
                    try Self.tell(error, body)
                }
            }
            for (type, handle) in registry.declared where handle.tables.isStored(in: tables) {
                do throws(StorageError) {
                    try RecordReader(handle: handle, session: reader).findUnreadable(type) { body(StoreProblem($0)) }
                } catch {
                    try Self.tell(error, body)
                }
            }
        }
    }

    /// Damage is a finding; any other error ends the check.
    private static func tell(_ error: StorageError, _ body: (StoreProblem) -> Void) throws(StorageError) {
        switch error.code {
        case .corrupt, .typeMismatch: body(StoreProblem(error))
        default: throw error
        }
    }

    private func checking<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        do {
            try runningCalls.begin()
            defer { runningCalls.end() }
            return try body()
        } catch {
            throw error.at(operation: "verify", backend: info.name)
        }
    }
}
