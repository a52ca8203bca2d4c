internal import StorageAPI

/// delete by models or by keys.
struct DeleteOperation<M: GeneratedModel>: StorageOperation {
    enum Way: Sendable {
        case models([M])
        case keys([M.Key])
    }
    let way: Way

    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        switch way {
        case .models(let models): String(try verbs.delete(models))
        case .keys(let keys): String(try verbs.delete(M.self, keys: keys))
        }
    }

    func apply(to world: inout World) throws(ExpectedError) -> String {
        var wanted: [M.Key] = []
        switch way {
        case .keys(let keys): wanted = keys
        case .models(let models):
            for model in models {
                guard let key = model.keyOrNil else { throw ExpectedError(.missingKey) }
                wanted.append(key)
            }
        }
        return String(world[keyPath: M.table].delete(keys: wanted))
    }

    var swift: String {
        switch way {
        case .models(let models): "try store.delete(\(models.swift))"
        case .keys(let keys):
            "try store.delete(\(M.typeName).self, keys: [\(keys.map(M.swift(ofKey:)).joined(separator: ", "))])"
        }
    }

    var simpler: [any StorageOperation] {
        switch way {
        case .models(let models): models.simpler.map { DeleteOperation(way: .models($0)) }
        case .keys(let keys):
            keys.indices.map { DeleteOperation(way: .keys(Array(keys[..<$0] + keys[($0 + 1)...]))) }
        }
    }
}

/// delete by a condition.
struct DeleteWhereOperation<M: GeneratedModel>: StorageOperation {
    let filter: Filter<M>?

    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        String(try verbs.delete(M.self).where(filter).run())
    }

    func apply(to world: inout World) throws(ExpectedError) -> String {
        String(
            try world[keyPath: M.table].delete { (model) throws(ExpectedError) in try filter?.holds(model) ?? true })
    }

    var swift: String { "try store.delete(\(M.typeName).self)\(Filter.clause(filter)).run()" }

    var simpler: [any StorageOperation] {
        filter.map { $0.simpler.map { DeleteWhereOperation(filter: $0) } } ?? []
    }
}

struct TruncateOperation<M: GeneratedModel>: StorageOperation {
    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        try verbs.truncate(M.self)
        return "()"
    }

    func apply(to world: inout World) -> String {
        world[keyPath: M.table].truncate()
        return "()"
    }

    var swift: String { "try store.truncate(\(M.typeName).self)" }
}
