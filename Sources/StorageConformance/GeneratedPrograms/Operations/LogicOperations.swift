internal import StorageAPI

// Questions whose answer is known without a model of the store: they compare the store with itself and with Swift.

/// A condition and its negation divide the records between them, and the chosen ones are those that Swift chooses.
struct PartitionOperation<M: GeneratedModel>: StorageOperation {
    let filter: Filter<M>
    let syntax: QuerySyntax

    var modelName: String { M.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        let all = try verbs.select(M.self).all()
        for part in [filter, .not(filter)] {
            let chosen = Answer { () throws(StorageError) in try verbs.select(M.self).where(part, syntax).all().lines }
            let wanted = Answer { () throws(ExpectedError) in try part.chosen(of: all) { $0 }.lines }
            guard chosen == wanted else { return "\(chosen)\nand in Swift\n\(wanted)\nof\n\(all.lines)" }
        }
        return "()"
    }

    func apply(to world: inout World) -> String { "()" }

    var swift: String {
        let select = "try store.select(\(M.typeName).self)"
        return
            "(\(select)\(Filter.clause(filter, syntax)).all(), \(select)\(Filter.clause(.not(filter), syntax)).all())"
    }

    var simpler: [any StorageOperation] { filter.simpler.map { PartitionOperation(filter: $0, syntax: syntax) } }
}

/// The answer of a store or of Swift: records, or the code of an error.
private enum Answer: Equatable {
    case records(String)
    case failure(StorageError.Code)

    init(_ body: () throws(StorageError) -> String) {
        do { self = .records(try body()) } catch { self = .failure(error.code) }
    }

    init(_ body: () throws(ExpectedError) -> String) {
        do { self = .records(try body()) } catch { self = .failure(error.code) }
    }
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
        // Of another record the condition may well fail, and then so does the query.
        guard (try? filter.chosen(of: all) { $0 }) != nil else { return "()" }
        let found = try verbs.select(M.self).where(filter, generator.syntax).all()
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
