import Hummingbird
import Synchronization

/// Lets in the person who started the program, and refuses everyone else who can reach its port.
///
/// The address that is printed has a ticket that is good for one visit. It is exchanged for a cookie that other sites' pages
/// cannot make the browser send (`SameSite=Strict`) and that scripts cannot read. A request must also name this server in its
/// `Host`, so that a name that an attacker points to 127.0.0.1 is refused, and its `Origin`, if it has one, must be this site.
struct Guard: Sendable {
    enum Verdict: Equatable {
        case allowed
        /// The ticket was good: the answer sets the cookie.
        case admitted
        case refused(Refusal)
    }

    enum Refusal: String {
        case host = "The request names another host than this one."
        case origin = "The request comes from a page of another site."
        case stranger = "Open the address that storage browse has printed."
        case usedTicket =
            "This address was used already, or is of another run. Run storage browse again for a new one."

        /// True if the files that every page loads are refused too.
        var isComplete: Bool { self == .host || self == .origin }
    }

    let port: Int
    private let secret = Self.random()
    private let ticket: Ticket

    init(port: Int) {
        self.port = port
        ticket = Ticket(Self.random())
    }

    /// The path of the address that is printed.
    var entrance: String { "/?token=\(ticket.text)" }

    var cookie: String { "\(cookieName)=\(secret); Path=/; HttpOnly; SameSite=Strict" }

    func verdict(on request: Request, _ parameters: Parameters) -> Verdict {
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        guard let host = request.head.authority, hosts.contains(host.lowercased()) else {
            return .refused(.host)
        }
        if let origin = request.headers[.origin], origin.lowercased() != "http://" + host.lowercased() {
            return .refused(.origin)
        }
        if let cookie = request.cookies[cookieName]?.value, Self.isEqual(cookie, secret) { return .allowed }
        guard let given = parameters["token"] else { return .refused(.stranger) }
        return ticket.take(given) ? .admitted : .refused(.usedTicket)
    }

    /// Cookies do not tell ports apart, so each has a separate name.
    private var cookieName: String { "storage-browse-\(port)" }

    /// A text of 128 random bits.
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares in a time that does not tell where texts differ.
    fileprivate static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private final class Ticket: Sendable {
        let text: String
        private let isUsed = Mutex(false)

        init(_ text: String) { self.text = text }

        func take(_ given: String) -> Bool {
            guard Guard.isEqual(given, text) else { return false }
            return isUsed.withLock { isUsed in
                defer { isUsed = true }
                return !isUsed
            }
        }
    }
}
