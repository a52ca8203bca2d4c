internal import StorageAPI

/// save of an array by other properties than the key.
struct MatchOperation<M: GeneratedModel>: StorageOperation {
    let models: [M]
    /// One to three properties.
    let matches: [Field<M>.Match]

    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        let paths = matches.map(\.path)
        switch paths.count {
        case 1: return try verbs.save(models, matching: paths[0]).lines
        case 2: return try verbs.save(models, matching: paths[0], paths[1]).lines
        default: return try verbs.save(models, matching: paths[0], paths[1], paths[2]).lines
        }
    }

    func apply(to world: inout World) throws(ExpectedError) -> String {
        try world[keyPath: M.table].save(models) { left, right in matches.allSatisfy { $0.isSame(left, right) } }.lines
    }

    var swift: String {
        "try store.save(\(models.swift), matching: \(matches.map { "\\.\($0.name)" }.joined(separator: ", ")))"
    }

    var simpler: [any StorageOperation] {
        let fewer = matches.count < 2 ? [] : matches.map { MatchOperation(models: models, matches: [$0]) }
        return fewer + models.simpler.map { MatchOperation(models: $0, matches: matches) }
    }
}

extension ModelTable {
    /// Stores models one after the other, each as the record that is the same as it by what it is matched by.
    ///
    /// - Returns: what is stored of each in the end.
    mutating func save(_ models: [M], isSame: (M, M) -> Bool) throws(ExpectedError) -> [M] {
        var table = self
        var keys: [M.Key] = []
        for model in models {
            let found = table.rows.filter { isSame(model, $0) }.compactMap(\.keyOrNil)
            if found.count > 1 { throw ExpectedError(.constraint, key: M.text(ofKey: found[1])) }
            if let key = found.first {
                var model = model
                model.take(key)
                _ = try table.put([model], .save)
                keys.append(key)
            } else {
                keys += try table.put([model], .insert).compactMap(\.keyOrNil)
            }
        }
        self = table
        return keys.compactMap { find($0) }
    }
}
