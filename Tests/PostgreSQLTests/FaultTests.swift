import Foundation
import PostgreSQLBackend
import StorageKit
import Testing

@Suite("PostgreSQL's faults", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct FaultTests {
    @Test(arguments: [CuttingProxy.Cut.beforeCommit, .afterCommit])
    func `a commit whose connection is lost is reported as the server decided it`(_ cut: CuttingProxy.Cut) async throws
    {
        try await Server.withSchema { schema in
            let socket = try Server.socket()
            let proxy = try CuttingProxy(to: socket)
            defer { proxy.stop() }
            let url = "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            try await store.save(Pen(id: 0))
            for id in 1...10 {
                proxy.cutNextCommit(cut)
                switch cut {
                case .beforeCommit:
                    let error = await #expect(throws: StorageError.self) { try await store.save(Pen(id: id)) }
                    #expect(error?.code == .io)
                case .afterCommit: try await store.save(Pen(id: id))
                }
            }
            #expect(proxy.count == 10)
            #expect(try await store.select(Pen.self).count() == (cut == .beforeCommit ? 1 : 11))
            try await store.save(Pen(id: 99))
            try await store.close()
        }
    }

    @Test func `a transaction whose connection is ended fails, stores nothing, and the next one works`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema, "&application_name=\(schema)"), models: Pen.self)
            try await store.save(Pen(id: 1))
            let error = await #expect(throws: StorageError.self) {
                try await store.transaction { tx in
                    try tx.save(Pen(id: 2))
                    try Server.psql(
                        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '\(schema)'"
                    )
                    try? tx.save(Pen(id: 3))
                }
            }
            #expect(error?.code == .io)
            #expect(try await store.select(Pen.self).keys() == [1])
            try await store.save(Pen(id: 4))
            #expect(try await store.select(Pen.self).keys() == [1, 4])
            try await store.close()
        }
    }

    @Test func `a writer waits for another store's, and is busy after the timeout`() async throws {
        try await Server.withSchema { schema in
            let first = try await Store(Server.backend(schema), models: Pen.self)
            let second = try await Store(Server.backend(schema, "&timeout=50"), models: Pen.self)
            try await first.transaction { tx in
                try tx.save(Pen(id: 1))
                #expect(throws: StorageError.self) { try second.blocking.save(Pen(id: 2)) }
            }
            try await second.save(Pen(id: 3))
            #expect(try await first.select(Pen.self).keys() == [1, 3])
            try await first.close()
            try await second.close()
        }
    }
}
