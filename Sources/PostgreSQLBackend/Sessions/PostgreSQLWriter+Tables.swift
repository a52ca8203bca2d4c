internal import StorageDriver

extension PostgreSQLWriter {
    func change(_ change: TableChange) throws(StorageError) {
        try checkForeign(change)
        // A snapshot may lack rows that others have committed, and a concurrent writer has already read the tables.
        try requireExclusive()
        try flush()
        (changesTables, knownTables) = (true, nil)
        forgetAnswers()
        greatestKeys.removeAll()
        connection.forgetPlans()
        do throws(StorageError) {
            connection.add(Settings.schemaChangeSetting)
            let compiler = SchemaCompiler(names)
            if case .create(let table) = change, let refusal = compiler.refusal(of: table) { throw refusal }
            let making = try making(of: change, by: compiler)
            let statements = compiler.statements(for: change, making).map { Statement($0) }
            record(change, compiler)
            _ = try connection.run(statements + Catalog.record(change, names))
        } catch {
            throw PostgreSQLFailure.waiting(refusal(error, change))
        }
    }

    /// Registers the partitions of a table that is made or renamed.
    private func record(_ change: TableChange, _ compiler: SchemaCompiler) {
        switch change {
        case .create(let table):
            guard let partitioning = compiler.partitioning(of: table) else {
                if names.partitions > 1, let unique = table.columns.first(where: \.isUnique) {
                    engine.logger.notice(
                        "a table has no partitions, because a property is unique",
                        metadata: ["table": "\(table.name)", "property": "\(unique.property)"])
                }
                return
            }
            names.foreign.recordPartitioned(table.name)
            if case .ranges = partitioning { names.ranged.record(table.name) }
        case .alter(let old, let new, _):
            if names.foreign.particulars(of: old.name).isPartitioned { names.foreign.recordPartitioned(new.name) }
            if names.ranged.contains(old.name) { names.ranged.record(new.name) }
        case .drop: break
        }
    }

    private func refusal(_ error: StorageError, _ change: TableChange) -> StorageError {
        guard let cause = error.underlying as? PostgreSQLError else { return error }
        switch (cause.state, change) {
        case ("23505", .alter(_, let new, _)):
            let column = new.columns.first { Names.index($0, of: new) == cause.constraint }
            return StorageError(
                .constraint, "Records have equal values of \(column?.property ?? "a property"), which must be unique.",
                model: new.path.first, property: column?.property, underlying: cause)
        case ("0A000", .alter(_, let new, _)) where names.foreign.particulars(of: new.name).isPartitioned:
            return StorageError(
                .unsupported,
                "The table \(new.name) has partitions, and the server keeps values unique within a partition alone; take @Unique away, or "
                    + "copy the store into one without the options partitions and ranges. Nothing was changed.",
                model: new.path.first, underlying: cause)
        case ("42P07", .create(let table)) where names.foreign.particulars(of: table.name).obstacle != nil:
            let obstacle = names.foreign.particulars(of: table.name).obstacle ?? ""
            return StorageError(
                .schemaMismatch, "The key of the table \(table.name) \(obstacle). Nothing was changed.",
                model: table.path.first, underlying: cause)
        case ("42P07", .create(let table)):
            return StorageError(
                .schemaMismatch,
                "The schema has a table or view \(table.name) that no store has created; rename it, or the model. Nothing was changed.",
                model: table.path.first, underlying: cause)
        default: return error
        }
    }
}
