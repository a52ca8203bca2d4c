import MemoryBackend
import StorageKit
import Testing

/// Tests that the models which a transaction has prepared live and die with it.
@Suite("T1 S10 The names of models in undone transactions")
struct TransactionStateTests {
    @Storable("Shape") struct Circle: Equatable {
        var id: Int
        var radius = 0.0
    }

    @Storable("Shape") struct Square: Equatable {
        var id: Int
        var side = 0
    }

    private struct Stop: Error {}

    @Test(arguments: Backend.allCases)
    func `a name that an undone transaction has claimed is free`(_ backend: Backend) async throws {
        try await withFolder { folder in
            let store = try await backend.open(in: folder)
            await #expect(throws: Stop.self) {
                try await store.transaction { tx in
                    try tx.insert(Circle(id: 1))
                    throw Stop()
                }
            }
            try await store.transaction { tx in
                do {
                    try tx.savepoint {
                        try tx.insert(Circle(id: 1))
                        throw Stop()
                    }
                } catch is Stop {}
                try tx.insert(Square(id: 1, side: 2))
            }
            #expect(try await store.select(Square.self).all() == [Square(id: 1, side: 2)])
            let error = await #expect(throws: StorageError.self) { try await store.select(Circle.self).all() }
            #expect(error?.code == .configuration)
            try await store.close()
        }
    }
}
