import FaultyStorage
import Foundation
import Synchronization

/// A proxy on the loopback interface before the server's socket, which cuts connections, silences one, and counts round trips
/// and bytes.
final class CuttingProxy: Sendable {
    /// The point at which the proxy cuts the first connection that reaches it.
    enum Cut: Sendable, Hashable {
        /// Before the server gets a commit, or after it, before the client gets the answer.
        case beforeCommit, afterCommit
        /// After this number of bytes that clients send from now on, or that the server answers.
        case afterRequest(Int), afterAnswer(Int)
    }

    /// The point from which a connection is silent: no more bytes pass in that direction, and neither side is notified.
    enum Silence: Sendable, Hashable {
        /// The clients' messages from the group on that contains the text, or the answers from the answers to that group on.
        case requests(of: String), answers(to: String)
    }

    private let relay: LoopbackRelay
    private let cuts: Cuts

    /// - Parameter server: the path of the server's socket.
    init(to server: String) throws {
        let cuts = Cuts()
        guard let relay = LoopbackRelay(to: server, connection: cuts.connection) else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        self.relay = relay
        self.cuts = cuts
    }

    var port: UInt16 { relay.port }

    /// The number of connections that were cut.
    var count: Int { cuts.state.withLock { $0.cuts } }

    /// The number of connections that clients have made.
    var connections: Int { cuts.state.withLock { $0.connections } }

    /// The number of refused connections.
    var refused: Int { cuts.state.withLock { $0.refused } }

    /// The number of groups of statements that clients have sent, except the ends of reads, whose answers no call needs.
    var roundTrips: Int { cuts.state.withLock { $0.roundTrips } }

    /// The number of times that a client has prepared a statement under a name that it had used on the connection before, which
    /// PgBouncer refuses.
    var repeatedNames: Int { cuts.state.withLock { $0.repeatedNames } }

    /// The number of bytes that the server has answered.
    var answeredBytes: Int { cuts.state.withLock { $0.answered } }

    /// The number of times that a client has asked the server to end a process.
    var endings: Int { cuts.state.withLock { $0.endings } }

    /// Keeps all answers, of every connection, or gives them.
    func holdAnswers(_ holds: Bool) { cuts.state.withLock { $0.holdsAnswers = holds } }

    /// Lets all answers arrive so many milliseconds late, of every connection.
    func delayAnswers(by milliseconds: UInt32) { cuts.state.withLock { $0.delay = milliseconds } }

    /// Cuts a connection at the point, once. Nil takes back a point that was not reached.
    func cut(_ point: Cut?) { cuts.state.withLock { $0.cut = point } }

    /// Silences the first connection that reaches the point, once. Nil takes back a point that was not reached.
    func silence(_ point: Silence?) { cuts.state.withLock { $0.silence = point } }

    /// Makes the connections silent that have asked for notices: no answer and no notice passes any more.
    func silenceListener() {
        cuts.state.withLock { state in
            for listener in state.listeners { listener.silence.withLock { $0 = .answers(to: "") } }
        }
    }

    /// Sets whether new connections are closed at once.
    func refuse(_ refuses: Bool) { cuts.state.withLock { $0.refuses = refuses } }

    func stop() { relay.stop() }
}

/// The points at which connections are cut, and the counts of them.
private final class Cuts: Sendable {
    struct State {
        var cut: CuttingProxy.Cut?
        var silence: CuttingProxy.Silence?
        var cuts = 0
        var refuses = false
        var refused = 0
        var connections = 0
        var roundTrips = 0
        var repeatedNames = 0
        /// The connections that have asked for notices.
        var listeners: [Progress] = []
        var answered = 0
        var endings = 0
        var delay: UInt32 = 0
        var holdsAnswers = false
    }

    let state = Mutex(State())

    /// The state that two threads of one connection share.
    final class Progress: Sendable {
        let isCut = Mutex(false)
        /// The direction in which no more bytes pass.
        let silence = Mutex<CuttingProxy.Silence?>(nil)
        let groups = Mutex(StatementGroups())
    }

    /// Nil while connections are refused.
    @Sendable func connection() -> LoopbackRelay.Connection? {
        let isRefused = state.withLock { state in
            if state.refuses { state.refused += 1 } else { state.connections += 1 }
            return state.refuses
        }
        if isRefused { return nil }
        let progress = Progress()
        return LoopbackRelay.Connection { bytes in
            let (sent, repeated) = progress.groups.withLock { ($0.count(bytes), $0.takeRepeatedNames()) }
            let silence = self.state.withLock { state in
                state.roundTrips += sent
                state.repeatedNames += repeated
                if bytes.firstRange(of: Data("LISTEN".utf8)) != nil { state.listeners.append(progress) }
                if bytes.firstRange(of: Data("pg_terminate_backend".utf8)) != nil { state.endings += 1 }
                return state.silence(reachedBy: bytes)
            }
            if let silence { progress.silence.withLock { $0 = silence } }
            if case .requests = progress.silence.withLock({ $0 }) { return .nothing }
            guard let passed = self.passedRequest(bytes) else { return .all }
            progress.isCut.withLock { $0 = true }
            return .cut(behind: passed)
        } answer: { bytes in
            // No answer, once the connection is cut.
            if progress.isCut.withLock({ $0 }) { return .cut(behind: 0) }
            if case .answers = progress.silence.withLock({ $0 }) { return .nothing }
            usleep(self.state.withLock { $0.delay } * 1000)
            while self.state.withLock({ $0.holdsAnswers }) { usleep(1000) }
            return self.passedAnswer(bytes).map { .cut(behind: $0) } ?? .all
        }
    }

    /// Returns the number of bytes that pass before the connection is cut; nil if it is not.
    private func passedRequest(_ bytes: Data) -> Int? {
        state.withLock { state in
            // No call waits for the end of a read: it may come after the next cut is set.
            if bytes.count < 100, bytes.firstRange(of: Data("\0ROLLBACK\0".utf8)) != nil { return nil }
            // The end of a statement's text is a NUL; the beginning of a transaction names READ COMMITTED.
            let commits = bytes.firstRange(of: Data("COMMIT\0".utf8)) != nil
            switch state.cut {
            case .beforeCommit where commits: return state.end(behind: 0)
            case .afterCommit where commits: return state.end(behind: bytes.count)
            case .afterRequest(let left):
                if left <= bytes.count { return state.end(behind: left) }
                state.cut = .afterRequest(left - bytes.count)
                return nil
            default: return nil
            }
        }
    }

    private func passedAnswer(_ bytes: Data) -> Int? {
        state.withLock { state in
            state.answered += bytes.count
            guard case .afterAnswer(let left) = state.cut else { return nil }
            if left <= bytes.count { return state.end(behind: left) }
            state.cut = .afterAnswer(left - bytes.count)
            return nil
        }
    }
}

extension Cuts.State {
    /// The silence that begins with this message of a client.
    fileprivate mutating func silence(reachedBy bytes: Data) -> CuttingProxy.Silence? {
        switch silence {
        case .requests(of: let text) where bytes.firstRange(of: Data(text.utf8)) != nil,
            .answers(to: let text) where bytes.firstRange(of: Data(text.utf8)) != nil:
            cuts += 1
            defer { silence = nil }
            return silence
        default: return nil
        }
    }

    fileprivate mutating func end(behind count: Int) -> Int {
        cut = nil
        cuts += 1
        return count
    }
}

/// Counts the groups of statements in a client's bytes: each ends with a Sync message.
private struct StatementGroups {
    private var rest: [UInt8] = []
    private var hasBegun = false
    private var isEnd = false
    private var statements = 0
    private var names: Set<Data> = []
    private var repeatedNames = 0

    mutating func takeRepeatedNames() -> Int {
        defer { repeatedNames = 0 }
        return repeatedNames
    }

    mutating func count(_ bytes: Data) -> Int {
        rest += bytes
        var count = 0
        while true {
            // The first messages have no type: the request for encryption, and the message that names the user.
            let start = hasBegun ? 1 : 0
            guard rest.count >= start + 8 || hasBegun && rest.count >= start + 4 else { return count }
            let length = rest[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= start + length else { return count }
            let message = rest[..<(start + length)]
            if !hasBegun {
                hasBegun = message[4] == 0
            } else if message[0] == UInt8(ascii: "P") {
                statements += 1
                let name = Data(message.dropFirst(5).prefix { $0 != 0 })
                if !name.isEmpty, !names.insert(name).inserted { repeatedNames += 1 }
                isEnd = Data(message).firstRange(of: Data("\0ROLLBACK\0".utf8)) != nil
            } else if message[0] == UInt8(ascii: "S") {
                if !(isEnd && statements == 1) { count += 1 }
                (isEnd, statements) = (false, 0)
            }
            rest.removeFirst(start + length)
        }
    }
}
