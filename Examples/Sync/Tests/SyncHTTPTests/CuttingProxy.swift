import Foundation
import Synchronization

/// Stands between a client and a server, counts the bytes of both directions, and cuts a connection after so many.
final class CuttingProxy: Sendable {
    enum Direction: Hashable, Sendable { case question, answer }

    private struct State {
        var counts: [Direction: Int] = [:]
        var cut: (direction: Direction, count: Int)?
    }

    /// The port at which it listens.
    let port: Int
    private let listener: Int32
    private let state = Mutex(State())

    /// Listens at a free port for connections to a port of this machine.
    init(to target: Int) throws {
        let (listener, port) = try LocalSocket.atFreePort()
        (self.listener, self.port) = (listener, port)
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { break }
                guard let server = LocalSocket.connection(to: target) else {
                    close(client)
                    continue
                }
                let pair = Pair(client: client, server: server)
                for direction in [Direction.question, .answer] {
                    Thread.detachNewThread { self.pump(direction, pair) }
                }
            }
            close(listener)
        }
    }

    func stop() { shutdown(listener, LocalSocket.both) }

    /// Cuts the connection on which the byte after so many passes in a direction, counted from now.
    func cut(_ direction: Direction, after count: Int) {
        state.withLock { $0 = State(cut: (direction, count)) }
    }

    /// Counts from now, and cuts nothing.
    func count() { state.withLock { $0 = State() } }

    /// The number of bytes that have passed in a direction.
    func passed(_ direction: Direction) -> Int { state.withLock { $0.counts[direction, default: 0] } }

    private func pump(_ direction: Direction, _ pair: Pair) {
        let (from, to) = direction == .question ? (pair.client, pair.server) : (pair.server, pair.client)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let read = recv(from, &buffer, buffer.count, 0)
            if read <= 0 { break }
            let (pass, isCut) = state.withLock { state in
                let before = state.counts[direction, default: 0]
                var pass = read
                if let cut = state.cut, cut.direction == direction { pass = min(read, max(cut.count - before, 0)) }
                state.counts[direction] = before + pass
                if pass < read { state.cut = nil }
                return (pass, pass < read)
            }
            if !LocalSocket.send(buffer[..<pass], to: to) || isCut { break }
        }
        pair.end()
    }

    /// The two connections of a client, which end together.
    private final class Pair: Sendable {
        let client: Int32
        let server: Int32
        private let ended = Mutex(0)

        init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

        func end() {
            // A number is free for another connection only when neither thread uses it.
            let isLast = ended.withLock { ended in
                ended += 1
                return ended == 2
            }
            shutdown(client, LocalSocket.both)
            shutdown(server, LocalSocket.both)
            if isLast {
                close(client)
                close(server)
            }
        }
    }
}
