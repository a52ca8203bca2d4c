internal import StorageAPI

/// A call about records that refer to each other. Of an error only its code is compared: which of several references is
/// named is up to the engine.
protocol LinkedOperation: StorageOperation {
    func result(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String
    func change(_ world: inout LinkedWorld) throws(ExpectedError) -> String
}

extension LinkedOperation {
    var modelName: String { "" }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        do {
            return try result(on: verbs)
        } catch {
            throw StorageError(error.code, error.message, model: modelName)
        }
    }

    func apply(to world: inout World) throws(ExpectedError) -> String {
        try world.linked.call { (world) throws(ExpectedError) in try change(&world) }
    }
}

struct LinkedPut<M: LinkedModel>: LinkedOperation {
    let verb: LinkedVerb
    let models: [M]

    func result(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        switch verb {
        case .insert: try verbs.insert(models)
        case .save: try verbs.save(models)
        case .update: try verbs.update(models)
        }
        return "()"
    }

    func change(_ world: inout LinkedWorld) throws(ExpectedError) -> String {
        try world.put(models, verb)
        return "()"
    }

    var swift: String { "try store.\(verb.rawValue)([\(models.map(\.swift).joined(separator: ", "))])" }

    var simpler: [any StorageOperation] {
        models.indices.map { index in
            var models = models
            models.remove(at: index)
            return LinkedPut(verb: verb, models: models)
        }
            + models.indices.flatMap { index in
                models[index].simpler.map { simpler in
                    var models = models
                    models[index] = simpler
                    return LinkedPut(verb: verb, models: models)
                }
            }
    }
}

struct LinkedDelete<M: LinkedModel>: LinkedOperation {
    let keys: [Ref<M>]

    func result(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        String(try verbs.delete(M.self, keys: keys.map(\.key)))
    }

    func change(_ world: inout LinkedWorld) throws(ExpectedError) -> String {
        String(try world.delete(keys.map(M.id)))
    }

    var swift: String { "try store.delete(\(M.self).self, keys: [\(keys.map(M.swift).joined(separator: ", "))])" }

    var simpler: [any StorageOperation] {
        keys.indices.map { index in LinkedDelete(keys: Array(keys[..<index] + keys[(index + 1)...])) }
    }
}

struct LinkedTruncate<M: LinkedModel>: LinkedOperation {
    func result(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        try verbs.truncate(M.self)
        return "()"
    }

    func change(_ world: inout LinkedWorld) throws(ExpectedError) -> String {
        try world.truncate(M.self)
        return "()"
    }

    var swift: String { "try store.truncate(\(M.self).self)" }
}

/// delete by a condition.
struct LinkedDeleteWhere<M: LinkedModel>: LinkedOperation {
    let filter: LinkedFilter<M>

    func result(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        String(try verbs.delete(M.self).where { filter.term($0) }.run())
    }

    func change(_ world: inout LinkedWorld) throws(ExpectedError) -> String {
        let chosen = world.all(M.self).filter { filter.holds($0, world) }
        return String(try world.delete(chosen.compactMap { $0.own.map(M.id) }))
    }

    var swift: String { "try store.delete(\(M.self).self).where { \(filter.text) }.run()" }
    var simpler: [any StorageOperation] { filter.simpler.map { LinkedDeleteWhere(filter: $0) } }
}

/// A partial update, of a reference or of a number.
struct LinkedUpdate<M: LinkedModel>: LinkedOperation {
    let filter: LinkedFilter<M>
    let patch: LinkedPatch<M>
    let number: Int

    func result(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        String(try patch.assign(verbs.update(M.self).where { filter.term($0) }, number).run())
    }

    func change(_ world: inout LinkedWorld) throws(ExpectedError) -> String {
        let chosen = world.all(M.self).filter { filter.holds($0, world) }
        for var record in chosen {
            patch.change(&record, number)
            if let key = record.own { world[keyPath: M.rows][key] = record }
        }
        return String(chosen.count)
    }

    var swift: String { "try store.update(\(M.self).self).where { \(filter.text) }.set(\(patch.text(number))).run()" }
    var simpler: [any StorageOperation] {
        filter.simpler.map { LinkedUpdate(filter: $0, patch: patch, number: number) }
    }
}

/// The properties that a partial update sets.
struct LinkedPatch<M: LinkedModel>: Sendable {
    let text: @Sendable (Int) -> String
    let assign: @Sendable (Update<M, Store.Session>, Int) -> Update<M, Store.Session>
    let change: @Sendable (inout M, Int) -> Void
}

/// All records of a model that a condition chooses.
struct LinkedSelect<M: LinkedModel>: LinkedOperation {
    let filter: LinkedFilter<M>

    func result(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        try verbs.select(M.self).where { filter.term($0) }.all().lines.joined(separator: "\n")
    }

    func change(_ world: inout LinkedWorld) -> String {
        world.all(M.self).filter { filter.holds($0, world) }.lines.joined(separator: "\n")
    }

    var swift: String { "try store.select(\(M.self).self).where { \(filter.text) }.all()" }
    var simpler: [any StorageOperation] { filter.simpler.map { LinkedSelect(filter: $0) } }
}

/// Records together with others.
struct LinkedLoading<M: LinkedModel>: LinkedOperation {
    let filter: LinkedFilter<M>
    let load: LinkedLoad<M>
    let number: Int
    let limit: Int?

    func result(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        var select = verbs.select(M.self).where { filter.term($0) }.order {
            load.isReversed ? $0.size.descending : $0.size.ascending
        }
        if let limit { select = select.limit(limit) }
        return try load.load(select, number).joined(separator: "\n")
    }

    func change(_ world: inout LinkedWorld) throws(ExpectedError) -> String {
        let chosen = world.all(M.self).filter { filter.holds($0, world) }
            .stablySorted { load.isReversed ? $0.size > $1.size : $0.size < $1.size }.prefix(limit ?? .max)
        var lines: [String] = []
        for record in chosen { lines.append(try load.expected(world, record, number)) }
        return lines.joined(separator: "\n")
    }

    var swift: String {
        "try store.select(\(M.self).self).where { \(filter.text) }.order { $0.size\(load.isReversed ? ".descending" : "") }"
            + (limit.map { ".limit(\($0))" } ?? "") + load.text(number) + ".all()"
    }

    var simpler: [any StorageOperation] {
        filter.simpler.map { LinkedLoading(filter: $0, load: load, number: number, limit: limit) }
            + (limit == nil ? [] : [LinkedLoading(filter: filter, load: load, number: number, limit: nil)])
    }
}

/// A way to load records with others, and what it gives for each.
struct LinkedLoad<M: LinkedModel>: Sendable {
    var isReversed = false
    let text: @Sendable (Int) -> String
    let load: @Sendable (Select<M, Store.Session>, Int) throws(StorageError) -> [String]
    let expected: @Sendable (LinkedWorld, M, Int) throws(ExpectedError) -> String
}

/// Everything that is stored.
struct LinkedContents: LinkedOperation {
    func result(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        (try verbs.select(Knot.self).all().lines + verbs.select(Mesh.self).all().lines
            + verbs.select(Ply.self).all().lines).joined(separator: "\n")
    }

    func change(_ world: inout LinkedWorld) -> String { world.text }
    var swift: String { "try store.select(Knot.self).all(), and so on" }
}

extension Sequence {
    /// Sorted; equal elements keep their order.
    func stablySorted(by isBefore: (Element, Element) -> Bool) -> [Element] {
        enumerated().sorted { left, right in
            isBefore(left.element, right.element)
                || !isBefore(right.element, left.element) && left.offset < right.offset
        }.map(\.element)
    }
}
