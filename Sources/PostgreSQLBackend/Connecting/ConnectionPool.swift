internal import Dispatch
internal import StorageDriver
import Synchronization

/// The pool of reading connections, bounded in number. A caller that finds none free waits, and after the timeout
/// receives that the store is busy.
final class ConnectionPool: Sendable {
    private let configuration: PostgreSQLBackend
    private let role: ServerRole
    private let state = Mutex(State())
    /// Counts the connections that may be taken.
    private let free = DispatchSemaphore(value: 0)

    private struct State {
        var idle: [Connection] = []
        var isClosed = false
    }

    init(_ configuration: PostgreSQLBackend, _ role: ServerRole) {
        (self.configuration, self.role) = (configuration, role)
        for _ in 0..<configuration.connections { free.signal() }
    }

    /// - Parameter index: the record of tables for which a connection should have its statements.
    func take(for index: Int64? = nil) throws(StorageError) -> Connection {
        guard free.wait(timeout: .now() + .milliseconds(configuration.timeoutMilliseconds)) == .success else {
            throw StorageError(
                .busy,
                "All \(configuration.connections) connections are in use; end streams and read blocks, or raise the option connections."
            )
        }
        do throws(StorageError) {
            while let idle = try idle(for: index) {
                if role.isCurrent(idle), idle.isAlive() { return idle }
            }
            return try Connection(configuration, role)
        } catch {
            free.signal()
            throw error
        }
    }

    private func idle(for index: Int64?) throws(StorageError) -> Connection? {
        try state.withLock { (state) throws(StorageError) in
            if state.isClosed { throw PostgreSQLEngine.closed }
            if let index, let found = state.idle.lastIndex(where: { $0.versionIndex == index }) {
                return state.idle.remove(at: found)
            }
            return state.idle.popLast()
        }
    }

    func give(_ connection: Connection) {
        state.withLock { state in
            let isUsable = connection.loss == nil && !connection.wasCancelled && !connection.isWornOut
            if !state.isClosed, isUsable { state.idle.append(connection) }
        }
        free.signal()
    }

    /// Gives back the right to a connection that is lost.
    func giveUp() { free.signal() }

    func close() {
        var idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        // If one connection is lost, the server may be down; don't wait for it once per connection.
        while let connection = idle.popLast(), connection.settle() {}
    }
}
