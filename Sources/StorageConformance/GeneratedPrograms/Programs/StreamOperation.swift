internal import StorageAPI

/// A query as a stream, which only a store itself offers.
protocol StreamOperation: Sendable {
    func run(on store: Store) async throws(StorageError) -> String
    func apply(to world: World) throws(ExpectedError) -> String
    var modelName: String { get }
    var swift: String { get }
}

struct Stream<M: GeneratedModel>: StreamOperation {
    let query: GeneratedQuery<M>
    /// The number of records after which the stream is abandoned.
    let length: Int

    var modelName: String { M.schema.name }

    func run(on store: Store) async throws(StorageError) -> String {
        var iterator = query.apply(to: store.select(M.self)).stream().makeAsyncIterator()
        var models: [M] = []
        while models.count < length, let model = try await iterator.next() { models.append(model) }
        return models.lines
    }

    func apply(to world: World) throws(ExpectedError) -> String {
        try query.answer(world[keyPath: M.table].rows) { $0 }.prefix(length).lines
    }

    var swift: String {
        "for try await record in store.select(\(M.typeName).self)\(query.text).stream().prefix(\(length)) { _ = record }"
    }
}
