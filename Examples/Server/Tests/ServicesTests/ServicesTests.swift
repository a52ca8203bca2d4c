import Foundation
import InMemoryTracing
import MemoryBackend
import MetricsTestKit
import ServiceLifecycle
import ServiceLifecycleTestKit
import StorageKit
import StorageServices
import Testing
import Tracing

@Storable private struct Crate: Equatable {
    var id: Int
    var name = ""
}

@Storable private struct Parcel: Equatable {
    var id: Int
    var time: Date = .now
}

/// Tests the integration of StorageServices with server libraries.
@Suite struct ServicesTests {
    @Test func `calls are timed and counted, those that fail by their code`() async throws {
        let metrics = TestMetrics()
        let store = try await Store(
            InMemoryBackend(), models: Crate.self, options: .init(instruments: [StoreMetrics(factory: metrics)]))
        try await store.insert([Crate(id: 1, name: "abc"), Crate(id: 2)])
        await #expect(throws: StorageError.self) { try await store.insert(Crate(id: 1)) }
        #expect(try await store.select(Crate.self).all().count == 2)
        let insert = [("db.system.name", "memory"), ("db.operation.name", "insert"), ("db.collection.name", "Crate")]
        let select = [("db.system.name", "memory"), ("db.operation.name", "select"), ("db.collection.name", "Crate")]
        #expect(try metrics.expectTimer("db.client.operation.duration", insert).values.count == 1)
        let failed = insert + [("error.type", "duplicateKey")]
        #expect(try metrics.expectTimer("db.client.operation.duration", failed).values.count == 1)
        // Two were written, and a third was tried.
        #expect(try metrics.expectCounter("storage.rows.written", insert).totalValue == 3)
        #expect(try metrics.expectCounter("storage.rows.read", select).totalValue == 2)
        #expect(try metrics.expectCounter("storage.bytes.read", select).totalValue == 2 * 8 + 3)
        try await store.close()
    }

    @Test func `calls are spans below that of their task, without values of records`() async throws {
        let tracer = InMemoryTracer()
        let store = try await Store(
            InMemoryBackend(), models: Crate.self, options: .init(instruments: [StoreTracing(tracer: tracer)]))
        try await tracer.withSpan("request") { _ in
            try await store.insert(Crate(id: 1, name: "secret"))
            _ = try? await store.insert(Crate(id: 1))
            _ = try await store.select(Crate.self).where { $0.name == "secret" }.all()
        }
        let spans = tracer.finishedSpans
        let request = try #require(spans.first { $0.operationName == "request" })
        let calls = spans.filter { $0.parentSpanID == request.spanID }
        #expect(calls.map(\.operationName) == ["insert Crate", "insert Crate", "select Crate"])
        #expect(calls.map { $0.status?.code == .error } == [false, true, false])
        #expect(calls[1].attributes["error.type"]?.toSpanAttribute() == .string("duplicateKey"))
        #expect(calls[2].attributes["db.response.returned_rows"]?.toSpanAttribute() == .int64(1))
        for span in calls {
            span.attributes.forEach { name, value in #expect("\(value)".contains("secret") == false, "\(name)") }
        }
        try await store.close()
    }

    @Test func `a shutdown closes the store`() async throws {
        let store = try await Store(InMemoryBackend(), models: Crate.self)
        try await testGracefulShutdown { trigger in
            async let ended: Void = StoreService(store).run()
            _ = try await store.insert(Crate(id: 1))
            trigger.triggerGracefulShutdown()
            try await ended
        }
        let error = await #expect(throws: StorageError.self) { try await store.insert(Crate(id: 2)) }
        #expect(error?.code == .closed)
    }

    @Test func `a service with an interval removes what is not kept any longer, until the shutdown`() async throws {
        let kept = Store.Retention(Parcel.self, by: \.time, days: 1)
        let store = try await Store(InMemoryBackend(), models: Parcel.self, options: .init(retention: [kept]))
        try await store.insert([Parcel(id: 1, time: .distantPast), Parcel(id: 2)])
        var parcels = store.select(Parcel.self).values().makeAsyncIterator()
        #expect(try await parcels.next()?.map(\.id) == [1, 2])
        try await testGracefulShutdown { trigger in
            async let ended: Void = StoreService(store, removingExpiredEvery: .seconds(3600)).run()
            #expect(try await parcels.next()?.map(\.id) == [2])
            trigger.triggerGracefulShutdown()
            try await ended
        }
        let error = await #expect(throws: StorageError.self) { try await store.insert(Parcel(id: 3)) }
        #expect(error?.code == .closed)
    }

    @Test func `a service whose removal can never succeed ends with its error, and closes the store`() async throws {
        let store = try await Store(InMemoryBackend(), models: Parcel.self)
        let service = StoreService(store, removingExpiredEvery: .zero)
        let failure = await #expect(throws: StorageError.self) { try await service.run() }
        #expect(failure?.code == .configuration)
        let error = await #expect(throws: StorageError.self) { try await store.insert(Parcel(id: 1)) }
        #expect(error?.code == .closed)
    }
}
