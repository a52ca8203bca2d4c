internal import Dispatch
internal import StorageDriver
import Synchronization

/// The replicas that answer a store's reads, and the place in the primary's log that a read must have seen: after the
/// store's own last commit, and after everything that its reads have shown. So the next read never goes back in time.
///
/// No clock of a server decides anything. A replica that has not come so far within a bounded time leaves the read to the
/// primary; one that fails is asked again after a while.
final class Replicas: Sendable {
    private let replicas: [Replica]
    private let configuration: PostgreSQLBackend
    private let system: Int64
    private let next = Atomic(0)
    private let needed: Mutex<Needed>
    /// The primary's place, and the time before it was asked.
    private let question = SharedQuestion<(place: Int64?, asked: DispatchTime)>()

    private struct Needed {
        /// The place in the log, in bytes; nil after a commit whose place is not known.
        var place: Int64? = 0
        /// The primary's timeline, which is another one after each promotion. A replica that follows an older one lacks commits.
        var timeline: Int64
        /// The time at which the primary was last asked for its place.
        var asked: DispatchTime
        /// The greatest place to which the primary was asked to write out its log, and the time of that.
        var flushed: (place: Int64, asked: DispatchTime)?
    }

    /// One server, with its own connections.
    private final class Replica: Sendable {
        let pool: ConnectionPool
        let state = Mutex(State())

        struct State {
            /// The place that it has reached at least, on the primary's timeline.
            var place: Int64 = -1
            /// Until when nobody asks it.
            var rests: DispatchTime?
            /// The place that a read has waited for without success, and the time at which the replica was last asked.
            var missed: (place: Int64, asked: DispatchTime)?
        }

        init(_ configuration: PostgreSQLBackend) {
            // Its role is looked at with its place, and is not that of the store's server.
            pool = ConnectionPool(configuration, ServerRole())
        }
    }

    /// A timeline that no server has: they count from 1.
    private static let unknownTimeline: Int64 = -1

    /// The longest time that a read waits for a replica to come so far.
    private static let millisecondsToCatchUp = 50

    /// The SQL expression for the current end of the primary's log.
    static let primaryPlace = "(pg_catalog.pg_current_wal_insert_lsn() - '0/0')::int8"
    private static let replicaPlace = "(pg_catalog.pg_last_wal_replay_lsn() - '0/0')::int8"
    private static let identity =
        """
        (SELECT timeline_id::int8 FROM pg_catalog.pg_control_checkpoint()),
          (SELECT system_identifier FROM pg_catalog.pg_control_system())
        """

    /// Nil where no replica is named.
    ///
    /// - Parameter primary: a connection to the primary.
    init?(_ configuration: PostgreSQLBackend, _ primary: Connection) throws(StorageError) {
        guard let hosts = configuration.replicas?.hosts else { return nil }
        let asked = DispatchTime.now()
        let found = try primary.run("SELECT \(Self.identity), \(Self.primaryPlace)")
        guard let timeline = found.integer(), let system = found.integer(0, 1), let place = found.integer(0, 2) else {
            throw Catalog.damaged
        }
        self.configuration = configuration
        self.system = system
        needed = Mutex(Needed(place: place, timeline: timeline, asked: asked))
        replicas = hosts.map { host in
            var own = configuration
            own.parameters = configuration.parameters.at([host])
            own.pooler = .automatic
            return Replica(own)
        }
    }

    // MARK: What a read must see

    /// Registers the position of the log that a read has shown, or that a commit has.
    func saw(_ place: Int64?) {
        guard let place else { return }
        needed.withLock { $0.place = $0.place.map { max($0, place) } }
    }

    /// Registers a commit. Nil where its position is not known: the primary is asked for it.
    func committed(_ place: Int64?) {
        needed.withLock { needed in
            let last = needed.place ?? 0
            needed.place = place.map { max($0, last) }
        }
    }

    /// Learns the primary's timeline: replicas of an older one are not asked until they follow.
    func follows(_ primary: Connection) {
        // Where it cannot be asked, no replica is: the primary answers until the next connection to it tells the timeline.
        let timeline = (try? primary.run("SELECT \(Self.identity)").integer()) ?? Self.unknownTimeline
        let isOther = needed.withLock { needed in
            defer { needed.timeline = timeline }
            return needed.timeline != timeline
        }
        guard isOther else { return }
        for replica in replicas { replica.state.withLock { $0.place = -1 } }
    }

    // MARK: Reading

    /// A connection to a replica that has come far enough, and its pool; nil where the primary is to be asked.
    ///
    /// - Parameter primary: the primary's connections.
    func take(_ primary: ConnectionPool) throws(StorageError) -> (Connection, ConnectionPool)? {
        do throws(StorageError) {
            try askPrimary(primary)
        } catch {
            // The read is the primary's then, and waits for the next one, or fails, by itself.
            guard PostgreSQLFailure.isFailover(error) else { throw error }
            return nil
        }
        let (place, timeline) = needed.withLock { ($0.place, $0.timeline) }
        guard let place else { return nil }
        if let found = try take(place, timeline) { return found }
        flush(primary, to: place)
        return nil
    }

    private func take(
        _ place: Int64, _ timeline: Int64
    ) throws(StorageError) -> (Connection, ConnectionPool)? {
        let first = next.wrappingAdd(1, ordering: .relaxed).oldValue
        let end = DispatchTime.now() + .milliseconds(Self.millisecondsToCatchUp)
        for offset in replicas.indices {
            let replica = replicas[
                Int(truncatingIfNeeded: (UInt(bitPattern: first) &+ UInt(offset)) % UInt(replicas.count))]
            let rests = replica.state.withLock { $0.rests.map { $0 > .now() } ?? false }
            if rests { continue }
            do throws(StorageError) {
                let connection = try replica.pool.take()
                do throws(StorageError) {
                    if try reaches(replica, connection, place, timeline, end) { return (connection, replica.pool) }
                    replica.pool.give(connection)
                } catch {
                    replica.pool.give(connection)
                    throw error
                }
            } catch {
                // All its connections are reading.
                if error.code == .closed { throw error }
                if error.code != .busy { rest(replica) }
            }
        }
        return nil
    }

    /// Leaves a replica alone for a while whose connection was lost.
    func failed(_ pool: ConnectionPool) {
        for replica in replicas where replica.pool === pool { rest(replica) }
    }

    private func rest(_ replica: Replica) {
        let time = DispatchTimeInterval.milliseconds(max(configuration.timeoutMilliseconds, 1000))
        replica.state.withLock { $0 = Replica.State(rests: .now() + time) }
    }

    /// Returns true if a replica has reached a place in the log, or does in time.
    ///
    /// A place is waited for once. The end of the primary's log may be one that the primary sends only with its next flush, as
    /// after a vacuum, and every read would wait for it.
    private func reaches(
        _ replica: Replica, _ connection: Connection, _ place: Int64, _ timeline: Int64, _ end: DispatchTime
    ) throws(StorageError) -> Bool {
        let (known, missed) = replica.state.withLock { ($0.place, $0.missed) }
        if known >= place { return true }
        let wasMissed = missed?.place == place
        if wasMissed, let missed, missed.asked.millisecondsSince < Self.millisecondsToCatchUp { return false }
        var pause = 1
        while true {
            let found = try connection.run(
                "SELECT \(Self.identity), \(Self.replicaPlace), pg_catalog.pg_is_in_recovery()")
            guard found.integer(0, 1) == system else {
                throw StorageError(.configuration, "A replica belongs to another database cluster than the primary.")
            }
            // One that was promoted is no replica, and one that follows an older timeline lacks commits.
            guard found.isTrue(0, 3), found.integer() == timeline, let now = found.integer(0, 2) else {
                rest(replica)
                return false
            }
            replica.state.withLock { $0.place = max($0.place, now) }
            if now >= place { return true }
            guard !wasMissed, end.millisecondsLeft > 0 else {
                replica.state.withLock { $0.missed = (place, .now()) }
                return false
            }
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(pause))
            pause = min(pause * 2, 8)
        }
    }

    /// Asks the primary for its place where the last answer is older than a read may be, and where that of a commit is not known.
    /// Reads that begin at the same time share a question.
    private func askPrimary(_ primary: ConnectionPool) throws(StorageError) {
        let staleness = configuration.stalenessMilliseconds
        let isOld = needed.withLock { needed in
            needed.place == nil || needed.asked.millisecondsSince >= staleness
        }
        guard isOld else { return }
        let answer = try question.ask { () throws(StorageError) in
            let asked = DispatchTime.now()
            let connection = try primary.take()
            defer { primary.give(connection) }
            return (try connection.run("SELECT \(Self.primaryPlace)").integer(), asked)
        }
        needed.withLock { needed in
            if let place = answer.place { needed.place = max(needed.place ?? 0, place) }
            needed.asked = max(needed.asked, answer.asked)
        }
    }

    /// Has the primary write out its log up to a place that no replica has reached: once for each place, and not more often than
    /// a read waits for a replica, since replicas that are slow miss many places.
    ///
    /// The end of the log may be something else than a commit, as after a vacuum or a read that has tidied a page. The primary
    /// writes that out, and sends it, with its next commit, and on an idle server every read would be the primary's until then.
    /// So a transaction with a message in the log is committed, without waiting for a standby.
    private func flush(_ primary: ConnectionPool, to place: Int64) {
        let isDue = needed.withLock { needed in
            if let last = needed.flushed,
                last.place >= place || last.asked.millisecondsSince < Self.millisecondsToCatchUp
            {
                return false
            }
            needed.flushed = (place, .now())
            return true
        }
        guard isDue else { return }
        do throws(StorageError) {
            let connection = try primary.take()
            defer { primary.give(connection) }
            _ = try connection.run(
                """
                SELECT CASE WHEN (pg_catalog.pg_current_wal_flush_lsn() - '0/0')::int8 < \(place)
                  AND pg_catalog.set_config('synchronous_commit', 'local', true) <> ''
                  THEN pg_catalog.pg_logical_emit_message(true, 'storage', '') END
                """)
        } catch {
            // The read that follows is the primary's, and fails by itself where the server does. Without the right to write a
            // message, replicas are behind until the next commit.
        }
    }

    func close() { for replica in replicas { replica.pool.close() } }
}

extension Catalog {
    /// Reads the tables' version after a read, and the position of the log that the read has seen.
    static func versionAndPlace(_ record: Record, isOnReplica: Bool) -> Statement {
        let place = isOnReplica ? "(pg_catalog.pg_last_wal_replay_lsn() - '0/0')::int8" : Replicas.primaryPlace
        return Statement(
            "SELECT \(record.versionIndex ?? 0)::pg_catalog.regclass::text, \(place)",
            name: "\(isOnReplica ? "replica" : "primary")_version_\(record.versionIndex ?? 0)")
    }
}
