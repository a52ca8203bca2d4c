import Foundation
import Hummingbird
import ServiceLifecycle
import StorageKit

func router(_ store: Store, _ totals: Totals) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: StorageErrors())

    // PAGE-BEGIN
    router.get("notes") { request, _ -> NotePage in
        let query = request.uri.queryParameters
        let size = min(query.get("limit", as: Int.self) ?? 100, 1000)
        let list = notes(store, tag: query.get("tag"))
        guard let text = query.get("after") else {
            return NotePage(try await list.page(size: size))
        }
        guard let token = Store.PageToken(text) else {
            throw HTTPError(.badRequest, message: "No page begins there.")
        }
        return NotePage(try await list.page(after: token, size: size))
    }
    // PAGE-END
    // ROUTES-BEGIN
    router.get("notes/:id") { _, context -> Note in
        let id = try context.parameters.require("id", as: Int.self)
        guard let note = try await store.find(Note.self, key: id) else {
            throw HTTPError(.notFound)
        }
        return note
    }
    // The answer is sent when the note is durable.
    router.put("notes/:id") { request, context -> Note in
        let id = try context.parameters.require("id", as: Int.self)
        let content = try await request.decode(
            as: NoteContent.self, context: context)
        return try await store.save(
            Note(
                id: id, title: content.title, text: content.text ?? "",
                tags: content.tags ?? []))
    }
    // ROUTES-END
    router.delete("notes/:id") { _, context -> HTTPResponse.Status in
        let id = try context.parameters.require("id", as: Int.self)
        return try await store.delete(Note.self, key: id) > 0 ? .noContent : .notFound
    }
    router.get("changes") { request, _ in
        let query = notes(store, tag: request.uri.queryParameters.get("tag"))
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
            body: ResponseBody { writer in
                // A client that stays connected must not hold up the shutdown.
                for try await notes in query.values().cancelOnGracefulShutdown() {
                    let json = try JSONEncoder().encode(notes)
                    try await writer.write(ByteBuffer(string: "data: \(String(decoding: json, as: UTF8.self))\n\n"))
                }
                try await writer.finish(nil)
            })
    }
    router.get("metrics") { _, _ in totals.text }
    return router
}

private func notes(_ store: Store, tag: String?) -> Select<Note, Store> {
    let all = store.select(Note.self)
    guard let tag else { return all }
    return all.where { $0.tags.contains(tag) }
}

/// Answers a store's errors by the status that they mean to a client.
struct StorageErrors<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as StorageError {
            let status: HTTPResponse.Status =
                switch error.code {
                case .invalidValue, .limitExceeded, .invalidQuery: .badRequest
                case .busy, .closed: .serviceUnavailable
                case .full: .init(code: 507, reasonPhrase: "Insufficient Storage")
                default: .internalServerError
                }
            context.logger.error("\(error)")
            throw HTTPError(status, message: error.message)
        }
    }
}
