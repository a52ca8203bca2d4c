package import Foundation
import Synchronization

/// The loopback interface before a server's socket on this machine. It decides what of each connection passes.
package final class LoopbackRelay: Sendable {
    /// The part of received data that is passed on.
    package enum Passage: Sendable {
        case all
        /// The number of bytes before the connection is cut.
        case cut(behind: Int)
        /// Nothing, and neither side is notified, as on a network that loses everything.
        case nothing
    }

    /// The state of one connection's data. Each direction is asked on a thread of its own.
    package struct Connection: Sendable {
        let request: @Sendable (Data) -> Passage
        let answer: @Sendable (Data) -> Passage

        package init(
            request: @escaping @Sendable (Data) -> Passage,
            answer: @escaping @Sendable (Data) -> Passage = { _ in .all }
        ) {
            self.request = request
            self.answer = answer
        }
    }

    /// The port of the server.
    package let port: UInt16
    /// The path of the server's socket.
    private let server: String
    private let listener: Int32

    /// Nil where there is no port left.
    ///
    /// - Parameter connection: asked for each new connection; nil closes it at once.
    package init?(to server: String, connection: @escaping @Sendable () -> Connection?) {
        self.server = server
        listener = Self.streamSocket(AF_INET)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isListening else { return nil }
        Thread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                guard let passing = connection() else {
                    close(client)
                    continue
                }
                Thread { Self.serve(client, server, passing: passing) }.start()
            }
            close(listener)
        }.start()
    }

    /// Takes no connection any more.
    package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(_ client: Int32, _ server: String, passing: Connection) {
        defer { close(client) }
        let upstream = streamSocket(AF_UNIX)
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
        let hasEnded = DispatchSemaphore(value: 0)
        let isSilent = Atomic(false)
        Thread {
            copy(from: upstream, to: client, isSilent, passing.answer)
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(upstream, Int32(SHUT_RDWR))
            hasEnded.signal()
        }.start()
        copy(from: client, to: upstream, isSilent, passing.request)
        // The server has all that has passed, and sends no answer. If nothing passes it does not hear of the end either.
        shutdown(client, Int32(SHUT_RDWR))
        if !isSilent.load(ordering: .sequentiallyConsistent) { shutdown(upstream, Int32(SHUT_WR)) }
        hasEnded.wait()
    }

    private static func copy(
        from: Int32, to: Int32, _ isSilent: borrowing Atomic<Bool>, _ judge: (Data) -> Passage
    ) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(from, &buffer, buffer.count)
            if count <= 0 { return }
            var (passed, isCut) = (count, false)
            switch judge(Data(buffer[..<count])) {
            case .all: break
            case .cut(let behind): (passed, isCut) = (behind, true)
            case .nothing:
                isSilent.store(true, ordering: .sequentiallyConsistent)
                passed = 0
            }
            var sent = 0
            while sent < passed {
                let more = buffer[sent..<passed].withUnsafeBytes { send(to, $0.baseAddress, $0.count, flags) }
                if more <= 0 { return }
                sent += more
            }
            if isCut { return }
        }
    }

    #if canImport(Glibc)
    private static let flags = Int32(MSG_NOSIGNAL)

    private static func streamSocket(_ family: Int32) -> Int32 { socket(family, Int32(SOCK_STREAM.rawValue), 0) }
    #else
    private static let flags: Int32 = 0

    private static func streamSocket(_ family: Int32) -> Int32 { socket(family, SOCK_STREAM, 0) }
    #endif
}
