public import StorageDriver
public import StorageSync

/// The response over HTTP to a message: a server makes it by ``StorageSync/Hub/respond(to:as:)``, and a client reads it by
/// ``answer()``.
///
/// So both sides agree on the statuses, with any server and any client:
///
/// | status | the hub's error | the client's error |
/// |---|---|---|
/// | 200 | | |
/// | 400 | `corrupt` | `corrupt` |
/// | 401, 403 | of the server | `unsupported` |
/// | 409 | `schemaNewer` | `schemaNewer` |
/// | 413 | `limitExceeded` | `limitExceeded` |
/// | 503 | `busy`, `io` and others that may pass | `busy` |
/// | 507 | `full` | `full` |
/// | 408, 425, 429, 502, 504 | of the server | `busy` |
/// | 500 and others from 500 | all others | `io` |
/// | others below 500, such as redirections | of the server | `configuration` |
public struct HubResponse: Sendable {
    /// The most bytes of a message, 32 MiB. A server reads no more of a request's body.
    public static let messageLimit = 32 << 20
    /// The media type of messages.
    public static let mediaType = "application/octet-stream"
    /// The number of bytes that are read of a body that is no message.
    static let textLimit = 1000

    /// The status.
    public let status: Int
    /// The headers that count, by their usual names: `Content-Type`, `Retry-After` and `Location`.
    public let headers: [String: String]
    /// The body: a message, or a text that describes the error.
    public internal(set) var body: [UInt8]
    /// The error that the hub threw, for the server's log; nil for an answer, and at the client.
    public let error: StorageError?

    /// A response that a client has received.
    ///
    /// - Parameters:
    ///   - status: the status.
    ///   - body: the bytes of the body. A client that reads no more than ``messageLimit`` bytes bounds its memory.
    ///   - header: returns the value of the header with a name; nil if the response lacks it.
    public init(status: Int, body: [UInt8], header: (_ name: String) -> String?) {
        (self.status, self.body, error) = (status, body, nil)
        let names = ["Content-Type", "Retry-After", "Location"]
        headers = Dictionary(names.compactMap { name in header(name).map { (name, $0) } }) { first, _ in first }
    }

    init(answer: [UInt8]) {
        (status, headers, body, error) = (200, ["Content-Type": Self.mediaType], answer, nil)
    }

    /// The response to an error of a hub. Paths and other details of the server do not cross.
    init(_ error: StorageError) {
        status = Self.status(of: error.code)
        headers = ["Content-Type": "text/plain; charset=utf-8"]
        body = Array((status < 500 ? "\(error.code): \(error.message)" : "\(error.code)").utf8)
        self.error = error
    }

    /// The media type of the body, without its parameters.
    private var bodyType: String {
        let type = headers["Content-Type"]?.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
        return type.lowercased().filter { $0 != " " }
    }

    /// True if the body should be a message.
    var isAnswer: Bool { status == 200 && bodyType == Self.mediaType }

    /// The text of an error; empty if the body is a page or has another type.
    var text: String {
        guard ["text/plain", "application/json"].contains(bodyType) else { return "" }
        let text = String(decoding: body.prefix(Self.textLimit), as: UTF8.self)
        // It may reach a terminal.
        let plain = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(plain))
    }

    /// The time that the server asks a client to wait, at most an hour; nil if it names none in seconds.
    var retryAfter: Duration? {
        guard let seconds = headers["Retry-After"].flatMap({ Int($0) }), seconds >= 0 else { return nil }
        return .seconds(min(seconds, 3600))
    }

    private static func status(of code: StorageError.Code) -> Int {
        switch code {
        case .corrupt: 400
        case .schemaNewer: 409
        case .limitExceeded: 413
        case .busy, .io, .locked, .moved, .closed, .conflict, .outcomeUnknown, .cancelled: 503
        case .full: 507
        default: 500
        }
    }
}

extension Hub {
    /// Answers the body of a request, for the user whom the server knows.
    ///
    /// - Parameters:
    ///   - body: the bytes of the body, of which a server reads at most ``HubResponse/messageLimit``.
    ///   - user: the user who sends it, for the hub's rules. Answer requests of unknown users by 401 instead.
    /// - Returns: the answer with status 200, or another status for the error that ``/StorageSync/Hub/answer(_:as:)`` throws.
    public func respond(to body: [UInt8], as user: String? = nil) async -> HubResponse {
        do throws(StorageError) {
            return HubResponse(answer: try await answer(body, as: user))
        } catch {
            return HubResponse(error)
        }
    }
}
