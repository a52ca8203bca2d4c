internal import Logging
internal import StorageDriver

extension PostgreSQLEngine {
    /// Connects, and finds the store and its replicas, or makes the store.
    static func open(
        _ configuration: PostgreSQLBackend, _ names: Names, role: ServerRole, logger: Logger
    ) throws(StorageError) -> (Connection, Catalog.Opening, Replicas?) {
        let shared = configuration.shared
        let connection: Connection
        if let shared {
            connection = try shared.writers.take()
        } else {
            connection = try Connection(configuration, role)
        }
        do throws(StorageError) {
            let opening = try open(by: connection, configuration, names, role: role, logger: logger)
            if opening.record.canCount { try CommitListener.check(configuration, opening.record) }
            return (connection, opening, try replicas(configuration, role: role, by: connection))
        } catch {
            shared?.writers.give(connection)
            throw error
        }
    }

    /// Finds the store, or makes it.
    private static func open(
        by connection: Connection, _ configuration: PostgreSQLBackend, _ names: Names, role: ServerRole,
        logger: Logger
    ) throws(StorageError) -> Catalog.Opening {
        let isReadOnly = configuration.isReadOnly || role.isReplica
        if let opening = try Catalog.opening(connection, configuration) {
            if !isReadOnly, let incomplete = opening.incomplete {
                try CompositeIndexes.complete(incomplete, by: connection, names, logger: logger)
            }
            return opening
        }
        let (record, format) = try Catalog.open(connection, configuration, isReadOnly: isReadOnly)
        if !isReadOnly {
            let incomplete = try connection.run(CompositeIndexes.question(names))
            try CompositeIndexes.complete(incomplete, by: connection, names, logger: logger)
        }
        let version = try connection.run(Catalog.version(record)).text() ?? ""
        let last = record.canCount ? try connection.run(CommitListener.last(record, configuration)).integer() : nil
        return Catalog.Opening(
            record: record, format: format, version: version, newestDeclaration: "", last: last ?? 0, incomplete: nil)
    }

    private static func replicas(
        _ configuration: PostgreSQLBackend, role: ServerRole, by connection: Connection
    ) throws(StorageError) -> Replicas? {
        guard !role.isReplica, configuration.replicas != nil else { return nil }
        guard let shared = configuration.shared else { return try Replicas(configuration, connection) }
        return try shared.replicas { () throws(StorageError) in try Replicas(configuration, connection) }
    }
}
