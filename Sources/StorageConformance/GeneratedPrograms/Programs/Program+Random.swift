internal import StorageAPI

extension Program {
    /// A random program of about so many steps, which ends with a look at everything.
    static func random(seed: UInt64, steps count: Int) -> Program {
        var generator = SeededGenerator(seed: seed)
        var steps: [Step] = []
        while steps.count < count {
            switch generator.below(100) {
            case 0..<8: steps.append(.random(depth: 2, &generator))
            case 8..<12: steps.append(.stream(generator.model.randomStream(&generator)))
            case 12: steps.append(.reopen)
            case 13: steps.append(.compact)
            case 18: steps.append(.look(generator.pick(.backup, .beside, .beside, .cut(generator.next()))))
            case 14..<18: steps.append(.call(ContentsOperation()))
            default: steps.append(.call(generator.model.randomOperation(&generator)))
            }
        }
        return Program(steps: steps + [.call(ContentsOperation())])
    }
}

extension Program {
    /// Random records of every model, and so many questions about them.
    static func questions(seed: UInt64, count: Int) -> Program {
        var generator = SeededGenerator(seed: seed)
        var steps: [Step] = []
        for _ in 0..<12 + generator.below(12) { steps.append(.call(generator.model.randomRecord(&generator))) }
        for _ in 0..<count {
            let model = generator.model
            let isStream = generator.chance(5)
            steps.append(isStream ? .stream(model.randomStream(&generator)) : .call(model.randomQuestion(&generator)))
        }
        return Program(steps: steps)
    }
}

extension Step {
    /// A random transaction, with savepoints in it.
    fileprivate static func random(depth: Int, _ generator: inout SeededGenerator) -> Step {
        let steps: [Step] = (0...generator.below(5)).map { _ in
            depth > 0 && generator.chance(25)
                ? random(depth: depth - 1, &generator) : .call(generator.model.randomOperation(&generator))
        }
        return .transaction(steps, generator.pick(.commits, .commits, .fails, .stops))
    }
}

extension SeededGenerator {
    /// The model that the next call is about.
    fileprivate var model: any GeneratedModel.Type {
        mutating get {
            switch below(10) {
            case 0..<5: Generated.Gadget.self
            case 5..<8: Generated.Crate.self
            case 8: Generated.Tree.self
            default: Generated.Item.self
            }
        }
    }
}

extension GeneratedModel {
    static func randomStream(_ generator: inout SeededGenerator) -> any StreamOperation {
        Stream<Self>(query: randomQuery(&generator), length: generator.pick(.max, 2))
    }

    static func randomOperation(_ generator: inout SeededGenerator) -> any StorageOperation {
        switch generator.below(100) {
        case 0..<15: return put(.insert, &generator)
        case 15..<30: return put(.save, &generator)
        case 30..<35: return matching(&generator) ?? put(.save, &generator)
        case 35..<42: return put(.update, &generator)
        case 42..<46:
            let isByKey = generator.chance(50)
            return DeleteOperation<Self>(way: isByKey ? .keys(keys(&generator)) : .models(models(&generator)))
        case 46..<49: return DeleteWhereOperation<Self>(filter: randomFilter(&generator))
        case 49..<57: return patch(&generator)
        case 57: return TruncateOperation<Self>()
        case 58..<63: return FindOperation<Self>(key: randomKey(&generator))
        case 63..<68: return randomOwned(&generator) ?? FindOperation<Self>(key: randomKey(&generator))
        case 68..<73: return PivotOperation<Self>(seed: generator.next())
        case 73..<78:
            return randomFilter(&generator).map { PartitionOperation<Self>(filter: $0, syntax: generator.syntax) }
                ?? TruncateOperation<Self>()
        default: return SelectOperation<Self>(query: randomQuery(&generator), wanted: wanted(&generator))
        }
    }

    /// A record that is saved.
    fileprivate static func randomRecord(_ generator: inout SeededGenerator) -> any StorageOperation {
        PutOperation<Self>(verb: .save, models: [model(&generator)], isSingle: true)
    }

    /// A call that changes nothing.
    fileprivate static func randomQuestion(_ generator: inout SeededGenerator) -> any StorageOperation {
        switch generator.below(100) {
        case 0..<10: return PivotOperation<Self>(seed: generator.next())
        case 10..<25:
            guard let filter = Filter.random(conditions, depth: generator.below(7), &generator) else { break }
            return PartitionOperation<Self>(filter: filter, syntax: generator.syntax)
        case 25..<35: return randomOwned(&generator) ?? FindOperation<Self>(key: randomKey(&generator))
        default: break
        }
        return SelectOperation<Self>(query: randomQuery(&generator), wanted: wanted(&generator))
    }

    private static func put(_ verb: ModelTable<Self>.Verb, _ generator: inout SeededGenerator) -> any StorageOperation {
        let isSingle = generator.chance(50)
        return PutOperation<Self>(
            verb: verb, models: isSingle ? [model(&generator)] : models(&generator), isSingle: isSingle)
    }

    private static func matching(_ generator: inout SeededGenerator) -> (any StorageOperation)? {
        let all = fields.compactMap(\.match)
        let matches = (0...generator.below(3)).compactMap { _ in generator.one(of: all) }
        return matches.isEmpty ? nil : MatchOperation(models: models(&generator), matches: matches)
    }

    private static func patch(_ generator: inout SeededGenerator) -> any StorageOperation {
        let makers = fields.flatMap(\.settings)
        let settings = (0..<generator.below(3)).compactMap { _ in
            generator.one(of: makers).map { $0(&generator) }
        }
        return PatchOperation<Self>(filter: randomFilter(&generator), settings: settings)
    }

    /// Models with one of few keys.
    private static func model(_ generator: inout SeededGenerator) -> Self {
        var model = random(&generator)
        model.take(randomKey(&generator), &generator)
        return model
    }

    private static func models(_ generator: inout SeededGenerator) -> [Self] {
        (0..<generator.below(5)).map { _ in model(&generator) }
    }

    private static func keys(_ generator: inout SeededGenerator) -> [Key] {
        (0..<generator.below(4)).map { _ in randomKey(&generator) }
    }

    private static func randomFilter(_ generator: inout SeededGenerator) -> Filter<Self>? {
        generator.chance(10) ? nil : Filter.random(conditions, depth: generator.below(7), &generator)
    }

    private static func randomQuery(_ generator: inout SeededGenerator) -> GeneratedQuery<Self> {
        GeneratedQuery.random(&generator)
    }

    private static func wanted(_ generator: inout SeededGenerator) -> SelectOperation<Self>.Wanted {
        if generator.chance(25), let maker = generator.one(of: fields.flatMap(\.aggregates) + furtherAggregates) {
            return .aggregate(maker(&generator))
        }
        return generator.pick(.all, .all, .all, .first, .count, .exists, .keys)
    }
}

extension GeneratedQuery {
    static func random(_ generator: inout SeededGenerator) -> GeneratedQuery {
        let sortings = M.fields.flatMap(\.sortings) + M.furtherSortings
        return GeneratedQuery(
            filter: generator.chance(30) ? nil : Filter.random(M.conditions, depth: generator.below(7), &generator),
            syntax: generator.syntax,
            order: (0..<generator.below(3)).compactMap { _ in generator.one(of: sortings) },
            limit: generator.chance(70) ? nil : generator.pick(0, 1, 2, 3, 1000, -1),
            offset: generator.chance(75) ? nil : generator.pick(0, 1, 2, 1000, -1))
    }
}
