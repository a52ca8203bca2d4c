internal import Dispatch
internal import StorageDriver

/// Finds whether a transaction was committed whose connection was lost while it committed.
struct CommitOutcome {
    private let engine: PostgreSQLEngine

    init(_ engine: PostgreSQLEngine) { self.engine = engine }

    /// Asks the server by the transaction's number, until it is decided or the timeout is over.
    ///
    /// - Throws: `io` if no server answers in time.
    func isCommitted(_ transaction: String, after loss: StorageError) throws(StorageError) -> Bool {
        let end = DispatchTime.now() + .milliseconds(engine.timeoutMilliseconds)
        var last = loss
        let pause = DispatchSemaphore(value: 0)
        repeat {
            do throws(StorageError) {
                let connection = try engine.newConnection()
                while DispatchTime.now() < end {
                    let sql = "SELECT pg_catalog.pg_xact_status('\(transaction)'::xid8)"
                    let status = try connection.run(sql).text()
                    if let status, status != "in progress" { return status == "committed" }
                    _ = pause.wait(timeout: .now() + .milliseconds(5))
                }
            } catch {
                last = error
                _ = pause.wait(timeout: .now() + .milliseconds(50))
            }
        } while DispatchTime.now() < end
        throw StorageError(
            .io,
            "The connection was lost while the transaction was committed, and no server says whether it was; look before you repeat it.",
            underlying: last)
    }
}
