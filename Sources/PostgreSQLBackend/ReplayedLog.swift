internal import Dispatch
internal import StorageDriver
import Synchronization

/// The part of the primary's log that a replica has replayed, for an observed store that was opened on it. A replica has no
/// notices, and its sequences run ahead of those of the primary, so the store looks at the log.
///
/// A commit that a replica shows has moved the place in its log, and then either the transactions that a snapshot sees or
/// the time of the last commit. Two commits may have the same time. So a place that has moved alone counts too, but only
/// once a second, since each change moves it before its commit.
final class ReplayedLog: Sendable {
    private struct Look {
        let place: Int64
        let transactions: String
        /// The time at which the server began, by which it is known; nil behind a pooler.
        let server: Int64?
        let time = DispatchTime.now()
    }

    private struct State {
        /// The last look that counted; nil before the first of a connection.
        var last: Look?
        /// True if a read may have shown less than the last look.
        var isBehind = false
    }

    private let state = Mutex(State())

    private static let millisecondsBetweenPlaces = 1000

    private static let place = Statement(
        "SELECT (pg_catalog.pg_last_wal_replay_lsn() - '0/0')::int8", name: "replayed_place")

    private static let statement = Statement(
        """
        SELECT (pg_catalog.pg_last_wal_replay_lsn() - '0/0')::int8, pg_catalog.pg_current_snapshot()::text || ' '
            || coalesce(extract(epoch FROM pg_catalog.pg_last_xact_replay_timestamp())::text, ''),
          pg_catalog.pg_is_in_recovery()
        """, name: "replayed")

    /// Returns whether there may be commits since the last look; nil if the server is no replica any more.
    ///
    /// - Parameter connection: one to the replica that nobody else uses.
    func hasMoved(_ connection: Connection) throws(StorageError) -> Bool? {
        let found = try connection.run(Self.statement)
        guard found.isTrue(0, 2), let place = found.integer(), let transactions = found.text(0, 1) else { return nil }
        return state.withLock { state in
            if let last = state.last, !state.isBehind {
                guard place != last.place else { return false }
                guard
                    transactions != last.transactions
                        || last.time.millisecondsSince >= Self.millisecondsBetweenPlaces
                else { return false }
            }
            let server = connection.process?.serverStart
            state = State(last: Look(place: place, transactions: transactions, server: server))
            return true
        }
    }

    /// Compares the place of a connection that reads with the last look, where that may be another server, as behind a
    /// balancer of load. If it shows less, the next look counts again, so observers read until they have seen everything.
    ///
    /// - Parameter connection: one without a transaction.
    func willRead(_ connection: Connection) {
        guard let last = state.withLock({ $0.last }) else { return }
        if let server = connection.process?.serverStart, server == last.server { return }
        // A read that fails here fails again where its error belongs.
        let place = try? connection.run(Self.place).integer()
        if (place ?? -1) < last.place { state.withLock { $0.isBehind = true } }
    }

    /// Forgets the last look: the next one counts.
    func reset() { state.withLock { $0 = State() } }
}
