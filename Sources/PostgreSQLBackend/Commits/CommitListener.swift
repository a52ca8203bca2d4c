internal import Dispatch
internal import StorageDriver
import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Counts the commits of others. Every transaction that writes takes a number of a sequence, when it begins or, if
/// others write beside it, before it commits, and holds it until its end. A gap between two of this store's numbers
/// means that another store has committed.
///
/// While the store is observed, a connection listens for notices of commits, and holds a shared lock that signals it. Writers
/// send notices only while the lock is held. Through a pooler, where neither lasts, the connection polls the last number
/// instead, and on a replica, which has no notices, the replayed log (`ReplayedLog`).
final class CommitListener: Sendable {
    private let configuration: PostgreSQLBackend
    private let role: ServerRole
    private let record: Mutex<Catalog.Record>
    private let counted: Mutex<Counted>
    /// The replicas, which learn the position of the primary's log from notices.
    let replicas = Mutex<Replicas?>(nil)
    /// The log of the replica on which the store was opened.
    private let replayed = ReplayedLog()
    /// Runs background work, each piece of it with the lock.
    private let queue = DispatchQueue(label: "storage.postgresql.listener")
    /// Held by everything that uses the connection. A caller waits for the lock and never for the queue, which may need a
    /// thread that the program does not have: more stores may be closed at once than it has threads.
    private let lock = Mutex(())
    private let state = State()

    private struct Counted {
        /// The number of the last transaction that is known.
        var last: Int64
        /// The number of commits by others that were noticed.
        var others = 0
        /// True if a transaction of this store may have taken a number that is not known yet.
        var isEnding = false
    }

    /// Unchecked: only the holder of the lock uses it.
    private final class State: @unchecked Sendable {
        /// True if the store was closed. Work that still waits in the queue then does not run.
        var isFinished = false
        var notify: (@Sendable () -> Void)?
        var connection: Connection?
        var source: (any DispatchSourceRead)?
        /// The number of commits by others when it was polled last.
        var polled = 0
    }

    /// - Parameter last: the number of the last transaction when the store opened.
    init(_ configuration: PostgreSQLBackend, role: ServerRole, record: Catalog.Record, last: Int64) {
        (self.configuration, self.role) = (configuration, role)
        self.record = Mutex(record)
        counted = Mutex(Counted(last: last))
    }

    /// Switches to a new catalog after the tables were recreated.
    func use(_ record: Catalog.Record) {
        self.record.withLock { $0 = record }
        counted.withLock { $0.others += 1 }
        later { [self] in
            disconnect()
            listen()
        }
    }

    /// Runs a body that uses the connection.
    private func exclusively<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        try lock.withLock { (_) throws(StorageError) in try body() }
    }

    /// The same, on the queue.
    private func later(_ body: @escaping @Sendable () -> Void) { queue.async { self.lock.withLock { _ in body() } } }

    private func later(_ time: DispatchTimeInterval, _ body: @escaping @Sendable (CommitListener) -> Void) {
        queue.asyncAfter(deadline: .now() + time) { [weak self] in
            guard let self else { return }
            lock.withLock { _ in body(self) }
        }
    }

    // MARK: Counting

    /// Registers the number of a transaction of this store that has begun, so that all before it have ended.
    func began(_ number: Int64) {
        let isGap = counted.withLock { counted in
            defer { counted.last = number }
            let isGap = number != counted.last &+ 1
            if isGap { counted.others += 1 }
            return isGap
        }
        // The notice of the other's commit may come later, and is taken for one of before this transaction.
        if isGap { later { [self] in state.notify?() } }
    }

    /// Registers that a transaction of this store takes a number and ends.
    func ending() { counted.withLock { $0.isEnding = true } }

    /// Registers its number, if it has ended with one.
    func ended(_ number: Int64?) {
        if let number { began(number) }
        counted.withLock { $0.isEnding = false }
    }

    /// Registers a commit with an unknown outcome.
    func lost() {
        counted.withLock { $0.others += 1 }
        later { [self] in state.notify?() }
    }

    /// Counts the commits of other writers. Asks the server if the store is observed.
    ///
    /// - Returns: `unknown` while a writer is active whose commit may be visible and is not counted.
    func count() throws(StorageError) -> ExternalCommitCount {
        try exclusively { () throws(StorageError) in try ask() }
    }

    private func ask() throws(StorageError) -> ExternalCommitCount {
        guard state.notify != nil else { return .count(counted.withLock { $0.others }) }
        // Observers wait for commits, so connect again however this ends.
        defer { if !isConnected { later { self.listen() } } }
        let connection = try connected()
        if connection.timeline == nil {
            // A promoted server has notices; it is asked again when the connection listens for them.
            guard try lookAtReplica(connection) else { return .unknown }
            return .count(counted.withLock { $0.others })
        }
        let before = counted.withLock { $0.last }
        let found = try connection.run(Self.last(record.withLock { $0 }, configuration))
        if let replicas = replicas.withLock({ $0 }) {
            replicas.recordRead(at: try connection.run("SELECT \(Replicas.primaryLSN)").integer())
        }
        readNotices(connection)
        guard let last = found.integer() else { throw Catalog.damaged }
        let isNobodyWriting = found.isTrue(0, 1)
        return counted.withLock { counted in
            // All transactions before the active one have ended. The sequence goes back only if it was set, for example by a
            // restored backup.
            let ended = isNobodyWriting ? last : last &- 1
            if counted.isEnding, last > counted.last { return .unknown }
            if ended > counted.last || last < before {
                counted.last = ended
                counted.others += 1
            }
            return last > counted.last ? .unknown : .count(counted.others)
        }
    }

    /// Reads the number of the last transaction that has begun, and whether no transaction writes now.
    static func last(_ record: Catalog.Record, _ configuration: PostgreSQLBackend) -> Statement {
        Statement(
            """
            SELECT CASE WHEN is_called THEN last_value ELSE 0 END,
              pg_catalog.pg_try_advisory_xact_lock_shared(\(record.lock))
            FROM \(Names(schema: configuration.schema).own("storage_commits"))
            """, name: "last_\(record.commits ?? 0)")
    }

    // MARK: Listening

    func start(_ notify: @escaping @Sendable () -> Void) {
        later { [self] in
            guard !state.isFinished else { return }
            state.notify = notify
            listen()
        }
    }

    func stop() { later { self.end() } }

    /// Stops listening. Returns after running work has ended.
    func finish() {
        lock.withLock { _ in
            state.isFinished = true
            end()
        }
    }

    private func end() {
        state.notify = nil
        disconnect()
    }

    /// Connects if the store is still observed, and announces the commits made meanwhile. Tries again if no server answers.
    private func listen() {
        guard state.notify != nil, !isConnected else { return }
        do throws(StorageError) {
            _ = try connected()
            state.notify?()
        } catch {
            later(Self.interval) { $0.listen() }
        }
    }

    private var isConnected: Bool { state.connection.map { $0.loss == nil } ?? false }

    private func connected() throws(StorageError) -> Connection {
        // A server that was a replica when this connection was made may have been promoted.
        if let connection = state.connection, connection.loss == nil, connection.timeline != nil || role.isReplica {
            return connection
        }
        disconnect()
        let connection = try Connection(configuration.listening, role)
        guard !connection.isShared || configuration.listen == nil else { throw Self.pooled }
        if connection.isShared || connection.timeline == nil {
            state.connection = connection
            poll(connection)
            return connection
        }
        let record = record.withLock { $0 }
        // Waits for a transaction that has found no observer. Every later transaction sends a notice.
        connection.add("SELECT pg_catalog.pg_advisory_lock_shared(\(record.observers))")
        try connection.run("LISTEN \(record.channel)")
        // libpq closes its descriptor when the connection is lost, before a source for it has ended.
        let descriptor = dup(connection.socket)
        guard descriptor >= 0 else {
            throw StorageError(.io, "There is no file descriptor left to listen with; close some, or raise the limit.")
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in
            guard let self else { return }
            lock.withLock { _ in self.readNoticesOrListen() }
        }
        source.setCancelHandler { close(descriptor) }
        (state.connection, state.source) = (connection, source)
        source.activate()
        look(at: connection)
        return connection
    }

    /// Sends a query at intervals, because a connection that only listens does not notice that it is cut off.
    private func look(at connection: Connection) {
        let interval = DispatchTimeInterval.milliseconds(max(configuration.timeoutMilliseconds, 1000))
        later(interval) { [weak connection] listener in
            guard let connection, connection === listener.state.connection else { return }
            // The listening connection reports a loss. A server that was replaced may still answer, but sends no notices.
            guard !connection.hasSuccessor() else {
                listener.disconnect()
                return listener.listen()
            }
            _ = try? connection.run("SELECT")
            listener.readNoticesOrListen()
            if connection === listener.state.connection { listener.look(at: connection) }
        }
    }

    /// Looks for commits at intervals, because a pooler and a replica have no notices.
    private func poll(_ connection: Connection) {
        later(Self.interval) { [weak connection] listener in
            guard let connection, connection === listener.state.connection else { return }
            // Where it fails, the connection is lost, which the next line finds.
            let hasNews = (try? listener.hasNews(connection)) ?? false
            let others = listener.counted.withLock { $0.others }
            // Commits that one observer has found are announced to the others.
            if hasNews || others != listener.state.polled { listener.state.notify?() }
            listener.state.polled = others
            listener.listen()
            if connection === listener.state.connection { listener.poll(connection) }
        }
    }

    /// Returns true if another writer's commit is not counted yet. Commits that a replica shows are counted at once.
    private func hasNews(_ connection: Connection) throws(StorageError) -> Bool {
        if connection.timeline == nil {
            _ = try lookAtReplica(connection)
            return false
        }
        let last = try connection.run(Self.last(record.withLock { $0 }, configuration)).integer()
        return last.map { $0 != counted.withLock { $0.last } } ?? false
    }

    /// Counts the commits that a replica has replayed since the last look.
    ///
    /// - Returns: false if the server is no longer a replica. The connection is closed then.
    private func lookAtReplica(_ connection: Connection) throws(StorageError) -> Bool {
        guard let hasMoved = try replayed.hasMoved(connection) else {
            disconnect()
            return false
        }
        if hasMoved { counted.withLock { $0.others += 1 } }
        return true
    }

    /// Prepares a read on a replica, which may be another one than that which is looked at, and may show less.
    func willRead(_ connection: Connection) { replayed.willRead(connection) }

    private static let interval = DispatchTimeInterval.milliseconds(100)

    /// - Throws: `configuration` if the address to listen at does not lead directly to the store's database.
    static func check(_ configuration: PostgreSQLBackend, _ record: Catalog.Record) throws(StorageError) {
        guard configuration.listen != nil else { return }
        let connection = try Connection(configuration.listening)
        guard !connection.isShared else { throw pooled }
        let found = try Catalog.find(
            connection, Names(schema: configuration.schema), schema: configuration.schema)
        guard let found, found.schema == record.schema, found.versionIndex == record.versionIndex,
            found.commits == record.commits
        else {
            throw StorageURL.error(
                "the option listen leads to another database than the store's, or to a replica that lags behind")
        }
    }

    private static var pooled: StorageError {
        StorageURL.error("the option listen leads to a pooler, which cannot listen; name the server itself")
    }

    private func disconnect() {
        state.source?.cancel()
        (state.connection, state.source) = (nil, nil)
        replayed.reset()
    }

    private func readNoticesOrListen() {
        guard let connection = state.connection else { return }
        readNotices(connection)
        listen()
    }

    /// Reports notices, except for this store's commits. Any program may send a notice, so it is only a reason to ask the
    /// server.
    private func readNotices(_ connection: Connection) {
        let last = counted.withLock { $0.last }
        if connection.notices().contains(where: { Int64($0).map { $0 > last } ?? false }) { state.notify?() }
    }
}

extension PostgreSQLEngine: ListeningEngine {
    func externalCommits() throws(StorageError) -> ExternalCommitCount {
        guard let listener else { return .impossible }
        return try listener.count()
    }

    func startListening(_ notify: @escaping @Sendable () -> Void) { listener?.start(notify) }

    func stopListening() { listener?.stop() }

    func isOutage(_ error: StorageError) -> Bool { PostgreSQLFailure.isOutage(error) }
}
