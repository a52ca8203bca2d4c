internal import Dispatch
internal import StorageDriver
import Synchronization

/// The replicas that answer a store's reads, and the position in the primary's log that a read must have seen: after the
/// store's last commit, and after everything that its reads have shown. So the next read never goes back in time.
///
/// The clocks of servers do not matter. A replica that has not come so far within a bounded time leaves the read to the
/// primary; one that fails is asked again after a while.
package final class Replicas: Sendable {
    private let replicas: [Replica]
    private let configuration: PostgreSQLBackend
    private let system: Int64
    private let next = Atomic(0)
    private let needed: Mutex<Needed>
    /// The primary's position in its log, and the time before it was asked.
    private let question = SharedQuestion<(lsn: Int64?, asked: DispatchTime)>()

    private struct Needed {
        /// The position in the log, in bytes; nil after a commit whose position is not known.
        var lsn: Int64? = 0
        /// The primary's timeline, which each promotion changes. A replica that follows an older one lacks commits.
        var timeline: Int64
        /// The time at which the primary was last asked for its position.
        var asked: DispatchTime
        /// The time of the last search for a primary that is away; nil while it answers.
        var away: DispatchTime?
        /// The greatest position to which the primary was asked to write out its log, and the time of that request.
        var flushed: (lsn: Int64, asked: DispatchTime)?
    }

    /// One server and its connections.
    private final class Replica: Sendable {
        let pool: ConnectionPool
        let state = Mutex(State())

        struct State {
            /// The least position that it is known to have reached, on the primary's timeline.
            var lsn: Int64 = -1
            /// The time until which it is not asked.
            var suspendedUntil: DispatchTime?
            /// The position that a read has waited for without success, and the time at which the replica was last asked.
            var missed: (lsn: Int64, asked: DispatchTime)?
        }

        init(_ configuration: PostgreSQLBackend) {
            // Its role is read together with its position, and differs from the role of the store's server.
            pool = ConnectionPool(configuration, ServerRole())
        }
    }

    /// A timeline that no server has: they count from 1.
    private static let unknownTimeline: Int64 = -1

    /// The longest time that a read waits for a replica to come so far.
    private static let millisecondsToCatchUp = 50

    /// The SQL expression for the current end of the primary's log.
    package static let primaryLSN = "(pg_catalog.pg_current_wal_insert_lsn() - '0/0')::int8"
    private static let replicaLSN = "(pg_catalog.pg_last_wal_replay_lsn() - '0/0')::int8"
    private static let identity =
        """
        (SELECT timeline_id::int8 FROM pg_catalog.pg_control_checkpoint()),
          (SELECT system_identifier FROM pg_catalog.pg_control_system())
        """

    /// Nil if the configuration names no replica.
    ///
    /// - Parameter primary: a connection to the primary.
    init?(_ configuration: PostgreSQLBackend, _ primary: Connection) throws(StorageError) {
        guard let hosts = configuration.replicas?.hosts else { return nil }
        let asked = DispatchTime.now()
        let found = try primary.run("SELECT \(Self.identity), \(Self.primaryLSN)")
        guard let timeline = found.integer(), let system = found.integer(0, 1), let lsn = found.integer(0, 2) else {
            throw Catalog.damaged
        }
        self.configuration = configuration
        self.system = system
        needed = Mutex(Needed(lsn: lsn, timeline: timeline, asked: asked))
        replicas = hosts.map { host in
            Replica(configuration.connecting(to: [host]))
        }
    }

    // MARK: The position that a read must see

    /// Registers the position of the log that a read has shown, or that a commit has.
    func recordRead(at lsn: Int64?) {
        guard let lsn else { return }
        needed.withLock { $0.lsn = $0.lsn.map { max($0, lsn) } }
    }

    /// Registers a commit. With nil its position is not known, and the primary is asked for it.
    func recordCommit(at lsn: Int64?) {
        needed.withLock { needed in
            let last = needed.lsn ?? 0
            needed.lsn = lsn.map { max($0, last) }
        }
    }

    /// Learns the primary's timeline: replicas of an older one are not asked until they follow.
    func follows(_ primary: Connection) {
        // If the timeline cannot be read, no replica is used: the primary answers until the next connection to it reads the
        // timeline.
        let timeline = (try? primary.run("SELECT \(Self.identity)").integer()) ?? Self.unknownTimeline
        let isOther = needed.withLock { needed in
            defer { needed.timeline = timeline }
            return needed.timeline != timeline
        }
        guard isOther else { return }
        for replica in replicas { replica.state.withLock { $0.lsn = -1 } }
    }

    // MARK: Reading

    /// A connection to a replica that has replayed far enough, and its pool; nil if the read goes to the primary.
    ///
    /// - Parameter primary: the primary's connections.
    func take(_ primary: ConnectionPool) throws(StorageError) -> (Connection, ConnectionPool)? {
        var isAway = answersAlone(primary)
        if !isAway {
            do throws(StorageError) {
                try askPrimary(primary)
            } catch {
                // Otherwise the read goes to the primary, where it waits for the next one or fails.
                guard PostgreSQLFailure.isFailover(error) else { throw error }
                guard mayAnswerAlone else { return nil }
                needed.withLock { $0.away = .now() }
                isAway = true
            }
        }
        let (lsn, timeline) = needed.withLock { ($0.lsn, $0.timeline) }
        guard let lsn else { return nil }
        if let found = try take(lsn, timeline) { return found }
        if !isAway { flush(primary, to: lsn) }
        return nil
    }

    // MARK: Without a primary

    private static let millisecondsBetweenSearches = 500

    /// True if replicas may answer although the primary was not asked.
    private var mayAnswerAlone: Bool {
        needed.withLock { $0.asked.millisecondsSince } < configuration.outageMilliseconds
    }

    /// Returns true if the primary is known to be away, and replicas may answer. Then it is looked for beside the reads, because
    /// a server that is silent would delay each of them.
    private func answersAlone(_ primary: ConnectionPool) -> Bool {
        guard configuration.outageMilliseconds > 0, needed.withLock({ $0.away }) != nil else { return false }
        guard mayAnswerAlone else {
            needed.withLock { $0.away = nil }
            return false
        }
        let isDue = needed.withLock { needed in
            let isDue = needed.away.map { $0.millisecondsSince >= Self.millisecondsBetweenSearches } ?? false
            if isDue { needed.away = .now() }
            return isDue
        }
        if isDue {
            DispatchQueue.global().async { [self] in
                // While the primary is away, this fails.
                _ = try? ask(primary)
            }
        }
        return true
    }

    private func take(
        _ lsn: Int64, _ timeline: Int64
    ) throws(StorageError) -> (Connection, ConnectionPool)? {
        let first = next.wrappingAdd(1, ordering: .relaxed).oldValue
        let end = DispatchTime.now() + .milliseconds(Self.millisecondsToCatchUp)
        for offset in replicas.indices {
            let replica = replicas[
                Int(truncatingIfNeeded: (UInt(bitPattern: first) &+ UInt(offset)) % UInt(replicas.count))]
            let isSuspended = replica.state.withLock { $0.suspendedUntil.map { $0 > .now() } ?? false }
            if isSuspended { continue }
            do throws(StorageError) {
                let connection = try replica.pool.take()
                do throws(StorageError) {
                    if try reaches(replica, by: connection, lsn: lsn, timeline: timeline, until: end) {
                        return (connection, replica.pool)
                    }
                    replica.pool.give(connection)
                } catch {
                    replica.pool.give(connection)
                    throw error
                }
            } catch {
                // A replica whose connections all read is busy, and stays in use.
                if error.code == .closed { throw error }
                if error.code != .busy { suspend(replica) }
            }
        }
        return nil
    }

    /// Does not use a replica for a while after a connection to it was lost.
    func failed(_ pool: ConnectionPool) {
        for replica in replicas where replica.pool === pool { suspend(replica) }
    }

    private func suspend(_ replica: Replica) {
        let time = DispatchTimeInterval.milliseconds(max(configuration.timeoutMilliseconds, 1000))
        replica.state.withLock { $0 = Replica.State(suspendedUntil: .now() + time) }
    }

    /// Returns true if a replica has reached a position in the log, or reaches it in time.
    ///
    /// A read waits for a position once. The primary may send the end of its log only with its next flush, for example after a
    /// vacuum, and every read would wait for it.
    private func reaches(
        _ replica: Replica, by connection: Connection, lsn: Int64, timeline: Int64, until end: DispatchTime
    ) throws(StorageError) -> Bool {
        let (known, missed) = replica.state.withLock { ($0.lsn, $0.missed) }
        if known >= lsn { return true }
        let wasMissed = missed?.lsn == lsn
        if wasMissed, let missed, missed.asked.millisecondsSince < Self.millisecondsToCatchUp { return false }
        var wait = 1
        while true {
            let found = try connection.run(
                "SELECT \(Self.identity), \(Self.replicaLSN), pg_catalog.pg_is_in_recovery()")
            guard found.integer(0, 1) == system else {
                throw StorageError(.configuration, "A replica belongs to another database cluster than the primary.")
            }
            // One that was promoted is no replica, and one that follows an older timeline lacks commits.
            guard found.isTrue(0, 3), found.integer() == timeline, let now = found.integer(0, 2) else {
                suspend(replica)
                return false
            }
            replica.state.withLock { $0.lsn = max($0.lsn, now) }
            if now >= lsn { return true }
            guard !wasMissed, end.millisecondsLeft > 0 else {
                replica.state.withLock { $0.missed = (lsn, .now()) }
                return false
            }
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(wait))
            wait = min(wait * 2, 8)
        }
    }

    /// Asks the primary for its position if the last answer is older than a read may be, or if the position of a commit is not
    /// known. Reads that begin at the same time share a question.
    private func askPrimary(_ primary: ConnectionPool) throws(StorageError) {
        let staleness = configuration.stalenessMilliseconds
        let isOld = needed.withLock { needed in
            needed.lsn == nil || needed.asked.millisecondsSince >= staleness
        }
        if isOld { try ask(primary) }
    }

    private func ask(_ primary: ConnectionPool) throws(StorageError) {
        let answer = try question.ask { () throws(StorageError) in
            let asked = DispatchTime.now()
            let connection = try primary.take()
            defer { primary.give(connection) }
            return (try connection.run("SELECT \(Self.primaryLSN)").integer(), asked)
        }
        needed.withLock { needed in
            if let lsn = answer.lsn { needed.lsn = max(needed.lsn ?? 0, lsn) }
            needed.asked = max(needed.asked, answer.asked)
            needed.away = nil
        }
    }

    /// Makes the primary write out its log up to a position that no replica has reached: once for each position, and not more
    /// often than a read waits for a replica, because slow replicas miss many positions.
    ///
    /// The end of the log may be something else than a commit, for example after a vacuum or a read that has tidied a page. The
    /// primary writes that out, and sends it, with its next commit. On an idle server every read would go to the primary until
    /// then. So a transaction with a message in the log is committed, without waiting for a standby.
    private func flush(_ primary: ConnectionPool, to lsn: Int64) {
        let isDue = needed.withLock { needed in
            if let last = needed.flushed,
                last.lsn >= lsn || last.asked.millisecondsSince < Self.millisecondsToCatchUp
            {
                return false
            }
            needed.flushed = (lsn, .now())
            return true
        }
        guard isDue else { return }
        do throws(StorageError) {
            let connection = try primary.take()
            defer { primary.give(connection) }
            _ = try connection.run(
                """
                SELECT CASE WHEN (pg_catalog.pg_current_wal_flush_lsn() - '0/0')::int8 < \(lsn)
                  AND pg_catalog.set_config('synchronous_commit', 'local', true) <> ''
                  THEN pg_catalog.pg_logical_emit_message(true, 'storage', '') END
                """)
        } catch {
            // The read that follows goes to the primary, and reports an error of the server. Without the right to write a
            // message, replicas lag until the next commit.
        }
    }

    func close() { for replica in replicas { replica.pool.close() } }
}

extension Catalog {
    /// Reads the tables' version after a read, and the position of the log that the read has seen.
    static func versionAndLSN(_ record: Record, isOnReplica: Bool) -> Statement {
        let lsn = isOnReplica ? "(pg_catalog.pg_last_wal_replay_lsn() - '0/0')::int8" : Replicas.primaryLSN
        return Statement(
            "SELECT \(record.versionIndex ?? 0)::pg_catalog.regclass::text, \(lsn)",
            name: "\(isOnReplica ? "replica" : "primary")_version_\(record.versionIndex ?? 0)")
    }
}
