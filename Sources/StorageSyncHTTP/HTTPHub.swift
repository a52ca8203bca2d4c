#if HTTP
import AsyncHTTPClient
public import StorageDriver
public import StorageSync

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The way to a hub at a server's address: a message is the body of a `POST`, and the answer the body of the response.
///
/// The server answers by ``StorageSync/Hub/respond(to:as:)``. Requests go through a client of the object, which keeps a
/// connection for the next exchange and closes it when the object is released. It follows no redirection, because it would
/// take the headers to another place, and accepts no compressed body.
public final class HTTPHub: SyncTransport {
    private let url: String
    private let timeout: Duration
    private let headers: @Sendable () async throws -> [String: String]
    private let client: HTTPClient

    /// Names the address of a hub, without a connection to it yet.
    ///
    /// - Parameters:
    ///   - url: the address, with `https`, or with `http` for a server on the same machine.
    ///   - timeout: the longest time to wait for a connection, and then without any progress. An exchange on a slow
    ///     connection may take longer.
    ///   - headers: makes the headers of each request, such as `Authorization` with a token that it renews before it
    ///     expires. Its error ends the exchange.
    /// - Throws: `configuration` for an address that is not of `http` or `https`.
    public init(
        _ url: String, timeout: Duration = .seconds(60),
        headers: @escaping @Sendable () async throws -> [String: String] = { [:] }
    ) throws(StorageError) {
        guard let address = URL(string: url), ["http", "https"].contains(address.scheme?.lowercased()),
            address.host?.isEmpty == false
        else {
            throw StorageError(
                .configuration, "\(url) is no address of a hub, such as https://example.com/sync.", operation: "sync")
        }
        (self.url, self.timeout, self.headers) = (url, timeout, headers)
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        let (seconds, attoseconds) = timeout.components
        let nanoseconds = min(max(seconds, 0), 1 << 32) * 1_000_000_000 + max(attoseconds, 0) / 1_000_000_000
        configuration.timeout.connect = .nanoseconds(nanoseconds)
        configuration.timeout.read = .nanoseconds(nanoseconds)
        configuration.timeout.write = .nanoseconds(nanoseconds)
        // A replica makes the next attempt, and says meanwhile why the last one failed.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(configuration: configuration)
    }

    deinit { client.shutdown { _ in } }

    /// Sends a message, and returns the answer.
    ///
    /// - Throws: `io` if the server cannot be reached, the connection is cut, or the time passes without progress; the
    ///   errors of ``HubResponse/answer()`` by the response's status; `limitExceeded` as soon as an answer is longer than
    ///   32 MiB; `configuration` for a header that HTTP does not allow; `CancellationError` if the task is cancelled;
    ///   errors of the closure that makes the headers.
    public func exchange(_ message: [UInt8]) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        for (name, value) in try await headers() {
            try Self.check(value, of: name)
            request.headers.replaceOrAdd(name: name, value: value)
        }
        request.headers.replaceOrAdd(name: "Content-Type", value: HubResponse.mediaType)
        request.body = .bytes(message)
        do {
            return try await response(to: request).answer()
        } catch let error as StorageError {
            throw error
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw problem(error)
        }
    }

    private func response(to request: HTTPClientRequest) async throws -> HubResponse {
        // The times of the configuration end a request.
        let found = try await client.execute(request, deadline: .distantFuture)
        var response = HubResponse(status: Int(found.status.code), body: []) { found.headers.first(name: $0) }
        for try await part in found.body {
            response.body += part.readableBytesView
            if response.isAnswer {
                if response.body.count > HubResponse.messageLimit { throw HubResponse.tooLong }
            } else if response.body.count > HubResponse.textLimit {
                break
            }
        }
        return response
    }

    private static func check(_ value: String, of name: String) throws(StorageError) {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw StorageError(
                .configuration, "The value of the header \(name) has a control character, such as a line break.",
                operation: "sync")
        }
    }

    private func problem(_ error: any Error) -> StorageError {
        let late: [HTTPClientError] = [.readTimeout, .writeTimeout, .connectTimeout, .tlsHandshakeTimeout]
        let isLate = (error as? HTTPClientError).map(late.contains) ?? false
        return StorageError(
            .io,
            isLate
                ? "The hub has not answered within \(timeout); the next exchange sends the waiting patches."
                : "The hub cannot be reached, or the connection was cut; the next exchange sends the waiting patches.",
            operation: "sync", underlying: error)
    }
}
#endif
