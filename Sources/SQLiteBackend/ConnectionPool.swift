internal import Foundation
internal import Logging
internal import StorageDriver
import Synchronization

/// The reading connections. The pool keeps one for each core. A reader that finds none free gets a new one instead of
/// waiting, since a stream may hold one indefinitely.
final class ConnectionPool: Sendable {
    private let configuration: SQLiteBackend
    private let file: DatabaseFile
    private let definitions: Definitions
    private let logger: Logger
    private let state = Mutex(State())
    private let maximumIdle = max(ProcessInfo.processInfo.activeProcessorCount, 2)

    private struct State {
        var idle: [SQLiteReader] = []
        var isClosed = false
    }

    init(_ configuration: SQLiteBackend, file: DatabaseFile, definitions: Definitions, logger: Logger) {
        self.configuration = configuration
        self.file = file
        self.definitions = definitions
        self.logger = logger
    }

    func take() throws(StorageError) -> SQLiteReader {
        let idle = try state.withLock { (state) throws(StorageError) -> SQLiteReader? in
            if state.isClosed { throw SQLiteEngine.closed }
            while let reader = state.idle.popLast() {
                if reader.connection.isCurrent { return reader }
                reader.connection.closeQuietly()
            }
            return nil
        }
        if let idle { return idle }
        return SQLiteReader(try newConnection())
    }

    private func newConnection() throws(StorageError) -> Connection {
        do throws(StorageError) {
            let connection = try Connection(configuration, isWriter: false, definitions, logger: logger)
            try file.requireSame(connection)
            connection.file = file
            return connection
        } catch {
            guard error.code == .io, !file.keepsName else { throw error }
            throw file.moved(by: error.underlying)
        }
    }

    func give(_ reader: SQLiteReader) {
        let isKept = state.withLock { state in
            guard !state.isClosed, state.idle.count < maximumIdle else { return false }
            state.idle.append(reader)
            return true
        }
        if !isKept { reader.connection.closeQuietly() }
    }

    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle { reader.connection.closeQuietly() }
    }
}
