import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A proxy before the server's socket that passes everything half a millisecond later, in both directions.
enum DelayingProxy {
    /// Starts one, and returns its port.
    static func start(to server: String) throws -> UInt16 {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        Thread {
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                var one: Int32 = 1
                setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
                let upstream = socket(AF_UNIX, stream, 0)
                guard connect(upstream, to: server) else { continue }
                Thread { copy(from: client, to: upstream) }.start()
                Thread { copy(from: upstream, to: client) }.start()
            }
        }.start()
        return UInt16(bigEndian: address.sin_port)
    }

    private static func connect(_ upstream: Int32, to server: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: server.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    private static func copy(from: Int32, to: Int32) {
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = read(from, buffer, 1 << 16)
            if count <= 0 { break }
            usleep(500)
            var sent = 0
            while sent < count {
                let more = write(to, buffer + sent, count - sent)
                if more <= 0 { break }
                sent += more
            }
        }
        shutdown(to, Int32(SHUT_RDWR))
    }
}
