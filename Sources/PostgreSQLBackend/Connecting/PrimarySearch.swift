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

/// Connects to several servers beside each other, to find the one that takes writes. libpq tries them one by one, and waits for
/// each that is silent until the connection's timeout.
final class PrimarySearch {
    private struct Attempt {
        let hostIndex: Int
        let handle: OpaquePointer
        var events: Int32
        let end: DispatchTime
    }

    private let candidates: [ConnectionParameters]
    /// The indexes of the hosts that are tried next, in reverse.
    private var waiting: [Int]
    private var attempts: [Attempt] = []
    /// The time after which the next server is tried beside the others.
    private let stagger: DispatchTimeInterval
    private var next = DispatchTime.now()
    private static let pause = DispatchTimeInterval.milliseconds(100)
    /// The servers that have refused the connection.
    private(set) var refusing: [Int] = []
    /// The error of a search that finds no server. A passing error, such as that of a starting server, is preferred.
    private(set) var failure = StorageError(
        .io, "No server takes writes: check that they run, and the hosts and the ports.")
    private var hasFailed = false

    /// - Parameter hostIndexes: the candidates, in the order in which they are tried.
    init(
        _ candidates: [ConnectionParameters], _ hostIndexes: some BidirectionalCollection<Int>,
        stagger: DispatchTimeInterval
    ) {
        (self.candidates, waiting, self.stagger) = (candidates, hostIndexes.reversed(), stagger)
    }

    deinit { for attempt in attempts { PQfinish(attempt.handle) } }

    /// Finds the next server that answers and takes writes, by the address's `target_session_attrs`.
    ///
    /// - Parameters:
    ///   - end: when the search ends.
    ///   - socket: ends the search when data arrives on it; nil for none.
    /// - Returns: a connection that the caller must close; nil if no server takes writes.
    func find(until end: DispatchTime, orReadable socket: Int32? = nil) -> (hostIndex: Int, handle: OpaquePointer)? {
        while end.millisecondsLeft > 0 {
            if let hostIndex = waiting.last, attempts.isEmpty || next.millisecondsLeft == 0 {
                waiting.removeLast()
                begin(hostIndex)
                continue
            }
            guard !attempts.isEmpty else { return nil }
            if waiting.isEmpty, !refusing.isEmpty, next.millisecondsLeft == 0 {
                // One of them may be promoted while others are silent.
                (waiting, refusing) = (refusing, [])
                continue
            }
            let ends = attempts.map(\.end) + [end] + (waiting.isEmpty && refusing.isEmpty ? [] : [next])
            let left = ends.map(\.millisecondsLeft).min() ?? 0
            // libpq may change an attempt's socket, from one address of a host to the next.
            var sockets = attempts.map { pollfd(fd: PQsocket($0.handle), events: Int16($0.events), revents: 0) }
            if let socket { sockets.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }
            _ = poll(&sockets, nfds_t(sockets.count), Int32(clamping: left))
            if socket != nil, sockets.last?.revents != 0 { return nil }
            // Backwards, so that indexes stay valid after a removal.
            for index in attempts.indices.reversed() {
                if let found = advance(index, isReady: sockets[index].revents != 0) { return found }
            }
        }
        return nil
    }

    private func begin(_ hostIndex: Int) {
        next = .now() + stagger
        guard candidates.indices.contains(hostIndex) else { return }
        let candidate = candidates[hostIndex]
        guard let handle = candidate.begin() else { return }
        guard PQstatus(handle) != CONNECTION_BAD else { return fail(hostIndex, handle) }
        let end = DispatchTime.now() + .milliseconds(candidate.connectMilliseconds)
        attempts.append(Attempt(hostIndex: hostIndex, handle: handle, events: Int32(POLLOUT), end: end))
    }

    private func advance(_ index: Int, isReady: Bool) -> (hostIndex: Int, handle: OpaquePointer)? {
        let attempt = attempts[index]
        guard isReady else {
            if attempt.end.millisecondsLeft == 0 {
                attempts.remove(at: index)
                fail(attempt.hostIndex, attempt.handle, isSilent: true)
            }
            return nil
        }
        switch PQconnectPoll(attempt.handle) {
        case PGRES_POLLING_OK:
            attempts.remove(at: index)
            return (attempt.hostIndex, attempt.handle)
        case PGRES_POLLING_READING: attempts[index].events = Int32(POLLIN)
        case PGRES_POLLING_WRITING: attempts[index].events = Int32(POLLOUT)
        default:
            attempts.remove(at: index)
            fail(attempt.hostIndex, attempt.handle)
        }
        return nil
    }

    private func fail(_ hostIndex: Int, _ handle: OpaquePointer, isSilent: Bool = false) {
        let error = PostgreSQLFailure.opening(handle, isSilent: isSilent)
        PQfinish(handle)
        if !isSilent { refusing.append(hostIndex) }
        // The next server is tried at once, and refused servers again after a pause.
        next = waiting.isEmpty ? .now() + Self.pause : .now()
        if !hasFailed || failure.code != .io { failure = error }
        hasFailed = true
    }
}

extension ConnectionParameters {
    /// The time between the beginnings of two attempts, in which a running server answers.
    private static let stagger = DispatchTimeInterval.milliseconds(200)

    /// Connects to the server that takes writes, of several.
    ///
    /// - Parameters:
    ///   - first: the index of the host that is tried first.
    ///   - time: how long it waits for a server that is starting.
    func connectToPrimary(
        from first: Int, waiting time: DispatchTimeInterval
    ) throws(StorageError) -> (hostIndex: Int, handle: OpaquePointer) {
        let end = DispatchTime.now() + time
        let hostIndexes = candidates.indices.map { ($0 + first % candidates.count) % candidates.count }
        while true {
            let search = PrimarySearch(candidates, hostIndexes, stagger: Self.stagger)
            if let found = search.find(until: .distantFuture) { return found }
            guard DispatchTime.now() < end, search.refusing.contains(where: isStarting) else { throw search.failure }
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
        }
    }

    private func isStarting(_ hostIndex: Int) -> Bool {
        candidates[hostIndex].withTexts { PQpingParams($0, $1, 1) } == PQPING_REJECT
    }
}

extension Connection {
    /// The time that servers have to say that they are the primary now: one that is silent is no successor.
    private static let millisecondsToAnswer = 250

    /// Returns true if another server has replaced this connection's. A server that was cut off, or whose agent was, may not
    /// know that.
    ///
    /// - Parameter socket: ends the search when data arrives on it.
    func hasSuccessor(orReadable socket: Int32? = nil) -> Bool {
        guard seeksSuccessor, let role else { return false }
        if !role.isCurrent(self) { return true }
        guard role.beginsSearch() else { return false }
        // The timeline is unknown before the connection's first statement.
        let own = timeline ?? role.timeline - 1
        let others = parameters.candidates.indices.filter { $0 != hostIndex }
        let search = PrimarySearch(parameters.candidates, others, stagger: .milliseconds(0))
        let end = DispatchTime.now() + .milliseconds(Self.millisecondsToAnswer)
        while let (hostIndex, handle) = search.find(until: end, orReadable: socket) {
            // Another one that was replaced is no successor.
            guard let timeline = ServerProbe(handle, until: end).timeline(), timeline > own else { continue }
            if role.record(timeline: timeline) { role.hostIndex = hostIndex }
            return true
        }
        return false
    }
}
