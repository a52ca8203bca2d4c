internal import StorageAPI

/// The parts of a query: a filter, an order and a part.
struct GeneratedQuery<M: GeneratedRecord>: Sendable {
    var filter: Filter<M>?
    var syntax = QuerySyntax.builder
    var order: [Sorting<M>] = []
    var limit: Int?
    var offset: Int?

    func apply<B: SelectionBuilder<M>>(to builder: B) -> B {
        var builder = builder.where(filter, syntax)
        for sorting in order { builder = builder.order { sorting.term($0) } }
        if let limit { builder = builder.limit(limit) }
        if let offset { builder = builder.offset(offset) }
        return builder
    }

    /// The query's meaning: rows come in key order, which decides where the sort keys do not.
    func answer<R>(_ rows: [R], _ record: (R) -> M) throws(ExpectedError) -> [R] {
        guard limit ?? 0 >= 0, offset ?? 0 >= 0 else { throw ExpectedError(.invalidQuery) }
        let matches = try filter?.chosen(of: rows, record) ?? rows
        let sorted = matches.enumerated().sorted { left, right in
            for sorting in order {
                let order = sorting.order(record(left.element), record(right.element))
                if order != .same { return order == .before }
            }
            return left.offset < right.offset
        }
        return Array(sorted.map(\.element).dropFirst(offset ?? 0).prefix(limit ?? .max))
    }

    var text: String {
        Filter.clause(filter, syntax) + order.map { ".order { \($0.text) }" }.joined()
            + (limit.map { ".limit(\($0))" } ?? "") + (offset.map { ".offset(\($0))" } ?? "")
    }

    var simpler: [GeneratedQuery] {
        var queries: [GeneratedQuery] = []
        for filter in filter.map({ [nil] + $0.simpler }) ?? [] { queries.append(with { $0.filter = filter }) }
        if syntax != .builder { queries.append(with { $0.syntax = .builder }) }
        for index in order.indices { queries.append(with { $0.order.remove(at: index) }) }
        if limit != nil { queries.append(with { $0.limit = nil }) }
        if offset != nil { queries.append(with { $0.offset = nil }) }
        return queries
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var query = self
        change(&query)
        return query
    }
}

/// A query, and what is wanted of its records.
struct SelectOperation<M: GeneratedModel>: StorageOperation {
    enum Wanted: Sendable {
        case all, first, count, exists, keys
        case aggregate(Aggregate<M>)
    }
    let query: GeneratedQuery<M>
    let wanted: Wanted

    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        let select = query.apply(to: verbs.select(M.self))
        return switch wanted {
        case .all: try select.all().lines
        case .first: try select.first().swift(.comparable)
        case .count: String(try select.count())
        case .exists: String(try select.exists())
        case .keys: try select.keys().map(M.swift(ofKey:)).joined(separator: ", ")
        case .aggregate(let aggregate): try aggregate.run(select)
        }
    }

    func apply(to world: inout World) throws(ExpectedError) -> String {
        let models = try query.answer(world[keyPath: M.table].rows) { $0 }
        return switch wanted {
        case .all: models.lines
        case .first: models.first.swift(.comparable)
        case .count: String(models.count)
        case .exists: String(!models.isEmpty)
        case .keys: models.compactMap(\.keyOrNil).map(M.swift(ofKey:)).joined(separator: ", ")
        case .aggregate(let aggregate): try aggregate.answer(models)
        }
    }

    var swift: String {
        let call =
            switch wanted {
            case .all: "all()"
            case .first: "first()"
            case .count: "count()"
            case .exists: "exists()"
            case .keys: "keys()"
            case .aggregate(let aggregate): aggregate.text
            }
        return "try store.select(\(M.typeName).self)\(query.text).\(call)"
    }

    var simpler: [any StorageOperation] { query.simpler.map { SelectOperation(query: $0, wanted: wanted) } }
}

struct FindOperation<M: GeneratedModel>: StorageOperation {
    let key: M.Key

    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        try verbs.find(M.self, key: key).swift(.comparable)
    }

    func apply(to world: inout World) -> String { world[keyPath: M.table].find(key).swift(.comparable) }

    var swift: String { "try store.find(\(M.typeName).self, key: \(M.swift(ofKey: key)))" }
}
