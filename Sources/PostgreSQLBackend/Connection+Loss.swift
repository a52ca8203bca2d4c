internal import CPostgreSQL
internal import StorageDriver

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

// How the end of a connection is noticed.

extension Connection {
    /// Returns whether the connection survived the time it was idle.
    func isAlive() -> Bool {
        guard loss == nil else { return false }
        var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // What has arrived may be results that nobody has read. The end is seen when there is nothing before it.
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
        let error = lastWords(action) ?? PostgreSQLFailure.lost(handle, doing: action)
        loss = error
        return error
    }

    /// Returns the server's message about the end of the connection, where a failed send revealed it.
    private func lastWords(_ action: String) -> StorageError? {
        // Without a connection libpq waits for nothing, and gives what has arrived.
        while PQstatus(handle) == CONNECTION_BAD, let result = PQgetResult(handle) {
            defer { PQclear(result) }
            if let ending = PostgreSQLFailure.ended(result, action) { return ending }
        }
        return nil
    }
}
