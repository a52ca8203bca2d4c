internal import StorageDriver
import Synchronization

/// The connections of all stores of one database that share them. The numbers of reading and of writing connections each equal
/// the number of one store's reading connections.
final class SharedConnections: Sendable {
    let role = ServerRole()
    let readers: ConnectionPool
    let writers: ConnectionPool
    private let replicas = Mutex<Replicas?>(nil)

    init(_ configuration: PostgreSQLBackend) {
        readers = ConnectionPool(configuration, role)
        writers = ConnectionPool(configuration, role)
    }

    /// The replicas, which the first store finds for all.
    func replicas(_ make: () throws(StorageError) -> Replicas?) throws(StorageError) -> Replicas? {
        try replicas.withLock { (replicas) throws(StorageError) in
            if replicas == nil { replicas = try make() }
            return replicas
        }
    }
}

extension PostgreSQLBackend {
    /// The same backend, for stores that share connections: its copies with other schemas open stores of the same database that
    /// use the same connections.
    ///
    /// ```swift
    /// let database = try PostgreSQLBackend("postgresql://app@db.example.com/people").sharingConnections()
    /// var backend = database
    /// backend.schema = "t_42"
    /// let store = try await Store(backend, models: Person.self)
    /// ```
    ///
    /// At most ``connections`` read at the same time, and as many write, in all stores. A connection that passes from one store
    /// to another prepares its statements again. An observed store has one connection more, which listens. The connections are
    /// closed with the last store and the last copy of the backend. Of the copies, only the schema may differ.
    public func sharingConnections() -> PostgreSQLBackend {
        var backend = self
        backend.sharesConnections = true
        backend.shared = SharedConnections(backend)
        return backend
    }
}

extension PostgreSQLEngine {
    /// Runs the body with a shared connection that writes.
    func withWriter<T>(
        of shared: SharedConnections, _ index: Int64?, _ deadline: RetryDeadline,
        _ body: (inout Connection?) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        var connection: Connection? = try Self.waiting(deadline) { () throws(StorageError) in
            try shared.writers.take(for: index)
        }
        defer {
            if let connection { shared.writers.give(connection) } else { shared.writers.giveUp() }
        }
        return try body(&connection)
    }

    /// Repeats an attempt to connect until a failover is over.
    static func waiting<T>(
        _ deadline: RetryDeadline, _ body: () throws(StorageError) -> T
    ) throws(StorageError) -> T {
        while true {
            do throws(StorageError) {
                return try body()
            } catch {
                guard deadline.shouldRetry(after: error) else { throw error }
            }
        }
    }
}
