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

// A statement may take any time, but no call waits without end: if the connection is silent for the timeout, the server is
// asked on another connection for the state of the process that serves this one.
extension Connection {
    /// Sends the bytes that libpq could not send at once. Reads the server's messages meanwhile, so that neither waits
    /// for the other.
    func flush() throws(StorageError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                let events = try wait(for: POLLIN | POLLOUT)
                if events & Int16(POLLIN) != 0, PQconsumeInput(handle) == 0 { throw lost("send") }
            default: throw lost("send")
            }
        }
    }

    /// Waits for a result. Nil between the results of two statements, and if the connection is lost.
    func nextResult() throws(StorageError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            _ = try wait(for: POLLIN)
            // PQgetResult reports the loss.
            if PQconsumeInput(handle) == 0 { break }
        }
        return PQgetResult(handle)
    }

    /// The interval of checks whether the task was cancelled.
    static let millisecondsBetweenLooks = 50
    /// The silence after which a successor of the server is looked for, and the interval of these searches.
    private static let millisecondsToSearch = 500
    private static let millisecondsBetweenSearches = 250

    /// The time that a server may take to answer, whatever the timeout is, so that a busy server is not taken for a
    /// lost one.
    private var millisecondsToAnswer: Int { max(timeoutMilliseconds, 5000) }

    /// The time allowed for an answer that the server has sent and that has not arrived: at least that of a retransmission,
    /// which is 200 ms at least.
    private var millisecondsOnTheWay: Int { min(max(timeoutMilliseconds / 2, 250), 500) }

    /// The time at which the server is asked about a silent connection. It leaves time for an answer on its way.
    private var endOfSilence: DispatchTime {
        .now() + .milliseconds(timeoutMilliseconds - min(timeoutMilliseconds / 2, millisecondsOnTheWay))
    }

    /// Waits for the socket, and checks at intervals whether the task was cancelled.
    ///
    /// - Throws: `io` if the server no longer answers, or answers only other connections.
    private func wait(for events: some BinaryInteger) throws(StorageError) -> Int16 {
        var socket = pollfd(fd: PQsocket(handle), events: Int16(truncatingIfNeeded: events), revents: 0)
        let start = DispatchTime.now()
        var end = endOfSilence
        while true {
            let left = end.millisecondsLeft
            var time = endsWhenCancelled && !wasCancelled ? min(left, Self.millisecondsBetweenLooks) : left
            if seeksSuccessor { time = min(time, Self.millisecondsBetweenSearches) }
            if poll(&socket, 1, Int32(clamping: time)) > 0 { return socket.revents }
            if endsWhenCancelled, !wasCancelled, Task.isCancelled { cancel() }
            if seeksSuccessor, start.millisecondsSince >= Self.millisecondsToSearch {
                if hasSuccessor(orReadable: socket.fd) { throw isLost(Self.replaced) }
            }
            guard end.millisecondsLeft == 0 else { continue }
            if try probeFindsData(&socket, silentSince: start) { return socket.revents }
            end = endOfSilence
        }
    }

    /// Asks the server, on another connection, about the process that serves this one.
    ///
    /// An idle process has sent its answer, which may still be on its way. So the connection is lost only if it stays silent
    /// for longer than an answer takes to arrive: for several times as long as the question took, which measures a slow machine
    /// or network.
    ///
    /// - Returns: whether data has arrived on this connection meanwhile.
    /// - Throws: `io` if this connection is lost.
    private func probeFindsData(_ socket: inout pollfd, silentSince start: DispatchTime) throws(StorageError) -> Bool {
        let asked = DispatchTime.now()
        let probe = ServerProbe(probeParameters, within: .milliseconds(millisecondsToAnswer)) {
            self.hasSuccessor(orReadable: PQsocket(self.handle))
        }
        switch probe.ask(about: served) {
        case .none where hasSuccessor(): throw isLost(Self.replaced)
        case .none:
            throw isLost("The server does not answer, to this connection and to another; try again when it runs.")
        // The first statement of a connection asks for the process. Only a busy server takes long for it.
        case .isRunning where served == nil && start.millisecondsSince >= millisecondsToAnswer:
            throw isLost(Self.silent)
        case .isRunning, .isWorking: return false
        case .isIdle(let idleness):
            let question = asked.millisecondsSince + 1
            let age = min(idleness.milliseconds, start.millisecondsSince)
            let onTheWay = max(max(millisecondsOnTheWay, 4 * question) - age, 2 * question)
            if poll(&socket, 1, Int32(clamping: onTheWay)) > 0 { return true }
            // Its locks are free when it has ended. Wait if a statement has reached it meanwhile.
            switch probe.ask(about: served, ending: idleness, within: millisecondsOnTheWay) {
            case .isWorking: return false
            case .isIdle(let now) where now.since != nil && now.since != idleness.since: return false
            default: throw isLost(Self.silent)
            }
        }
    }

    private static let silent =
        "The connection is silent while the server answers others, and nothing of this call is stored; try again."

    private static let replaced =
        "Another server has replaced the connection's, and nothing of this call is stored; try again."

    private func isLost(_ message: String) -> StorageError {
        let error = loss ?? StorageError(.io, message)
        loss = error
        return error
    }

    /// The parameters that lead to the server of this connection, even if the connection's name several.
    private var probeParameters: ConnectionParameters {
        func text(_ value: UnsafeMutablePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "" }
        return ConnectionParameters(
            list: parameters.list + [
                ("host", text(PQhost(handle))), ("hostaddr", text(PQhostaddr(handle))), ("port", text(PQport(handle))),
                ("target_session_attrs", "any"),
            ])
    }

    /// Asks the server to end the statement, on a separate connection. The caller does not wait for that: a silent server does
    /// not answer this request either.
    private func cancel() {
        wasCancelled = true
        guard let canceller = PQgetCancel(handle) else { return }
        nonisolated(unsafe) let request = canceller
        // No other code uses the request, which contains the server's address.
        DispatchQueue.global().async {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
                // If it fails, the statement has already ended, or the server ends the connection.
                _ = PQcancel(request, message.baseAddress, 256)
            }
            PQfreeCancel(request)
        }
    }
}

// MARK: - Connecting

extension ConnectionParameters {
    /// - Parameter time: the time to wait for a server that is starting.
    func connect(waiting time: DispatchTimeInterval) throws(StorageError) -> OpaquePointer {
        let end = DispatchTime.now() + time
        var isUp = false
        while true {
            guard let handle = begin() else {
                throw StorageError(.io, "There is not enough memory for a connection; free some.")
            }
            let isSilent = !finish(handle)
            if PQstatus(handle) == CONNECTION_OK { return handle }
            let error = PostgreSQLFailure.opening(handle, isSilent: isSilent)
            PQfinish(handle)
            // A silent server would be silent again, and a server that has refused the user is not starting.
            let answer =
                isSilent || error.code != .io ? PQPING_NO_RESPONSE : withTexts { PQpingParams($0, $1, 1) }
            // The server may have started between the two questions, or have ended only this connection: try once more.
            let mayTake = answer == PQPING_REJECT || answer == PQPING_OK && !isUp
            guard mayTake, DispatchTime.now() < end else { throw error }
            isUp = answer == PQPING_OK
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
        }
    }

    /// Begins to connect. If the server refuses it, the message has the code, because the words may be of any language.
    ///
    /// - Returns: a connection that the caller must close; nil without memory for it.
    func begin() -> OpaquePointer? {
        // With expansion, the value of dbname is read as a whole address.
        let handle = withTexts { PQconnectStartParams($0, $1, 1) }
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        return handle
    }

    /// Waits until a connection is open, or has failed.
    ///
    /// - Returns: false if the server is silent for longer than its time.
    private func finish(_ handle: OpaquePointer) -> Bool {
        let options = PQconninfo(handle)
        defer { PQconninfoFree(options) }
        let parts = ServerAddress.texts(options)
        let end = DispatchTime.now() + .milliseconds(ServerAddress.connectMilliseconds(parts))
        var events = POLLOUT
        while PQstatus(handle) != CONNECTION_BAD {
            var socket = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            if poll(&socket, 1, Int32(clamping: end.millisecondsLeft)) > 0 {
                switch PQconnectPoll(handle) {
                case PGRES_POLLING_READING: events = POLLIN
                case PGRES_POLLING_WRITING: events = POLLOUT
                default: return true
                }
            } else if end.millisecondsLeft == 0 {
                let host = parts["hostaddr"] ?? parts["host"] ?? ""
                let address = PQhostaddr(handle).map { String(cString: $0) } ?? ""
                let isOne = host.isEmpty || host.hasPrefix("/") || host == address
                guard host.contains(",") || !isOne else { return false }
                // libpq moves from a silent address to the next one only in its blocking calls.
                PQreset(handle)
                return PQstatus(handle) == CONNECTION_OK
            }
        }
        return true
    }

    /// Calls the body with the parameters in libpq's form, which are valid during the call.
    func withTexts<T>(
        _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> T
    ) -> T {
        let texts = list.map { (strdup($0.name), strdup($0.value)) }
        defer {
            for (name, value) in texts {
                free(name)
                free(value)
            }
        }
        return body(texts.map { UnsafePointer($0.0) } + [nil], texts.map { UnsafePointer($0.1) } + [nil])
    }
}

extension DispatchTime {
    /// The milliseconds since this time.
    var millisecondsSince: Int {
        let now = DispatchTime.now().uptimeNanoseconds
        return now > uptimeNanoseconds ? Int(clamping: (now - uptimeNanoseconds) / 1_000_000) : 0
    }

    /// The time until the deadline in milliseconds, rounded up; 0 after it.
    var millisecondsLeft: Int {
        let now = DispatchTime.now().uptimeNanoseconds
        guard uptimeNanoseconds > now else { return 0 }
        return Int(clamping: (uptimeNanoseconds - now - 1) / 1_000_000 + 1)
    }
}
