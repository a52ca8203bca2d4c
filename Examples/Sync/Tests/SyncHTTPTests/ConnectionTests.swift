import Foundation
import Hummingbird
import ShoppingModels
import StorageKit
import StorageSync
import StorageSyncHTTP
import Testing

/// Tests connections that end early or say nothing.
@Suite(.serialized) struct ConnectionTests {
    @Test func `an exchange that is cut at any byte of the question or the answer loses nothing and repeats nothing`()
        async throws
    {
        try await withShoppingServer { hub, port in
            let proxy = try CuttingProxy(to: port)
            defer { proxy.stop() }
            let replica = try await replica("http://127.0.0.1:\(proxy.port)/sync")
            try await replica.sync()
            let item = Item("Milk", amount: 100)
            try await replica.store.insert(item)
            try await replica.sync()
            // The sizes of an exchange with a change of the item. Numbers only grow, so later exchanges are not shorter.
            try await replica.store.update(Item.self).set(\.amount, to: 101).run()
            proxy.count()
            try await replica.sync()
            let (question, answer) = (proxy.passed(.question), proxy.passed(.answer))
            #expect(question > 200 && answer > 200)
            let cuts = (0..<question).map { (CuttingProxy.Direction.question, $0) } + (0..<answer).map { (.answer, $0) }
            for (number, (direction, count)) in cuts.enumerated() {
                let amount = 102 + number
                try await replica.store.update(Item.self).set(\.amount, to: amount).run()
                proxy.cut(direction, after: count)
                let error = try await storageError { try await replica.sync() }
                #expect(error?.code == .io, "\(direction) after \(count): \(error?.description ?? "none")")
                #expect(try await replica.waiting().count == 1, "\(direction) after \(count)")
                let exchange = try await replica.sync()
                let isOnce = exchange.sent == 1 && exchange.outcomes.count == 1 && exchange.refused == 0
                #expect(isOnce, "\(direction) after \(count)")
                let stored = try await hub.store.find(Item.self, key: item.id)
                #expect(stored?.amount == amount, "\(direction) after \(count)")
            }
            #expect(try await replica.store.digest(of: "Item") == hub.store.digest(of: "Item"))
        }
    }

    @Test func `a thousand connections that say nothing or stop in the middle hold up no exchange`() async throws {
        // Both ends of the connections are in this process.
        try #require(LocalSocket.allowFiles(2500))
        try await withShoppingServer { hub, port in
            var silent: [Int32] = []
            defer {
                for connection in silent { close(connection) }
            }
            let lines = [
                "POST /sync HTTP/1.1", "Host: localhost", "Authorization: Bearer secret1", "Content-Length: 33554432",
                "",
                "SYNC",
            ]
            let half = Array(lines.joined(separator: "\r\n").utf8)
            for number in 0..<1000 {
                let connection = try #require(LocalSocket.connection(to: port))
                silent.append(connection)
                if number % 2 == 0 { #expect(LocalSocket.send(half.prefix(number), to: connection)) }
            }
            let ada = try await replica("http://127.0.0.1:\(port)/sync")
            try await ada.store.insert(Item("Milk"))
            let exchange = try await ada.sync()
            #expect(exchange.sent == 1 && exchange.refused == 0)
            #expect(try await hub.store.select(Item.self).count() == 1)
        }
    }

    @Test func `an address at which no program listens is an error at once, and leaves patches waiting`() async throws {
        let (reserved, port) = try LocalSocket.atFreePort(isListening: false)
        defer { close(reserved) }
        let replica = try await waitingReplica("http://127.0.0.1:\(port)/sync", timeout: .seconds(60))
        let error = try await storageError { try await replica.sync() }
        #expect(error?.code == .io && error?.message.contains("cannot be reached") == true, "\(error as Any)")
        #expect(try await replica.waiting().count == 1)
    }

    @Test func `silence ends the exchange after its time, and a cancelled task ends it at once`() async throws {
        // The system takes the connection, and no program ever reads it.
        let (listener, port) = try LocalSocket.atFreePort()
        defer { close(listener) }
        let url = "http://127.0.0.1:\(port)/sync"
        let impatient = try await waitingReplica(url, timeout: .milliseconds(50))
        let late = try await storageError { try await impatient.sync() }
        #expect(late?.code == .io && late?.message.contains("within 0.05 seconds") == true, "\(late as Any)")
        #expect(try await impatient.waiting().count == 1)

        let patient = try await waitingReplica(url)
        let exchange = Task { try await storageError { try await patient.sync() } }
        for await status in patient.statuses where status.isExchanging { break }
        exchange.cancel()
        #expect(try await exchange.value?.code == .cancelled)
    }

    @Test func `a task that is cancelled while the server works ends at once`() async throws {
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        let answer: @Sendable (Request) async throws -> Response = { _ in
            continuation.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return Response(status: .ok)
        }
        try await withAnswers(answer) { url in
            let replica = try await waitingReplica(url)
            let exchange = Task { try await storageError { try await replica.sync() } }
            for await _ in requests { break }
            exchange.cancel()
            #expect(try await exchange.value?.code == .cancelled)
            #expect(try await replica.waiting().count == 1)
        }
    }
}
