internal import CPostgreSQL
internal import StorageDriver

// Copies rows into a table by COPY. libpq copies outside its pipeline mode, so no other statement can be sent between the
// beginning and the end.
extension Connection {
    /// Begins to copy.
    ///
    /// - Parameter sql: a `COPY … FROM STDIN`.
    /// - Throws: the server's error, which ends the transaction.
    func beginCopy(_ sql: String) throws(StorageError) {
        if !isSettled { try run([]) }
        if let loss { throw loss }
        guard PQexitPipelineMode(handle) == 1, PQsendQuery(handle, sql) == 1 else { throw lost(sql) }
        try flush()
        guard let result = try nextResult() else { throw lost(sql) }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COPY_IN else {
            let error = PostgreSQLFailure.error(result, sql)
            loss = loss ?? PostgreSQLFailure.ended(result, sql)
            try enterPipeline(sql)
            throw error
        }
    }

    /// Sends a part of the rows. The server takes them in while the caller makes the next.
    func copy(_ bytes: [UInt8]) throws(StorageError) {
        let size = Int32(clamping: bytes.count)
        let isSent = bytes.withUnsafeBytes { bytes in
            PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), size)
        }
        // libpq would return zero if its buffer was full, but it enlarges the buffer.
        guard isSent == 1 else { throw lost("COPY") }
        try flush()
    }

    /// Ends the copy.
    ///
    /// - Parameter reason: makes the server drop the rows, with an error.
    /// - Throws: the error of the first row that the server refuses. The transaction has failed then.
    func endCopy(_ sql: String, failing reason: String? = nil) throws(StorageError) {
        guard PQputCopyEnd(handle, reason) == 1 else { throw lost(sql) }
        try flush()
        var failure: StorageError?
        while let result = try nextResult() {
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_COMMAND_OK { continue }
            failure = failure ?? PostgreSQLFailure.error(result, sql)
            loss = loss ?? PostgreSQLFailure.ended(result, sql)
        }
        try enterPipeline(sql)
        if let failure { throw failure }
    }

    /// Returns to the mode of all other statements, after the last result.
    private func enterPipeline(_ sql: String) throws(StorageError) {
        while let result = try nextResult() { PQclear(result) }
        guard PQstatus(handle) == CONNECTION_OK, loss == nil, PQenterPipelineMode(handle) == 1 else { throw lost(sql) }
    }
}
