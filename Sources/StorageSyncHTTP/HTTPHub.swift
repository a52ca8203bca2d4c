public import Foundation
public import StorageDriver
public import StorageSync

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The way to a hub behind a server's address: each message is the body of a `POST`, and the answer that of the response.
///
/// ```swift
/// let hub = HTTPHub(address) { ["Authorization": "Bearer \(try await session.token())"] }
/// let replica = try await Replica(store, models: [Note.self, Project.self], to: hub)
/// ```
///
/// The server gives the body to `Hub.answer(_:as:)` with the user whom it knows by the headers, and answers an error with
/// ``status(of:)``. Requests go through a `URLSession` of the object's own, without cookies and caches; redirections are not
/// followed, because they would take the headers along.
///
/// - Warning: Not for Linux: FoundationNetworking of Swift 6.3 ends the process if a connection closes before the response.
public final class HTTPHub: SyncTransport {
    /// The response of a server that brings no answer of a hub. It is the `underlying` error of the `StorageError`.
    public struct Response: Error, Hashable, Sendable, CustomStringConvertible {
        /// The status.
        public let status: Int
        /// The beginning of the body as a text, at most 1,000 bytes.
        public let text: String

        public var description: String { "status \(status)\(text.isEmpty ? "" : ": \(text)")" }
    }

    /// The most bytes of an answer, which is the limit of every message.
    static let limit = 32 << 20

    private let url: URL
    private let timeout: Duration
    private let headers: @Sendable () async throws -> [String: String]
    private let requests = HTTPRequests(limit: limit)
    private let session: URLSession

    /// Names the address of a hub. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - url: the address, `http` or `https`.
    ///   - timeout: the most time from the beginning of a request to the end of its response.
    ///   - headers: headers for each request, such as a token that expires. An error that it throws ends the exchange.
    public init(
        _ url: URL, timeout: Duration = .seconds(60),
        headers: @escaping @Sendable () async throws -> [String: String] = { [:] }
    ) {
        (self.url, self.timeout, self.headers) = (url, timeout, headers)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = timeout / .seconds(1)
        session = URLSession(configuration: configuration, delegate: requests, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Sends a message, and returns the answer.
    ///
    /// - Throws: errors after which the same exchange may succeed: `io` if the server cannot be reached, the connection is cut,
    ///   or the time is over, and for other statuses from 500 on; `busy` for 408, 425, 429, 502, 503 and 504; `full` for 507;
    ///   `corrupt` for 400; `schemaNewer` for 409. Others need the program: `unsupported` for 401 and 403;
    ///   `limitExceeded` for 413, and for an answer of more than 32 MiB; `configuration` for another status, and for an address
    ///   that is not of http or https. `CancellationError` if the task is cancelled.
    public func exchange(_ message: [UInt8]) async throws -> [UInt8] {
        guard ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw StorageError(.configuration, "The hub's address is not of http or https.", operation: "sync")
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data(message)
        for (name, value) in try await headers() { request.setValue(value, forHTTPHeaderField: name) }
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        let (status, body) = try await inTime(request)
        guard status == 200 else {
            throw Self.error(Response(status: status, text: String(decoding: body.prefix(1000), as: UTF8.self)))
        }
        return [UInt8](body)
    }

    private func inTime(_ request: URLRequest) async throws -> (status: Int, body: Data) {
        let timeout = timeout
        return try await withThrowingTaskGroup(of: (status: Int, body: Data).self) { group in
            group.addTask { [requests, session] in try await requests.perform(request, in: session) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw StorageError(.io, "The hub has not answered within \(timeout).", operation: "sync")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    // MARK: Statuses

    /// The status by which a server answers an error of `Hub.answer(_:as:)`, and from which ``exchange(_:)`` makes an error
    /// of the same meaning: 503 for a busy store, 507 for a full disk, 400 for a damaged message, 413 for one too large, 409
    /// for one of a newer version, 500 for all others.
    public static func status(of error: StorageError) -> Int {
        switch error.code {
        case .busy, .locked, .moved, .closed: 503
        case .full: 507
        case .corrupt: 400
        case .limitExceeded: 413
        case .schemaNewer: 409
        default: 500
        }
    }

    private static func error(_ response: Response) -> StorageError {
        let (code, message): (StorageError.Code, String) =
            switch response.status {
            case 408, 425, 429, 502, 503, 504: (.busy, "The hub's server is busy; exchange again later.")
            case 507: (.full, "The hub's disk is full; exchange again later.")
            case 400: (.corrupt, "The hub could not read the message; exchange again.")
            case 401, 403: (.unsupported, "The hub's server refuses the user; sign in again.")
            case 409: (.schemaNewer, "The hub's program is of an earlier version than this one.")
            case 413: (.limitExceeded, "The message is larger than the hub's server takes.")
            case ..<500: (.configuration, "The hub's address does not answer as a hub; check it.")
            default: (.io, "The hub's server has failed; exchange again later.")
            }
        return StorageError(code, message, operation: "sync", underlying: response)
    }
}
