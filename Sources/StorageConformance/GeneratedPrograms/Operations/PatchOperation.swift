internal import StorageAPI

/// A partial update by a condition.
struct PatchOperation<M: GeneratedModel>: StorageOperation {
    let filter: Filter<M>?
    let settings: [Setting<M>]

    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        String(try settings.reduce(verbs.update(M.self).where(filter)) { $1.assign($0) }.run())
    }

    func apply(to world: inout World) throws(ExpectedError) -> String {
        String(
            try world[keyPath: M.table].patch(settings) { (model) throws(ExpectedError) in
                try filter?.holds(model) ?? true
            })
    }

    var swift: String {
        "try store.update(\(M.typeName).self)\(Filter.clause(filter))\(settings.map(\.text).joined()).run()"
    }

    var simpler: [any StorageOperation] {
        let filters: [Filter<M>?] = filter.map { [nil] + $0.simpler } ?? []
        return filters.map { PatchOperation(filter: $0, settings: settings) }
            + (settings.count < 2 ? [] : settings.map { PatchOperation(filter: filter, settings: [$0]) })
    }
}
