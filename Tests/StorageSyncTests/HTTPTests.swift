import Foundation
import StorageKit
import StorageSync
import StorageSyncHTTP
import TestSupport
import Testing

@Suite struct HTTPTests {
    /// A hub behind a server, which knows users by a token, and its address.
    private func served(
        _ hub: Hub, _ answer: (@Sendable (LocalWebServer.Request) async -> LocalWebServer.Response)? = nil
    ) throws -> (LocalWebServer, URL) {
        let server = try #require(
            LocalWebServer { request in
                if let answer { return await answer(request) }
                do throws(StorageError) {
                    return .init(200, body: try await hub.answer(request.body))
                } catch {
                    return .init(HTTPHub.status(of: error))
                }
            })
        return (server, try #require(URL(string: "http://127.0.0.1:\(server.port)/sync")))
    }

    private func error(_ body: () async throws -> some Any) async throws -> StorageError {
        do { _ = try await body() } catch let error as StorageError { return error }
        throw Missing()
    }

    private struct Missing: Error {}

    /// A hub, a replica over HTTP, and its server.
    private func connected() async throws -> (Hub, Replica, LocalWebServer) {
        let hub = try await Hub(sharedStore(), models: sharedTypes)
        let (server, url) = try served(hub)
        return (hub, try await Replica(sharedStore(), models: sharedTypes, to: HTTPHub(url)), server)
    }

    @Test func `an exchange that is cut at any byte loses nothing`() async throws {
        let (hub, replica, server) = try await connected()
        defer { server.stop() }
        try await replica.sync()
        try await replica.store.save(ShoppingList(id: "a"))
        try await replica.sync()
        let sizes = server.sizes
        expect(sizes.request > 200 && sizes.response > 100)
        let cuts =
            (0..<sizes.request).map { LocalWebServer.Fault.cutRequest(after: $0) }
            + (0..<sizes.response).map { .cutResponse(after: $0) }
        for (number, cut) in TestExtent.share(cuts, oneOf: 8).enumerated() {
            try await replica.store.save(ShoppingList(id: "a", title: "\(number)"))
            server.next(cut)
            let error = try await error { try await replica.sync() }
            expect(error.code, equals: .io, "\(cut): \(error)")
            expect(try await replica.waiting().count, equals: 1, "\(cut)")
            let exchange = try await replica.sync()
            expect(exchange.sent == 1 && exchange.outcomes.count == 1 && exchange.refused == 0, "\(cut)")
            let stored = try await hub.store.find(ShoppingList.self, key: "a")
            expect(stored?.title, equals: "\(number)", "\(cut)")
        }
        for type in sharedTypes {
            let name = type.schema.name
            expect(try await replica.store.digest(of: name), equals: try await hub.store.digest(of: name))
        }
    }

    @Test func `headers are asked for each request, and statuses are errors of their codes`() async throws {
        let hub = try await Hub(sharedStore(), models: sharedTypes)
        let (server, url) = try served(hub) { request in
            let token = request.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization:") }
            let status = token.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
            return .init(status, headers: status == 302 ? ["Location: /elsewhere"] : [], body: Array("why".utf8))
        }
        defer { server.stop() }
        let asked = Counter()
        let statuses: [(Int, StorageError.Code)] = [
            (503, .busy), (504, .busy), (429, .busy), (507, .full), (400, .corrupt), (401, .unsupported),
            (403, .unsupported), (409, .schemaNewer), (413, .limitExceeded), (404, .configuration),
            (302, .configuration), (500, .io),
        ]
        let way = HTTPHub(url) { ["Authorization": "Bearer \(statuses[asked.value].0)"] }
        for (status, code) in statuses {
            let error = try await error { try await way.exchange([1]) }
            expect(error.code, equals: code, "\(status)")
            let response = try #require(error.underlying as? HTTPHub.Response)
            expect(response.status == status && (status == 302 || response.text == "why"), "\(response)")
            asked.add()
        }
        for code in StorageError.Code.allCases {
            expect((400..<600).contains(HTTPHub.status(of: StorageError(code, ""))))
        }
        expect(try await error { try await HTTPHub(URL(filePath: "/hub")).exchange([1]) }.code, equals: .configuration)
    }

    @Test func `an answer that is too long or does not come ends the exchange`() async throws {
        let hub = try await Hub(sharedStore(), models: sharedTypes)
        let (server, url) = try served(hub) { _ in .init(200, body: [UInt8](repeating: 0, count: 32 << 20 + 1)) }
        expect(try await error { try await HTTPHub(url).exchange([1]) }.code, equals: .limitExceeded)
        server.next(.silence)
        let late = try await error { try await HTTPHub(url, timeout: .milliseconds(50)).exchange([1]) }
        expect(late.code, equals: .io)
        server.stop()
        expect(try await error { try await HTTPHub(url).exchange([1]) }.code, equals: .io)
    }

    @Test func `a cancelled task ends its request`() async throws {
        let hub = try await Hub(sharedStore(), models: sharedTypes)
        let (server, url) = try served(hub)
        defer { server.stop() }
        server.next(.silence)
        let request = Task { try await HTTPHub(url).exchange([1]) }
        try await eventually { server.received == 1 }
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await HTTPHub(url).exchange([1])
        }
        await #expect(throws: CancellationError.self) { try await early.value }
    }
}
