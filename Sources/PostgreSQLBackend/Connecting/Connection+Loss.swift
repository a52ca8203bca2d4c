internal import CPostgreSQL
internal import StorageDriver

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

// Detection of a lost connection.

extension Connection {
    /// Returns whether the connection survived the time it was idle.
    func isAlive() -> Bool {
        guard loss == nil else { return false }
        var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // Unread results may have arrived. The end of the connection is seen after them.
        while poll(&socket, 1, 0) > 0 {
            guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { return false }
        }
        return true
    }

    /// Returns the error of a connection that is lost, and keeps the first.
    ///
    /// - Parameter action: the statement or step that failed, for the message.
    func lost(_ action: String) -> StorageError {
        if let loss { return loss }
        let error = finalMessage(action) ?? PostgreSQLFailure.lost(handle, doing: action)
        loss = error
        return error
    }

    /// Returns the server's message about the end of the connection, if a failed send revealed it.
    private func finalMessage(_ action: String) -> StorageError? {
        // Without a connection libpq does not wait, and returns the results that have arrived.
        while PQstatus(handle) == CONNECTION_BAD, let result = PQgetResult(handle) {
            defer { PQclear(result) }
            if let ending = PostgreSQLFailure.ended(result, action) { return ending }
        }
        return nil
    }
}
