internal import Dispatch
internal import StorageDriver
import Synchronization

/// The part of the primary's log that a replica has replayed, for an observed store that was opened on it. A replica has no
/// notices, and its sequences run ahead of the primary's, so the store looks at the log.
///
/// A commit that a replica shows has moved the position in its log, and then either the transactions that a snapshot sees or
/// the time of the last commit. Two commits may have the same time. So a change of the position alone counts too, but only once
/// a second, because each change moves it before its commit.
final class ReplayedLog: Sendable {
    private struct Look {
        let lsn: Int64
        let transactions: String
        /// The time at which the server started, which identifies it; nil with a pooler.
        let server: Int64?
        let time = DispatchTime.now()
    }

    private struct State {
        /// The last look that counted; nil before the first of a connection.
        var last: Look?
        /// True if a read may have shown less than the last look.
        var hasShownLess = false
    }

    private let state = Mutex(State())

    private static let millisecondsBetweenLSNs = 1000

    private static let lsn = Statement(
        "SELECT (pg_catalog.pg_last_wal_replay_lsn() - '0/0')::int8", name: "replayed_lsn")

    private static let statement = Statement(
        """
        SELECT (pg_catalog.pg_last_wal_replay_lsn() - '0/0')::int8, pg_catalog.pg_current_snapshot()::text || ' '
            || coalesce(extract(epoch FROM pg_catalog.pg_last_xact_replay_timestamp())::text, ''),
          pg_catalog.pg_is_in_recovery()
        """, name: "replayed")

    /// Returns whether the replica may have replayed commits since the last look; nil if the server is no longer a replica.
    ///
    /// - Parameter connection: a connection to the replica that no other thread uses.
    func hasMoved(_ connection: Connection) throws(StorageError) -> Bool? {
        let found = try connection.run(Self.statement)
        guard found.isTrue(0, 2), let lsn = found.integer(), let transactions = found.text(0, 1) else { return nil }
        return state.withLock { state in
            if let last = state.last, !state.hasShownLess {
                guard lsn != last.lsn else { return false }
                guard
                    transactions != last.transactions
                        || last.time.millisecondsSince >= Self.millisecondsBetweenLSNs
                else { return false }
            }
            let server = connection.process?.serverStart
            state = State(last: Look(lsn: lsn, transactions: transactions, server: server))
            return true
        }
    }

    /// Compares the position of a reading connection with the last look, if it may lead to another server, for example through
    /// a load balancer. If it shows less, the next look counts again, so observers read until they have seen everything.
    ///
    /// - Parameter connection: a connection without a transaction.
    func willRead(_ connection: Connection) {
        guard let last = state.withLock({ $0.last }) else { return }
        if let server = connection.process?.serverStart, server == last.server { return }
        // If this fails, the read itself fails too, and reports the error.
        let lsn = try? connection.run(Self.lsn).integer()
        if (lsn ?? -1) < last.lsn { state.withLock { $0.hasShownLess = true } }
    }

    /// Forgets the last look: the next one counts.
    func reset() { state.withLock { $0 = State() } }
}
