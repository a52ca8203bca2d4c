import MemoryBackend
import StorageKit
import Testing

/// S9: a rename onto a name that another property had.
@Suite struct OwnedRenameTests {
    enum First {
        @Storable("Root") struct Root {
            var id: Int
            var p: [A]?
            var r: [B] = []
        }
        @Storable("A") struct A { var id: Int }
        @Storable("B") struct B { var id: Int }
    }

    enum Second {
        @Storable("Root") struct Root {
            var id: Int
            @Field(renamedFrom: "r") var p: [First.B] = []
        }
    }

    enum Third {
        @Storable("Root") struct Root {
            var id: Int
            @Field(renamedFrom: "r") var p: [First.B]?
        }
    }

    // Data in memory goes with its store.
    @Test(arguments: Backend.allCases.filter { [.sqlite, .archive].contains($0) })
    func `an array that takes the name of a nil one is not nil when it becomes Optional`(_ backend: Backend)
        async throws
    {
        try await withFolder { folder in
            let first = try await backend.open(in: folder)
            try await first.save(First.Root(id: 1, p: nil, r: []))
            try await first.save(First.Root(id: 2, p: nil, r: [First.B(id: 5)]))
            try await first.close()
            let second = try await backend.open(in: folder)
            #expect(try await second.select(Second.Root.self).all().map(\.p.count) == [0, 1])
            try await second.close()
            let third = try await backend.open(in: folder)
            #expect(try await third.select(Third.Root.self).all().map { $0.p?.count } == [0, 1])
            try await third.close()
        }
    }
}
