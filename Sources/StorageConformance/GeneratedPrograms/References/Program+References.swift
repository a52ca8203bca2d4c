internal import StorageAPI

extension Program {
    /// A random program about records that refer to each other in cycles. Most calls are made for what is stored then, so
    /// that most references name something.
    static func references(seed: UInt64, steps count: Int) -> Program {
        var generator = SeededGenerator(seed: seed)
        var expected = ExpectedRun(Program(steps: []))
        var steps: [Step] = []
        func add(_ step: Step) {
            steps.append(step)
            expected.run([step])
        }
        while steps.count < count {
            switch generator.below(100) {
            case 0..<25: add(.linked(depth: 1, &generator, expected.linked))
            case 25..<28: add(.reopen)
            default: add(.call(generator.linkedOperation(expected.linked)))
            }
            // The stored records after a call, besides its result.
            if generator.chance(50) { add(.call(LinkedContents())) }
        }
        add(.call(LinkedContents()))
        return Program(steps: steps)
    }
}

extension Step {
    fileprivate static func linked(depth: Int, _ generator: inout SeededGenerator, _ world: LinkedWorld) -> Step {
        let steps: [Step] = (0...generator.below(5)).map { _ in
            depth > 0 && generator.chance(20)
                ? linked(depth: depth - 1, &generator, world) : .call(generator.linkedOperation(world))
        }
        return .transaction(steps, generator.pick(.commits, .commits, .commits, .fails, .stops))
    }
}

extension SeededGenerator {
    fileprivate mutating func linkedOperation(_ world: LinkedWorld) -> any StorageOperation {
        let model = one(of: LinkedWorld.models) ?? Knot.self
        return model.randomOperation(&self, world)
    }
}

extension LinkedModel {
    fileprivate static func randomOperation(
        _ generator: inout SeededGenerator, _ world: LinkedWorld
    ) -> any StorageOperation {
        func models(_ count: Int) -> [Self] {
            (0..<count).compactMap { _ in generator.one(of: references).map { random($0, &generator, in: world) } }
        }
        if generator.chance(12), let call = randomListCall(&generator, world) { return call }
        switch generator.below(100) {
        case 0..<12: return LinkedPut(verb: .insert, models: models(1 + generator.below(2)))
        case 12..<35: return LinkedPut(verb: .save, models: models(1 + generator.below(3)))
        case 35..<40: return LinkedPut(verb: .update, models: models(1))
        case 40..<55:
            return LinkedDelete(keys: (0...generator.below(3)).compactMap { _ in generator.one(of: references) })
        case 55..<58: return LinkedDeleteWhere<Self>(filter: .random(depth: 1, &generator))
        case 58..<60: return LinkedTruncate<Self>()
        case 60..<68:
            guard let patch = generator.one(of: patches) else { break }
            return LinkedUpdate(filter: .random(depth: 0, &generator), patch: patch, number: generator.below(4))
        case 68..<85:
            guard let load = generator.one(of: loads) else { break }
            return LinkedLoading(
                filter: generator.chance(60) ? .all : .random(depth: 1, &generator), load: load,
                number: generator.below(4), limit: generator.chance(30) ? generator.below(3) : nil)
        default: break
        }
        return LinkedSelect<Self>(filter: .random(depth: 3, &generator))
    }
}
