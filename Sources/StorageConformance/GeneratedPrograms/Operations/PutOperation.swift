internal import StorageAPI

/// insert, save or update of an array, or of one model.
struct PutOperation<M: GeneratedModel>: StorageOperation {
    let verb: ModelTable<M>.Verb
    var models: [M]
    /// True if the call for one model is used, where there is one.
    let isSingle: Bool

    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        if isSingle, let model = models.first {
            switch verb {
            case .insert: return try verbs.insert(model).swift(.comparable)
            case .save: return try verbs.save(model).swift(.comparable)
            case .update: try verbs.update(model)
            }
        } else {
            switch verb {
            case .insert: return try verbs.insert(models).lines
            case .save: return try verbs.save(models).lines
            case .update: try verbs.update(models)
            }
        }
        return "()"
    }

    func apply(to world: inout World) throws(ExpectedError) -> String {
        let stored = try world[keyPath: M.table].put(models, verb)
        return verb == .update ? "()" : stored.lines
    }

    var swift: String {
        let models = isSingle && models.count == 1 ? models[0].swift : models.swift
        return "try store.\(verb.rawValue)(\(models))"
    }

    var simpler: [any StorageOperation] {
        let fewer = isSingle ? models.first.map { $0.simpler.map { [$0] } } ?? [] : models.simpler
        return fewer.map { PutOperation(verb: verb, models: $0, isSingle: isSingle) }
    }
}
