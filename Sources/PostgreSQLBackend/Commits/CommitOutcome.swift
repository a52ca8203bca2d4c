internal import Dispatch
internal import StorageDriver

/// Finds whether a transaction was committed whose connection was lost while it committed.
struct CommitOutcome {
    private let engine: PostgreSQLEngine

    init(_ engine: PostgreSQLEngine) { self.engine = engine }

    /// Asks the server until the outcome is decided, or the timeout and the time for a failover are over.
    ///
    /// - Throws: `outcomeUnknown` if no server answers in time, or if another one answers that has a transaction of the same
    ///   number.
    func isCommitted(
        _ transaction: String, _ server: ServerIdentity, after loss: StorageError
    ) throws(StorageError) -> Bool {
        let end = DispatchTime.now() + .milliseconds(engine.millisecondsToResolve)
        var last = loss
        let pause = DispatchSemaphore(value: 0)
        repeat {
            do throws(StorageError) {
                let connection = try engine.newConnection()
                // Ask a server that answers, however long the connection to it took.
                repeat {
                    if let (status, now) = try status(of: transaction, connection) {
                        if status != "committed" { return false }
                        if now == server { return true }
                        throw Self.unknown("another server has taken over meanwhile, or this one has crashed", loss)
                    }
                    _ = pause.wait(timeout: .now() + .milliseconds(5))
                } while DispatchTime.now() < end
            } catch {
                if error.code == .outcomeUnknown { throw error }
                last = error
                _ = pause.wait(timeout: .now() + .milliseconds(50))
            }
        } while DispatchTime.now() < end
        throw Self.unknown("no server says in time whether it was", last)
    }

    /// A decided transaction's status, and which server says so. Nil if it is not decided, and on a replica, which may not
    /// have heard of it yet.
    private func status(
        of transaction: String, _ connection: Connection
    ) throws(StorageError) -> (String, ServerIdentity)? {
        guard try !connection.run("SELECT pg_catalog.pg_is_in_recovery()").isTrue() else { return nil }
        do throws(StorageError) {
            let results = try connection.run([
                Statement("SELECT pg_catalog.pg_xact_status('\(transaction)'::xid8)"), ServerIdentity.statement,
            ])
            guard results.count == 2, let status = results[0].text(), status != "in progress" else { return nil }
            return (status, ServerIdentity(results[1]))
        } catch {
            // After a crash the server does not know the numbers of transactions that had not stored anything: they are in its
            // future.
            guard (error.underlying as? PostgreSQLError)?.state == "22023" else { throw error }
            return ("aborted", ServerIdentity())
        }
    }

    private static func unknown(_ reason: String, _ cause: StorageError) -> StorageError {
        StorageError(
            .outcomeUnknown,
            "The connection was lost while the transaction was committed, and \(reason); check the stored records before you repeat it.",
            underlying: cause)
    }
}

/// The conditions under which a transaction's number keeps its meaning: the server's timeline, which changes when a
/// replica is promoted, and the start of its statistics, which changes when it recovers from a crash. In both cases
/// numbers are given again.
struct ServerIdentity: Equatable {
    private var timeline: Int64?
    private var recovery: String?
    /// The end of its log when it was recovered or promoted; nil after a start without a recovery.
    private var recovered: Int64?

    init() {}

    init(_ result: StatementResult) {
        (timeline, recovery, recovered) = (result.integer(), result.text(0, 1), result.integer(0, 2))
    }

    static func == (one: ServerIdentity, other: ServerIdentity) -> Bool {
        one.timeline == other.timeline && one.recovery == other.recovery
    }

    static let statement = Statement(
        """
        SELECT \(ServerProcess.timeline), stats_reset::text,
          (pg_catalog.pg_last_wal_replay_lsn() - '0/0')::int8 FROM pg_catalog.pg_stat_wal
        """, name: "identity")

    /// Returns true if this server may lack a commit that another one, or this one before a crash, has acknowledged. Its log
    /// then ended before the commit's end, or its end is no longer known.
    ///
    /// - Parameter lsn: the position in the log after the commit.
    func mayLack(_ lsn: Int64, of former: ServerIdentity) -> Bool {
        guard self != former, let timeline, let before = former.timeline else { return false }
        guard timeline != before else {
            // The statistics may have been reset.
            return recovered != former.recovered && recovered.map { $0 < lsn } ?? false
        }
        // Of several promotions only the last is known.
        return timeline != before + 1 || recovered.map { $0 < lsn } ?? true
    }
}
