internal import Dispatch
internal import StorageDriver

/// Finds whether a transaction was committed whose connection was lost while it committed.
struct CommitOutcome {
    private let engine: PostgreSQLEngine

    init(_ engine: PostgreSQLEngine) { self.engine = engine }

    /// Asks the server until it is decided or the timeout is over.
    ///
    /// - Throws: `outcomeUnknown` if no server answers in time, or if another one answers that has a transaction of the same
    ///   number.
    func isCommitted(
        _ transaction: String, _ timeline: String, after loss: StorageError
    ) throws(StorageError) -> Bool {
        let end = DispatchTime.now() + .milliseconds(engine.timeoutMilliseconds)
        var last = loss
        let pause = DispatchSemaphore(value: 0)
        repeat {
            do throws(StorageError) {
                let connection = try engine.newConnection()
                while DispatchTime.now() < end {
                    if let (status, now) = try status(of: transaction, connection) {
                        if status != "committed" { return false }
                        if now == timeline { return true }
                        throw Self.unknown("another server has taken over meanwhile", loss)
                    }
                    _ = pause.wait(timeout: .now() + .milliseconds(5))
                }
            } catch {
                if error.code == .outcomeUnknown { throw error }
                last = error
                _ = pause.wait(timeout: .now() + .milliseconds(50))
            }
        } while DispatchTime.now() < end
        throw Self.unknown("no server says in time whether it was", last)
    }

    /// A decided transaction's status, and the server's timeline. Nil if it is not decided, and on a replica, which may not
    /// have heard of it yet.
    private func status(of transaction: String, _ connection: Connection) throws(StorageError) -> (String, String)? {
        let result = try connection.run(
            """
            SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN 'in progress'
                ELSE pg_catalog.pg_xact_status('\(transaction)'::xid8) END,
              CASE WHEN pg_catalog.pg_is_in_recovery() THEN ''
                ELSE pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8) END
            """)
        guard let status = result.text(), let timeline = result.text(0, 1), status != "in progress" else { return nil }
        return (status, timeline)
    }

    private static func unknown(_ reason: String, _ cause: StorageError) -> StorageError {
        StorageError(
            .outcomeUnknown,
            "The connection was lost while the transaction was committed, and \(reason); look before you repeat it.",
            underlying: cause)
    }
}
