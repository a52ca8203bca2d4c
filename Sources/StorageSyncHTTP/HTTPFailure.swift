public import StorageDriver
public import StorageSync

/// A server's response that is no answer of a hub. It is the `underlying` error of a `StorageError`.
public struct HTTPFailure: SyncRetryAdvice, Hashable, CustomStringConvertible {
    /// The status.
    public let status: Int
    /// The beginning of the body if it is a plain text or JSON, at most 1,000 bytes, without control characters.
    public let text: String
    /// The time that the header `Retry-After` names in seconds, at most an hour; nil without it.
    public let retryAfter: Duration?

    public var description: String { text.isEmpty ? "status \(status)" : "status \(status), \(text)" }
}

extension HubResponse {
    /// The hub's answer, for the transport to return.
    ///
    /// The other errors than `corrupt` and `limitExceeded` of a body have an ``HTTPFailure`` as their underlying error.
    ///
    /// - Throws: errors after which the same exchange may succeed: `busy`, `full`, `corrupt`, `schemaNewer`, and `io`, also
    ///   for a body that is a page; others, which need the program or its user: `unsupported`, `limitExceeded`,
    ///   `configuration`.
    public func answer() throws(StorageError) -> [UInt8] {
        guard isAnswer else {
            let (code, message) = status == 200 ? page : problem
            throw StorageError(
                code, message, operation: "sync",
                underlying: HTTPFailure(status: status, text: text, retryAfter: retryAfter))
        }
        guard body.count <= Self.messageLimit else { throw Self.tooLong }
        return body
    }

    static var tooLong: StorageError {
        StorageError(
            .limitExceeded, "The answer is longer than the limit of \(messageLimit) bytes; check the hub's address.",
            operation: "sync")
    }

    /// A network that asks people to sign in answers so too, and that passes.
    private var page: (StorageError.Code, String) {
        let type = headers["Content-Type"].map { "of the type \($0)" } ?? "without a type"
        return (
            .io,
            "The answer is \(type) and no hub's; sign in to the network if it asks for that, or check the hub's address."
        )
    }

    private var problem: (StorageError.Code, String) {
        switch status {
        case 400: (.corrupt, "The hub could not read the message; the next exchange sends it again.")
        case 401: (.unsupported, "The hub's server does not know the user; sign in again, and give it the new token.")
        case 403: (.unsupported, "The hub's server refuses this user; ask its operator, or sign in as another one.")
        case 409: (.schemaNewer, "The hub's program is older than this one; patches wait until it is updated.")
        case 413:
            (.limitExceeded, "The server takes no message of this length; let it and its proxies take 32 MiB.")
        case 408, 425, 429, 502, 503, 504: (.busy, "The hub's server cannot answer now\(later); exchange again later.")
        case 507: (.full, "The hub's disk is full; patches wait until it has space.")
        case 300..<400:
            (
                .configuration,
                "The hub's address leads to \(headers["Location"] ?? "another one"), which is not followed; check the address."
            )
        case 500...: (.io, "The hub's server has failed; exchange again later.")
        default: (.configuration, "The address does not answer as a hub; check it.")
        }
    }

    private var later: String {
        retryAfter.map { ", and asks to wait \($0.components.seconds) seconds" } ?? ""
    }
}
