import HTTPTypes
import Hummingbird
import ServiceLifecycle
import StorageAPI
import StorageDriver

/// Answers requests with pages of a store.
struct Site: HTTPResponder {
    typealias Context = BasicRequestContext

    let door: Guard
    let store: ShownStore
    let feed: Feed
    let counts: Counts

    init(_ store: ShownStore, port: Int) {
        door = Guard(port: port)
        self.store = store
        feed = Feed(store)
        counts = Counts(feed)
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let parameters = Parameters(request.uri.query ?? "")
        // A request that cannot be answered must not use up the ticket.
        guard request.method == .get else {
            let notice = Notice("Read-only", "These pages answer GET alone, and cannot change the store.", details: nil)
            var response = answer(notice.page(store: "storage browse"), .methodNotAllowed)
            response.headers[.allow] = "GET"
            return response
        }
        switch door.verdict(on: request, parameters) {
        case .refused(let refusal):
            if !refusal.isComplete, let asset = Asset(request.uri.path) { return asset.response }
            return answer(
                Notice("Access denied", refusal.rawValue, details: nil).page(store: "storage browse"), .forbidden)
        case .admitted:
            var response = answer(Notice.entrance(store: store.name))
            response.headers[.setCookie] = door.cookie
            return response
        case .allowed: break
        }
        if let asset = Asset(request.uri.path) { return asset.response }
        do {
            return try await page(request, parameters)
        } catch let error as StorageError {
            return try await failure(error, parameters)
        }
    }

    private func page(_ request: Request, _ parameters: Parameters) async throws -> Response {
        switch request.uri.path {
        case "/": return try await tagged(overview(), request)
        case "/records": return try await tagged(records(parameters), request)
        case "/record":
            let (page, exists) = try await record(parameters)
            return exists ? tagged(page, request) : answer(page, .notFound)
        case "/groups": return try await tagged(groups(parameters), request)
        case "/schema": return try await tagged(schema(parameters), request)
        case "/history": return try await tagged(history(parameters), request)
        case "/export": return try await export(parameters)
        case "/blob": return try await value(parameters)
        case "/count": return try await count(parameters)
        case "/complete": return try await completion(parameters)
        case "/events": return events()
        default:
            let notice = Notice("Page not found", "The start page lists the models.", details: nil)
            return answer(notice.page(store: store.name), .notFound)
        }
    }

    // MARK: Answers

    func answer(_ html: HTML, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: Self.headers(type: "text/html; charset=utf-8"),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: html.bytes)))
    }

    /// An answer that is not sent again where the reader has it.
    private func tagged(_ html: HTML, _ request: Request) -> Response {
        let tag = "\"\(html.bytes.fingerprint)\""
        var response =
            request.headers[.ifNoneMatch] == tag
            ? Response(status: .notModified, headers: Self.headers(type: nil)) : answer(html)
        response.headers[.eTag] = tag
        return response
    }

    /// The headers of every response: nothing may be loaded from elsewhere, run inline, framed, cached or leaked to
    /// other sites.
    static func headers(type: String?) -> HTTPFields {
        var headers = HTTPFields()
        headers[.contentType] = type
        headers[.cacheControl] = "no-store"
        headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
            + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        headers[.xContentTypeOptions] = "nosniff"
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return headers
    }

    private func events() -> Response {
        let feed = feed
        return Response(
            status: .ok, headers: Self.headers(type: "text/event-stream"),
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
                // A page that stays open must not hold up the end of the program.
                for await event in await feed.listen().withPulses(every: .seconds(15)).cancelOnGracefulShutdown() {
                    try await writer.write(ByteBuffer(string: event == .pulse ? ":\n\n" : "data: changed\n\n"))
                }
                try await writer.finish(nil)
            })
    }
}

// MARK: - Pages

extension Site {
    /// The state that all pages of an open store share.
    struct Reading {
        let store: Store
        let schemas: [RecordSchema]
        let counts: [String: Int]

        func schema(_ name: String?) throws -> RecordSchema {
            guard let schema = schemas.first(where: { $0.name == name }) else {
                throw StorageError(.notFound, "The store has no model \(name ?? "without a name").")
            }
            return schema
        }
    }

    func reading() async throws -> Reading {
        let store = try await store.current()
        let schemas = try await store.recordSchemas()
        return Reading(store: store, schemas: schemas, counts: await counts.current(store, schemas))
    }

    func layout(_ reading: Reading?, _ title: String, model: String? = nil, trail: [(String, Address?)] = []) -> Layout
    {
        Layout(
            store: store.name, title: title,
            models: reading?.schemas.map { ModelCount(name: $0.name, count: reading?.counts[$0.name]) } ?? [],
            model: model, trail: trail)
    }

    private func failure(_ error: StorageError, _ parameters: Parameters) async throws -> Response {
        let reading = try? await reading()
        let notice = Notice(error)
        let status: HTTPResponse.Status =
            switch error.code {
            case .notFound: .notFound
            case .invalidQuery, .invalidValue, .limitExceeded: .badRequest
            case .busy, .locked, .closed: .serviceUnavailable
            default: .internalServerError
            }
        return answer(layout(reading, notice.title).page { notice.write(&$0) }, status)
    }
}

extension [UInt8] {
    /// A number that tells pages apart (FNV-1a).
    fileprivate var fingerprint: String {
        String(reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 36)
    }
}
