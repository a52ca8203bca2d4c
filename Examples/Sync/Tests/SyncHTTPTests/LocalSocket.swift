import Foundation

/// Sockets on this machine.
enum LocalSocket {
    struct Failure: Error {}

    #if canImport(Glibc)
    static let both = Int32(SHUT_RDWR)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let sending = Int32(MSG_NOSIGNAL)
    #else
    static let both = SHUT_RDWR
    private static let stream = SOCK_STREAM
    private static let sending: Int32 = 0
    #endif

    /// A socket at a free port, and the port. A socket that does not listen refuses connections.
    static func atFreePort(isListening: Bool = true) throws -> (socket: Int32, port: Int) {
        let listener = socket(AF_INET, stream, 0)
        var address = address(of: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isMade = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isMade && (!isListening || listen(listener, 128) == 0) else { throw Failure() }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// A connection to a port; nil if none listens.
    static func connection(to port: Int) -> Int32? {
        let connection = socket(AF_INET, stream, 0)
        var address = address(of: port)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return connection }
        close(connection)
        return nil
    }

    /// Sends all bytes; false if the other side is closed.
    static func send(_ bytes: ArraySlice<UInt8>, to connection: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Foundation.send(connection, $0.baseAddress, $0.count, sending) }
            if sent <= 0 { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Allows so many open files, if the system lets it.
    static func allowFiles(_ count: Int) -> Bool {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return false }
        if limit.rlim_cur >= rlim_t(count) { return true }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
        return setrlimit(resource, &limit) == 0 && limit.rlim_cur >= rlim_t(count)
    }

    private static func address(of port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        return address
    }
}
