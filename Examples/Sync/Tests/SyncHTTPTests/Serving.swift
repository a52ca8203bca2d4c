import Foundation
import Hummingbird
import Logging
import MemoryBackend
import ShoppingModels
import ShoppingServer
import StorageKit
import StorageSync
import StorageSyncHTTP
import Testing

/// A store of the shopping list in memory.
func shoppingStore() async throws -> Store {
    try await Store(InMemoryBackend(), models: shoppingModels, options: shoppingOptions())
}

/// A replica in memory of the hub at an address.
func replica(_ url: String, token: String = "secret1") async throws -> Replica {
    let hub = try HTTPHub(url, timeout: .seconds(600)) { ["Authorization": "Bearer \(token)"] }
    return try await Replica(shoppingStore(), models: shoppingModels, to: hub)
}

/// A replica that has synchronised before, with an item that waits, and now has another address of its hub.
func waitingReplica(_ url: String, timeout: Duration = .seconds(600)) async throws -> Replica {
    let store = try await shoppingStore()
    let hub = LocalHub(try await shoppingHub(shoppingStore()), as: "ada")
    try await Replica(store, models: shoppingModels, to: hub).sync()
    try await store.insert(Item("Milk"))
    return try await Replica(store, models: shoppingModels, to: HTTPHub(url, timeout: timeout))
}

/// Runs a server of the shopping list, which knows Ada by `secret1` and Ben by `secret2`, and gives its port to the body.
func withShoppingServer<T>(_ body: (_ hub: Hub, _ port: Int) async throws -> T) async throws -> T {
    let hub = try await shoppingHub(shoppingStore())
    guard let users = Users("ada:secret1,ben:secret2") else { throw NotServing() }
    return try await withServer(router(hub, users)) { try await body(hub, $0) }
}

/// Runs a server that answers `POST /sync` as a test says.
func withAnswers<T>(
    _ answer: @escaping @Sendable (Request) async throws -> Response, _ body: (_ url: String) async throws -> T
) async throws -> T {
    let router = Router()
    router.post("sync") { request, _ in try await answer(request) }
    return try await withServer(router) { try await body("http://127.0.0.1:\($0)/sync") }
}

private func withServer<T>(
    _ router: Router<BasicRequestContext>, _ body: (_ port: Int) async throws -> T
) async throws -> T {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let server = Application(
        router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0), backlog: 2048),
        onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
    let running = Task {
        defer { continuation.finish() }
        try await server.runService(gracefulShutdownSignals: [])
    }
    for await port in ports {
        let result: Result<T, any Error>
        do { result = .success(try await body(port)) } catch { result = .failure(error) }
        running.cancel()
        _ = await running.result
        return try result.get()
    }
    throw NotServing()
}

struct NotServing: Error {}

/// The error that a call throws; nil if it throws none.
func storageError(_ body: () async throws -> some Any) async throws -> StorageError? {
    do { _ = try await body() } catch let error as StorageError { return error }
    return nil
}

/// Expects that a call throws an error of a code.
func expectError(
    _ code: StorageError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> some Any
) async throws {
    let error = try await storageError(body)
    #expect(error?.code == code, "\(error as Any)", sourceLocation: sourceLocation)
}
