import Foundation

/// HTTP on a socket: one request for each connection, with exactly the headers that are given.
enum PlainHTTP {
    struct Answer: Sendable {
        var status = 0
        /// The headers by lower-case name.
        var headers: [String: String] = [:]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    static func send(
        _ method: String, _ path: String, port: Int, headers: [(String, String)] = [], body: Data? = nil
    ) async throws -> Answer {
        var text = "\(method) \(path) HTTP/1.1\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.count)\r\n" }
        let request = [UInt8](text.utf8) + [UInt8]("Connection: close\r\n\r\n".utf8) + [UInt8](body ?? Data())
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try exchange(request, port) }) }
        }
    }

    private static func exchange(_ request: [UInt8], _ port: Int) throws -> Answer {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw WebDriver.Failure(description: "no socket") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw WebDriver.Failure(description: "no server listens on \(port)") }
        var sent = 0
        while sent < request.count {
            let count = request[sent...].withUnsafeBytes {
                Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw WebDriver.Failure(description: "the connection was closed") }
            sent += count
        }
        var received: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while !isWhole(received) {
            let count = recv(socket, &part, part.count, 0)
            guard count > 0 else { break }
            received += part[..<count]
        }
        return answer(received)
    }

    /// Returns whether all bytes are there that the headers announce.
    private static func isWhole(_ received: [UInt8]) -> Bool {
        guard let end = endOfHeaders(received) else { return false }
        guard let length = answer(received).headers["content-length"].flatMap({ Int($0) }) else { return false }
        return received.count - end >= length
    }

    private static func endOfHeaders(_ received: [UInt8]) -> Int? {
        Data(received).range(of: Data("\r\n\r\n".utf8))?.upperBound
    }

    private static func answer(_ received: [UInt8]) -> Answer {
        guard let end = endOfHeaders(received) else { return Answer() }
        let lines = String(decoding: received[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        var answer = Answer()
        answer.status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        for line in lines.dropFirst() {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            answer.headers[halves[0].lowercased()] = halves[1].trimmingCharacters(in: .whitespaces)
        }
        answer.body = Array(received[end...])
        return answer
    }
}
