internal import StorageAPI

// Questions whose answer is known without a model of the store: they compare the store with itself and with Swift.

/// A condition and its negation divide the records between them, and the chosen ones are those that Swift chooses.
struct PartitionOperation<M: GeneratedModel>: StorageOperation {
    let filter: Filter<M>

    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        let all = try verbs.select(M.self).all()
        let chosen = try verbs.select(M.self).where(filter).all()
        let others = try verbs.select(M.self).where { !filter.term($0) }.all()
        let isRight =
            chosen.lines == all.filter(filter.holds).lines
            && others.lines == all.filter { !filter.holds($0) }.lines
        return isRight ? "()" : "\(chosen.lines)\nagainst the negation's\n\(others.lines)\nof\n\(all.lines)"
    }

    func apply(to world: inout World) -> String { "()" }

    var swift: String {
        let select = "try store.select(\(M.typeName).self)"
        return "(\(select)\(Filter.clause(filter)).all(), \(select)\(Filter.clause(.not(filter))).all())"
    }

    var simpler: [any StorageOperation] { filter.simpler.map { PartitionOperation(filter: $0) } }
}

/// A record that was picked is found by a condition that is true of it.
struct PivotOperation<M: GeneratedModel>: StorageOperation {
    let seed: UInt64

    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        var generator = SeededGenerator(seed: seed)
        let all = try verbs.select(M.self).all()
        guard let pivot = generator.one(of: all),
            let filter = Filter.random(trueOf: pivot, M.conditions, parts: 1 + generator.below(3), &generator)
        else { return "()" }
        let found = try verbs.select(M.self).where(filter).all()
        let isFound = found.contains { $0.isSame(as: pivot) }
        return isFound ? "()" : "\(pivot.swift) is not found by \(Filter.clause(filter))"
    }

    func apply(to world: inout World) -> String { "()" }

    var swift: String { "try store.select(\(M.typeName).self).all()  // and a record of it again, by seed \(seed)" }
}

/// Everything that the store holds.
struct ContentsOperation: StorageOperation {
    let modelName = "everything"

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        let roots = [
            try verbs.select(Generated.Gadget.self).all().lines, try verbs.select(Generated.Crate.self).all().lines,
            try verbs.select(Generated.Item.self).all().lines, try verbs.select(Generated.Tree.self).all().lines,
        ]
        return roots.joined(separator: "\n")
    }

    func apply(to world: inout World) -> String {
        [world.gadgets.rows.lines, world.crates.rows.lines, world.items.rows.lines, world.trees.rows.lines]
            .joined(separator: "\n")
    }

    var swift: String {
        World.models.map { "try store.select(\($0.typeName).self).all()" }.joined(separator: "\n")
    }

    var simpler: [any StorageOperation] { World.models.map { $0.selectsAll } }
}

extension GeneratedModel {
    fileprivate static var selectsAll: any StorageOperation {
        SelectOperation<Self>(query: GeneratedQuery(), wanted: .all)
    }
}
