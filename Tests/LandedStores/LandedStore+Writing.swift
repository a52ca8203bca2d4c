import Foundation
package import StorageKit

extension LandedStore {
    /// The history that the stores keep.
    private static let history = Store.HistoryOptions(records: [Shelf.self, Seat.self, Reader.self, Login.self])

    /// Writes the records that the checks expect into a new store, and closes it.
    ///
    /// - Parameter open: opens the store with its models and the options.
    package func write(_ open: (Store.Options) async throws -> Store) async throws {
        let store = try await open(.init(history: Self.history, clock: Self.before))
        try await store.insert((1...4).map(Self.shelf))
        try await store.insert((1...4).map { Seat(tenant: 1, number: $0, row: "r") })
        try await store.transaction { tx in
            (tx.author, tx.note) = ("ann", "the first readers")
            try tx.insert((1...4).map(Self.reader))
        }
        let ends = [nil, Date.distantFuture, Date(timeIntervalSinceReferenceDate: 900_000_000)]
        try await store.insert(
            ends.enumerated().map { index, until in
                Login(id: index + 1, until: until, reader: Ref(key: Self.uuid(index + 1)))
            })
        var two = Self.shelf(2)
        two.books.removeLast()
        two.tags = []
        try await store.save(two)
        try await store.delete(Shelf.self, key: 4)
        try await store.delete(Seat.self, key: (1, 4))
        for id in 1...5 { try await store.insert(Self.note(id)) }
        try await store.delete(Note.self, key: 5)
        try await store.insert((1...100).map { Self.article($0) })
        for id in 1...69 { try await store.save(Self.article(id, isSaved: true)) }
        try await store.insert(Article(id: Self.uuid(101), title: "deleted", parts: ["deleted"]))
        try await store.delete(Article.self, key: Self.uuid(101))
        try await store.transaction(as: .taken(from: "hub")) { tx in
            tx.author = "bea"
            try tx.insert(Seat(tenant: 2, number: 1, row: "taken"))
        }
        try await store.holdHistory("reader", after: store.historyToken())
        try await store.setFence(Self.fence)
        try await store.close()
    }
}
