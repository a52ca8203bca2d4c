internal import CPostgreSQL
internal import Dispatch
internal import StorageDriver

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The process of a server that serves a connection.
struct ServerProcess: Sendable {
    let number: Int64
    /// The start of the process and of its server, in microseconds. A number is given again, and another server may
    /// have it too.
    let start: Int64
    let serverStart: Int64

    /// A primary's timeline; null on a replica.
    static let timeline =
        """
        CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN
          ('x' || pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8))::pg_catalog.bit(32)::int8 END
        """

    /// Asks the process for itself, whether its server is a replica, and for a primary's timeline.
    static let statement = Statement(
        """
        SELECT a.pid::int8, \(microseconds("a.backend_start")),
          \(microseconds("pg_catalog.pg_postmaster_start_time()")), pg_catalog.pg_is_in_recovery(),
          \(timeline)
        FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) AS a
        """)

    init(_ result: StatementResult) throws(StorageError) {
        guard let number = result.integer(), let start = result.integer(0, 1), let serverStart = result.integer(0, 2)
        else { throw StorageError(.io, "The server does not say which of its processes serves the connection.") }
        (self.number, self.start, self.serverStart) = (number, start, serverStart)
    }

    fileprivate static func microseconds(_ time: String) -> String { "(extract(epoch FROM \(time)) * 1000000)::int8" }
}

/// Identifies the server process of a silent connection in a probe's question.
enum ServedBy: Sendable {
    /// The process that serves it.
    case process(ServerProcess)
    /// The process that has this name, for as long as the connection's transaction lasts. A pooler serves its clients in the
    /// order in which they ask. So if no process has the name, and a later question is answered, the connection's question was
    /// answered or has not arrived.
    case label(String)

    /// The SQL for the state of the process: true if it waits for its client, the milliseconds of the wait, and its start in
    /// microseconds. Another server returns no row, and a missing or ended process is nulls.
    ///
    /// - Parameters:
    ///   - idleness: the earlier finding; the process is ended if it has waited since then.
    ///   - milliseconds: the time to wait for its end.
    fileprivate func state(ending idleness: ServerProbe.Idleness?, within milliseconds: Int) -> String {
        let isIdle = "a.wait_event_type IS NOT DISTINCT FROM 'Client'"
        let change = ServerProcess.microseconds("a.state_change")
        let end = idleness.map {
            let since = $0.since.map(String.init) ?? "NULL"
            return """
                , CASE WHEN \(isIdle) AND \(change) IS NOT DISTINCT FROM \(since)
                  THEN pg_catalog.pg_terminate_backend(a.pid, \(milliseconds)) END
                """
        }
        let server = ServerProcess.microseconds("pg_catalog.pg_postmaster_start_time()")
        let (number, isIt, isServer) =
            switch self {
            case .process(let process):
                (
                    "\(process.number)", "\(ServerProcess.microseconds("a.backend_start")) = \(process.start)",
                    "\(server) = \(process.serverStart)"
                )
            case .label(let label): ("NULL", "a.application_name = \(label.literal)", "true")
            }
        return """
            SELECT a.pid IS NULL OR \(isIdle),
              (extract(epoch FROM pg_catalog.clock_timestamp() - a.state_change) * 1000)::int8, \(change)\(end ?? "")
            FROM (SELECT) AS one LEFT JOIN pg_catalog.pg_stat_get_activity(\(number)) AS a ON \(isIt) WHERE \(isServer)
            """
    }
}

/// Asks a server, on a separate connection, about a connection that is silent. Waits no longer than the given time.
final class ServerProbe {
    /// The state that a server reports.
    enum Answer {
        /// No answer.
        case none
        /// That it runs, and no more: it has no connection left, or is another one.
        case isRunning
        /// That the process works, or waits for a lock.
        case isWorking
        /// That the process waits for its client, or has ended.
        case isIdle(Idleness)
    }

    /// The time for which a process has waited for its client.
    struct Idleness {
        /// By the server's clock; 0 if the process has ended, or the server does not report it.
        var milliseconds = 0
        /// The time at which it began to wait, which identifies the wait; nil if the server does not report it.
        var since: Int64?
    }

    private let handle: OpaquePointer?
    private var isConnected = false
    private let end: DispatchTime
    /// Returns true if the answer is no longer needed, which ends the wait.
    private let isPointless: () -> Bool
    private static let millisecondsBetweenLooks = 250

    /// - Parameters:
    ///   - time: the time that all questions together may take.
    ///   - isPointless: called at intervals; true ends the questions.
    init(
        _ parameters: ConnectionParameters, within time: DispatchTimeInterval, unless isPointless: @escaping () -> Bool
    ) {
        handle = parameters.begin()
        end = .now() + time
        self.isPointless = isPointless
    }

    /// Asks on a connection that is open, and closes it afterwards.
    init(_ handle: OpaquePointer, until end: DispatchTime) {
        (self.handle, self.end, isConnected) = (handle, end, true)
        isPointless = { false }
    }

    deinit { PQfinish(handle) }

    /// - Parameters:
    ///   - process: the process that serves the connection; nil if it is unknown.
    ///   - idleness: the earlier answer; the process is ended if it has waited for its client since then; nil to let it run.
    ///   - milliseconds: the time to wait for its end.
    func ask(about process: ServedBy?, ending idleness: Idleness? = nil, within milliseconds: Int = 0) -> Answer {
        // Without memory for a question, assume that the server runs.
        guard let handle else { return .isRunning }
        guard isConnected || connect(handle) else {
            // A server that refuses a connection is running.
            return PQstatus(handle) == CONNECTION_BAD && PostgreSQLFailure.opening(handle).code != .io
                ? .isRunning : .none
        }
        isConnected = true
        guard let process else { return .isRunning }
        let sql = process.state(ending: idleness, within: milliseconds)
        guard PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 0) == 1 else { return .none }
        var answer = Answer.isRunning
        while let result = next(handle) {
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_TUPLES_OK, PQntuples(result) == 1 {
                let isIdle = String(cString: PQgetvalue(result, 0, 0)) == "t"
                answer = isIdle ? .isIdle(Idleness(result)) : .isWorking
            }
        }
        return PQstatus(handle) == CONNECTION_OK && PQisBusy(handle) == 0 ? answer : .none
    }

    /// The timeline of a primary; nil for a replica, or if the server does not answer in time.
    func timeline() -> Int64? {
        guard let handle, PQsendQuery(handle, "SELECT \(ServerProcess.timeline)") == 1 else { return nil }
        var timeline: Int64?
        while let result = next(handle) {
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_TUPLES_OK, PQntuples(result) == 1, PQgetisnull(result, 0, 0) == 0 {
                timeline = Int64(String(cString: PQgetvalue(result, 0, 0)))
            }
        }
        return timeline
    }

    private func connect(_ handle: OpaquePointer) -> Bool {
        if PQstatus(handle) == CONNECTION_BAD { return false }
        var events = POLLOUT
        while wait(handle, events) {
            switch PQconnectPoll(handle) {
            case PGRES_POLLING_OK: return true
            case PGRES_POLLING_READING: events = POLLIN
            case PGRES_POLLING_WRITING: events = POLLOUT
            default: return false
            }
        }
        return false
    }

    /// The next result; nil after the last one, or if none arrives in time.
    private func next(_ handle: OpaquePointer) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            guard wait(handle, POLLIN), PQconsumeInput(handle) == 1 else { return nil }
        }
        return PQgetResult(handle)
    }

    private func wait(_ handle: OpaquePointer, _ events: some BinaryInteger) -> Bool {
        var socket = pollfd(fd: PQsocket(handle), events: Int16(truncatingIfNeeded: events), revents: 0)
        while end.millisecondsLeft > 0 {
            let time = min(end.millisecondsLeft, Self.millisecondsBetweenLooks)
            if poll(&socket, 1, Int32(clamping: time)) > 0 { return true }
            if isPointless() { return false }
        }
        return false
    }
}

extension ServerProbe.Idleness {
    fileprivate init(_ result: OpaquePointer) {
        func number(_ column: Int32) -> Int64? {
            PQgetisnull(result, 0, column) == 1 ? nil : Int64(String(cString: PQgetvalue(result, 0, column)))
        }
        // The clock may be set back.
        milliseconds = Int(clamping: max(number(1) ?? 0, 0))
        since = number(2)
    }
}
