import HTTPTypes
import Hummingbird
import ShoppingModels
import StorageKit
import StorageSync
import StorageSyncHTTP

/// Makes a store the hub of the shopping list. Each user sees only their own notes.
public func shoppingHub(_ store: Store) async throws -> Hub {
    // HUB-BEGIN
    var rules = HubRules()
    rules.parts["Note"] = "owner"
    return try await Hub(store, models: [Item.self, Note.self], rules: rules)
    // HUB-END
}

/// The one route of the server: `POST /sync` with a bearer token.
public func router(_ hub: Hub, _ users: Users) -> Router<BasicRequestContext> {
    let router = Router()
    // ROUTE-BEGIN
    router.post("sync") { request, context -> Response in
        guard let user = users.user(request.headers[.authorization]) else {
            throw HTTPError(.unauthorized)
        }
        let body = try await request.body.collect(
            upTo: HubResponse.messageLimit)
        let bytes = Array(body.readableBytesView)
        let response = await hub.respond(to: bytes, as: user)
        if let error = response.error { context.logger.error("\(error)") }
        return Response(response)
    }
    // ROUTE-END
    return router
}

extension Response {
    /// The response of a hub as one of Hummingbird.
    public init(_ response: HubResponse) {
        // RESPONSE-BEGIN
        var headers = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        self.init(
            status: .init(code: response.status), headers: headers,
            body: .init(byteBuffer: .init(bytes: response.body)))
        // RESPONSE-END
    }
}
