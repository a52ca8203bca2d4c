internal import Foundation
package import StorageConformance
import Synchronization

/// The way to a PostgreSQL server on this machine. What a client sends at a time is a call; one that fails does not arrive,
/// and its connection is lost.
package final class FaultyServer: FaultInjection {
    /// Where the server is found behind the faults: on the loopback interface.
    package let port: UInt16
    /// The path of the server's socket.
    private let server: String
    private let listener: Int32
    private let state = Mutex(State())

    private struct State {
        var fault: InjectedFault?
        var calls = 0
    }

    package let lacking: [InjectedFault.Kind: String] = [
        .fullDisk: "The disk is that of a server which runs by itself.",
        .powerCut: "What is durable is a promise of the server, whose power the harness does not cut.",
    ]

    /// Nil where there is no port left.
    package init?(to server: String) {
        self.server = server
        #if canImport(Glibc)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
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
        Thread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { break }
                Thread { self.serve(client) }.start()
            }
            close(listener)
        }.start()
    }

    /// Takes no connection any more.
    package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    package func begin(_ fault: InjectedFault?) { state.withLock { $0 = State(fault: fault) } }

    package var calls: Int { state.withLock { $0.calls } }

    package func cutPower(keeping kept: UnsyncedBytes) {}

    /// Counts a call. False if it fails.
    private func passes() -> Bool {
        state.withLock { state in
            state.calls += 1
            guard let fault = state.fault else { return true }
            return fault.isLasting ? state.calls < fault.call : state.calls != fault.call
        }
    }

    // MARK: Connections

    private func serve(_ client: Int32) {
        defer { close(client) }
        guard let upstream = connected() else { return }
        defer { close(upstream) }
        let hasEnded = DispatchSemaphore(value: 0)
        Thread {
            Self.copy(from: upstream, to: client) { true }
            shutdown(client, Int32(SHUT_RDWR))
            hasEnded.signal()
        }.start()
        Self.copy(from: client, to: upstream, while: passes)
        shutdown(client, Int32(SHUT_RDWR))
        // The server still reads what has arrived.
        shutdown(upstream, Int32(SHUT_WR))
        hasEnded.wait()
    }

    private func connected() -> Int32? {
        #if canImport(Glibc)
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let upstream = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: server.utf8.prefix($0.count - 1)) }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if isConnected { return upstream }
        close(upstream)
        return nil
    }

    private static func copy(from: Int32, to: Int32, while passes: () -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(from, &buffer, buffer.count)
            guard count > 0, passes() else { return }
            var sent = 0
            while sent < count {
                #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
                #else
                let flags: Int32 = 0
                #endif
                let more = buffer[sent..<count].withUnsafeBytes { send(to, $0.baseAddress, $0.count, flags) }
                if more <= 0 { return }
                sent += more
            }
        }
    }
}
