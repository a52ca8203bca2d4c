import Hummingbird
import Synchronization

/// The site, which exists when the server's port is known.
final class LateSite: HTTPResponder {
    typealias Context = BasicRequestContext

    private let site = Mutex<Site?>(nil)

    func open(_ opened: Site) { site.withLock { $0 = opened } }

    func respond(to request: Request, context: Context) async throws -> Response {
        guard let site = site.withLock({ $0 }) else { return Response(status: .serviceUnavailable) }
        return try await site.respond(to: request, context: context)
    }
}
