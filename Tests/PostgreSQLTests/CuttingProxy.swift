import Foundation
import Synchronization

/// A proxy on the loopback interface before the server's socket, which cuts connections and counts round trips.
final class CuttingProxy: Sendable {
    /// Where the proxy cuts the connection that gets there first.
    enum Cut: Sendable, Hashable {
        /// Before the server gets a commit, or behind it, before the client gets the answer.
        case beforeCommit, afterCommit
        /// Behind so many bytes that clients send from now on, or that the server answers.
        case afterRequest(Int), afterAnswer(Int)
    }

    let port: UInt16
    private let server: String
    private let listener: Int32
    private let state = Mutex(State())

    fileprivate struct State {
        var cut: Cut?
        var cuts = 0
        var refuses = false
        var roundTrips = 0
    }

    /// - Parameter server: the path of the server's socket.
    init(to server: String) throws {
        self.server = server
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                if state.withLock({ $0.refuses }) {
                    close(client)
                } else {
                    Thread { self.serve(client) }.start()
                }
            }
        }.start()
    }

    /// How many connections were cut.
    var count: Int { state.withLock { $0.cuts } }

    /// How many groups of statements clients have sent, but for the ends of reads, which nobody waits for.
    var roundTrips: Int { state.withLock { $0.roundTrips } }

    /// Cuts a connection at the place, once. Nil takes back what has not been reached.
    func cut(_ place: Cut?) { state.withLock { $0.cut = place } }

    /// Whether new connections are closed at once.
    func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(upstream) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: server.utf8.prefix($0.count - 1)) }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else { return }
        let isCut = Box()
        let ended = DispatchSemaphore(value: 0)
        Thread {
            // The answers, unless the connection is cut.
            Self.copy(from: upstream, to: client) { bytes in
                isCut.value.withLock { $0 } ? 0 : self.passedAnswer(bytes)
            }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(upstream, Int32(SHUT_RDWR))
            ended.signal()
        }.start()
        var groups = StatementGroups()
        Self.copy(from: client, to: upstream) { bytes in
            let sent = groups.count(bytes)
            self.state.withLock { $0.roundTrips += sent }
            let passed = self.passedRequest(bytes)
            if passed != nil { isCut.value.withLock { $0 = true } }
            return passed
        }
        // The server has all that was passed, and answers nobody.
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(upstream, Int32(SHUT_WR))
        ended.wait()
    }

    /// How many of the bytes pass before the connection is cut; nil if it is not.
    private func passedRequest(_ bytes: Data) -> Int? {
        state.withLock { state in
            // Nobody waits for the end of a read: it may come when the next cut is set already.
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
            guard case .afterAnswer(let left) = state.cut else { return nil }
            if left <= bytes.count { return state.end(behind: left) }
            state.cut = .afterAnswer(left - bytes.count)
            return nil
        }
    }

    /// - Parameter judge: returns how many bytes pass before the connection is cut; nil if it is not.
    private static func copy(from: Int32, to: Int32, _ judge: (Data) -> Int?) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(from, &buffer, buffer.count)
            if count <= 0 { return }
            let passed = judge(Data(buffer[..<count]))
            var sent = 0
            while sent < passed ?? count {
                let more = buffer[sent..<(passed ?? count)].withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if more <= 0 { return }
                sent += more
            }
            if passed != nil { return }
        }
    }

    /// Shares what two threads of one connection look at.
    private final class Box: Sendable { let value = Mutex(false) }
}

extension CuttingProxy.State {
    fileprivate mutating func end(behind count: Int) -> Int {
        cut = nil
        cuts += 1
        return count
    }
}

/// Counts the groups of statements in what a client sends: each ends with a Sync message.
private struct StatementGroups {
    private var rest: [UInt8] = []
    private var hasBegun = false
    private var isEnd = false
    private var statements = 0

    mutating func count(_ bytes: Data) -> Int {
        rest += bytes
        var count = 0
        while true {
            // The first messages have no type: what asks for encryption, and the one that names the user.
            let start = hasBegun ? 1 : 0
            guard rest.count >= start + 8 || hasBegun && rest.count >= start + 4 else { return count }
            let length = rest[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= start + length else { return count }
            let message = rest[..<(start + length)]
            if !hasBegun {
                hasBegun = message[4] == 0
            } else if message[0] == UInt8(ascii: "P") {
                statements += 1
                isEnd = Data(message).firstRange(of: Data("\0ROLLBACK\0".utf8)) != nil
            } else if message[0] == UInt8(ascii: "S") {
                if !(isEnd && statements == 1) { count += 1 }
                (isEnd, statements) = (false, 0)
            }
            rest.removeFirst(start + length)
        }
    }
}
