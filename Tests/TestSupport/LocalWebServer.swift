import Foundation
import Synchronization

/// A web server on this machine that takes one request on each connection, and fails as it is told.
package final class LocalWebServer: Sendable {
    package struct Request: Sendable {
        /// The request line and the headers.
        package let head: String
        package let body: [UInt8]
    }

    package struct Response: Sendable {
        let status: Int
        let headers: [String]
        let body: [UInt8]

        package init(_ status: Int, headers: [String] = [], body: [UInt8] = []) {
            (self.status, self.headers, self.body) = (status, headers, body)
        }

        fileprivate var bytes: [UInt8] {
            let lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(body.count)", "Connection: close"] + headers
            return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        }
    }

    /// The fault of a connection.
    package enum Fault: Sendable {
        /// It is closed after so many bytes of the request, and the request is not answered.
        case cutRequest(after: Int)
        /// The request is answered, and the connection closed after so many bytes of the response.
        case cutResponse(after: Int)
        /// The request is not answered, and the connection stays open.
        case silence
    }

    private struct State {
        var fault: Fault?
        var sizes = (request: 0, response: 0)
        var silent: [Int32] = []
        var received = 0
    }

    /// The port.
    package let port: UInt16
    private let listener: Int32
    private let answer: @Sendable (Request) async -> Response
    private let state = Mutex(State())

    /// Nil where there is no port left.
    package init?(answer: @escaping @Sendable (Request) async -> Response) {
        self.answer = answer
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

    /// Takes no connection any more, and closes those that it keeps silent.
    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        for client in state.withLock({ $0.silent }) { close(client) }
    }

    /// Gives the next connection a fault.
    package func next(_ fault: Fault) { state.withLock { $0.fault = fault } }

    /// The numbers of bytes of the last whole request, with its head, and of the response to it.
    package var sizes: (request: Int, response: Int) { state.withLock { $0.sizes } }

    /// The number of whole requests.
    package var received: Int { state.withLock { $0.received } }

    private func serve(_ client: Int32) {
        let fault = state.withLock { state in
            defer { state.fault = nil }
            return state.fault
        }
        var limit = Int.max
        if case .cutRequest(let count) = fault { limit = count }
        guard let (request, count) = Self.read(client, limit: limit) else { return _ = close(client) }
        state.withLock { $0.received += 1 }
        if case .silence = fault { return state.withLock { $0.silent.append(client) } }
        let done = DispatchSemaphore(value: 0)
        Task {
            let bytes = await answer(request).bytes
            state.withLock { $0.sizes = (count, bytes.count) }
            var rest = bytes[...]
            if case .cutResponse(let count) = fault { rest = rest.prefix(count) }
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Self.flags) }
                if sent <= 0 { break }
                rest = rest.dropFirst(sent)
            }
            close(client)
            done.signal()
        }
        done.wait()
    }

    /// A request, and the number of its bytes; nil if it is cut, or is longer than the limit.
    private static func read(_ client: Int32, limit: Int) -> (Request, Int)? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let count = recv(client, &buffer, min(buffer.count, limit - bytes.count), 0)
            if count <= 0 { return nil }
            bytes += buffer[..<count]
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)) }
            if bytes.count - end.upperBound >= length ?? 0, limit == .max {
                return (Request(head: head, body: Array(bytes[end.upperBound...])), bytes.count)
            }
        }
        return nil
    }

    #if canImport(Glibc)
    private static let flags = Int32(MSG_NOSIGNAL)
    #else
    private static let flags: Int32 = 0
    #endif
}
