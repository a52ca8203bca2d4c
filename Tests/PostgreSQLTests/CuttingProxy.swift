import Foundation
import Synchronization

/// A proxy on the loopback interface before the server's socket. It can cut a connection where a client commits: before the
/// server gets the commit, or behind it, before the client gets the answer.
final class CuttingProxy: Sendable {
    enum Cut: Sendable { case beforeCommit, afterCommit }

    let port: UInt16
    private let server: String
    private let listener: Int32
    private let cut = Mutex<Cut?>(nil)
    private let cuts = Mutex(0)

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
                Thread { self.serve(client) }.start()
            }
        }.start()
    }

    /// How many connections were cut.
    var count: Int { cuts.withLock { $0 } }

    /// Cuts the connection of the next commit.
    func cutNextCommit(_ place: Cut) { cut.withLock { $0 = place } }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ client: Int32) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: server.utf8.prefix($0.count - 1)) }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            close(client)
            return
        }
        let isCut = Mutex(false)
        let box = Box(isCut)
        let answers = Thread {
            // The answers, unless the connection is cut.
            Self.copy(from: upstream, to: client) { _ in box.value.withLock { $0 } ? .drop : .pass }
            shutdown(client, Int32(SHUT_RDWR))
        }
        answers.start()
        Self.copy(from: client, to: upstream) { bytes in
            // The end of a statement's text is a NUL; the beginning of a transaction names READ COMMITTED.
            guard bytes.firstRange(of: Data("COMMIT\0".utf8)) != nil,
                let place = self.cut.withLock({ cut in
                    defer { cut = nil }
                    return cut
                })
            else { return .pass }
            self.cuts.withLock { $0 += 1 }
            box.value.withLock { $0 = true }
            return place == .beforeCommit ? .drop : .passAndEnd
        }
        // The server has all that was sent, and answers nobody.
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(upstream, Int32(SHUT_WR))
    }

    private enum Verdict { case pass, passAndEnd, drop }

    private static func copy(from: Int32, to: Int32, _ judge: (Data) -> Verdict) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(from, &buffer, buffer.count)
            if count <= 0 { return }
            let verdict = judge(Data(buffer[..<count]))
            if verdict == .drop { return }
            var sent = 0
            while sent < count {
                let more = buffer[sent..<count].withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if more <= 0 { return }
                sent += more
            }
            if verdict == .passAndEnd { return }
        }
    }

    /// Shares what two threads of one connection look at.
    private final class Box: Sendable {
        let value: Mutex<Bool>
        init(_ value: consuming Mutex<Bool>) { self.value = value }
    }
}
