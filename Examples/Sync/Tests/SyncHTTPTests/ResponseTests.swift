import Foundation
import Hummingbird
import ShoppingModels
import ShoppingServer
import StorageKit
import StorageSync
import StorageSyncHTTP
import Synchronization
import Testing

/// Tests what becomes of each response of a server.
@Suite struct ResponseTests {
    @Test func `each status is an error that says what to do, and a patch waits`() async throws {
        let statuses: [(Int, StorageError.Code, String)] = [
            (400, .corrupt, "sends it again"), (401, .unsupported, "sign in"), (403, .unsupported, "operator"),
            (404, .configuration, "address"), (408, .busy, "later"), (409, .schemaNewer, "updated"),
            (413, .limitExceeded, "32 MiB"), (429, .busy, "later"), (500, .io, "later"), (502, .busy, "later"),
            (503, .busy, "later"), (504, .busy, "later"), (507, .full, "space"), (204, .configuration, "address"),
        ]
        let next = Mutex(0)
        let answer: @Sendable (Request) async throws -> Response = { _ in
            let status = next.withLock { $0 }
            return Response(
                status: .init(code: status), headers: [.contentType: "text/plain"],
                body: status == 204 ? .init() : .init(byteBuffer: .init(string: "why\u{1B}[2J")))
        }
        try await withAnswers(answer) { url in
            let replica = try await waitingReplica(url)
            for (status, code, advice) in statuses {
                next.withLock { $0 = status }
                let error = try #require(try await storageError { try await replica.sync() })
                #expect(error.code == code && error.message.contains(advice), "\(status): \(error)")
                let failure = try #require(error.underlying as? HTTPFailure)
                #expect(failure.status == status && failure.text == (status == 204 ? "" : "why [2J"))
                #expect(try await replica.waiting().count == 1)
            }
        }
    }

    @Test func `a redirection is told and not followed`() async throws {
        let asked = Mutex(0)
        let answer: @Sendable (Request) async throws -> Response = { request in
            asked.withLock { $0 += 1 }
            return Response(status: .temporaryRedirect, headers: [.location: "/sync?elsewhere"])
        }
        try await withAnswers(answer) { url in
            let error = try await storageError { try await replica(url).sync() }
            #expect(error?.code == .configuration && error?.message.contains("/sync?elsewhere") == true)
        }
        #expect(asked.withLock { $0 } == 1)
    }

    @Test func `a page in place of an answer is no damaged answer`() async throws {
        let page = "<html>Sign in to the network</html>"
        let answer: @Sendable (Request) async throws -> Response = { _ in
            Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
                body: .init(byteBuffer: .init(string: page)))
        }
        try await withAnswers(answer) { url in
            let error = try await storageError { try await replica(url).sync() }
            #expect(error?.code == .io && error?.message.contains("text/html") == true, "\(String(describing: error))")
        }
    }

    @Test func `bytes that are no message are a damaged answer`() async throws {
        let answer: @Sendable (Request) async throws -> Response = { _ in
            Response(
                status: .ok, headers: [.contentType: HubResponse.mediaType],
                body: .init(byteBuffer: .init(string: "SYNC")))
        }
        try await withAnswers(answer) { url in
            try await expectError(.corrupt) { try await replica(url).sync() }
        }
    }

    @Test func `an answer without an end is refused at the limit`() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let answer: @Sendable (Request) async throws -> Response = { _ in
            Response(
                status: .ok, headers: [.contentType: HubResponse.mediaType],
                body: ResponseBody { writer in
                    defer { continuation.yield() }
                    while true { try await writer.write(ByteBuffer(repeating: 0, count: 1 << 20)) }
                })
        }
        try await withAnswers(answer) { url in
            let replica = try await waitingReplica(url)
            try await expectError(.limitExceeded) { try await replica.sync() }
            #expect(try await replica.waiting().count == 1)
            // The connection is closed, so the server stops writing.
            for await _ in ends { break }
        }
    }

    @Test func `a wrong token is refused by the server, and a right one sends the patch`() async throws {
        try await withShoppingServer { hub, port in
            let token = Mutex("guess")
            let way = try HTTPHub("http://127.0.0.1:\(port)/sync") {
                ["Authorization": "Bearer \(token.withLock { $0 })"]
            }
            let replica = try await Replica(shoppingStore(), models: shoppingModels, to: way)
            try await replica.store.insert(Item("Milk"))
            try await expectError(.unsupported) { try await replica.sync() }
            // A running replica ends, so that the program asks its user.
            try await expectError(.unsupported) { try await replica.run() }
            token.withLock { $0 = "secret1\n" }
            try await expectError(.configuration) { try await replica.sync() }
            token.withLock { $0 = "secret1" }
            try await replica.sync()
            #expect(try await hub.store.select(Item.self).count() == 1)
        }
    }

    @Test func `an error of the headers is the error of the exchange`() async throws {
        struct SignedOut: Error {}
        let way = try HTTPHub("http://127.0.0.1:1/sync") { throw SignedOut() }
        let replica = try await Replica(shoppingStore(), models: shoppingModels, to: way)
        let error = try await storageError { try await replica.sync() }
        #expect(error?.underlying is SignedOut)
    }

    @Test func `an address that is none is refused when it is named`() async throws {
        for address in ["", "hub", "/sync", "ftp://example.com/sync", "https://"] {
            try await expectError(.configuration) { try HTTPHub(address) }
        }
    }

    @Test func `users have parts, and their notes stay apart`() async throws {
        try await withShoppingServer { hub, port in
            let url = "http://127.0.0.1:\(port)/sync"
            let (ada, ben) = (try await replica(url), try await replica(url, token: "secret2"))
            try await ada.store.insert(Note("Ask Ben", of: "ada"))
            try await ada.store.insert(Item("Milk"))
            try await ada.sync()
            try await ben.sync()
            #expect(try await ben.store.select(Item.self).count() == 1)
            #expect(try await ben.store.select(Note.self).count() == 0)
            try await ben.store.insert(Note("Not mine", of: "ada"))
            let exchange = try await ben.sync()
            #expect(exchange.refused == 1)
            #expect(try await hub.store.select(Note.self).count() == 1)
        }
    }

    @Test func `a running replica waits as long as the server asks`() async throws {
        let times = Mutex<[ContinuousClock.Instant]>([])
        let (seconds, continuation) = AsyncStream.makeStream(of: Void.self)
        let answer: @Sendable (Request) async throws -> Response = { _ in
            let count = times.withLock { times in
                times.append(.now)
                return times.count
            }
            if count == 2 { continuation.yield() }
            return Response(status: .tooManyRequests, headers: [.retryAfter: count == 1 ? "1" : "3600"])
        }
        try await withAnswers(answer) { url in
            let replica = try await replica(url)
            let running = Task { try await replica.run(every: .milliseconds(1)) }
            for await _ in seconds { break }
            running.cancel()
            try await running.value
            let (first, second) = times.withLock { ($0[0], $0[1]) }
            // Without the server's wish, the pause is at most a millisecond.
            #expect(second - first >= .seconds(1))
            let failure = replica.status.lastError?.underlying as? HTTPFailure
            #expect(failure == nil || failure?.retryAfter != nil)
        }
    }

    @Test func `a server and a client mean the same by a status`() async throws {
        let hub = try await shoppingHub(shoppingStore())
        let bad = await hub.respond(to: Array("SYNC".utf8), as: "ada")
        #expect(bad.status == 400 && bad.error?.code == .corrupt)
        let long = await hub.respond(to: [UInt8](repeating: 0, count: HubResponse.messageLimit + 1), as: "ada")
        #expect(long.status == 413 && long.error?.code == .limitExceeded)
        let newer = await hub.respond(to: Array("SYNC".utf8) + [2, 1] + [UInt8](repeating: 0, count: 8), as: "ada")
        #expect(newer.status == 409 && newer.error?.code == .schemaNewer)
        for response in [bad, long, newer] {
            let received = HubResponse(status: response.status, body: response.body) { response.headers[$0] }
            let error = try await storageError { try received.answer() }
            #expect(error?.code == response.error?.code)
            let message = try #require(response.error?.message)
            #expect((error?.underlying as? HTTPFailure)?.text.contains(message) == true)
        }
        try await hub.store.close()
        let closed = await hub.respond(to: Array("SYNC".utf8), as: "ada")
        #expect(closed.status == 400)
    }
}
