internal import StorageAPI

/// The steps of programs of several versions with one store, one after the other.
struct VersionProgram: Sendable {
    enum Step: Sendable {
        /// The store is closed, and a program of the version opens it; it stays with the one before where it is refused.
        case open(VersionSet)
        /// The same, with a step that saves all records as they are, and then one of the new version.
        case openSaving(VersionSet, Int, seed: UInt64)
        case reopen
        case compact
        /// All is copied into a new store on the next engine, which goes on.
        case copy
        // Records are made for the version that is there, so that steps before may be left out.
        case insert(Int, seed: UInt64)
        case save(Int, seed: UInt64)
        case update(Int, seed: UInt64)
        case delete(Int)
        case deleteWhere(Int)
        case truncate
        /// Records are read as they were after an earlier step, which the number chooses.
        case asOf(Int)
        /// The last commit that changed records is undone: after another undo, that is redone.
        case undo
        /// The program deletes all records of another type that has the same stored name (clause S10).
        case rival
    }

    var steps: [Step]

    static func random(seed: UInt64, steps count: Int) -> VersionProgram {
        var generator = SeededGenerator(seed: seed)
        var versions = [VersionSet.random(&generator)]
        var steps = [Step.open(versions[0])]
        while steps.count < count {
            let key = 1 + generator.below(3)
            switch generator.below(26) {
            case 0...4:
                let next = (versions.last ?? VersionSet()).changed(&generator)
                versions.append(next)
                steps.append(
                    generator.chance(60) ? .open(next) : .openSaving(next, key, seed: generator.next()))
            case 5...7: if let version = generator.one(of: versions) { steps.append(.open(version)) }
            case 8: steps.append(.reopen)
            case 9: steps.append(generator.chance(50) ? .compact : .copy)
            case 10...13: steps.append(.insert(key, seed: generator.next()))
            case 14...17: steps.append(.save(key, seed: generator.next()))
            case 18: steps.append(generator.chance(70) ? .update(key, seed: generator.next()) : .truncate)
            case 19: steps.append(generator.chance(50) ? .delete(key) : .deleteWhere(key))
            case 20: steps.append(.rival)
            case 21...23: steps.append(.asOf(generator.below(1000)))
            default: steps.append(.undo)
            }
        }
        return VersionProgram(steps: steps)
    }

    // MARK: Expectations

    /// The outcome of each step by the rules: its result, the keys of the records that the history has of it, and then all
    /// records.
    var outcomes: [String] {
        var (expected, version) = (ExpectedSchema(), VersionSet())
        return steps.map { step in
            expected.beginStep()
            let result = Self.apply(step, to: &expected, &version)
            return Self.outcome(result, changed: expected.endStep(), expected.all(version), bound: expected.bound)
        }
    }

    /// - Parameter bound: the rules as the store shows them.
    static func outcome(_ result: String, changed keys: [Int], _ records: [[FieldValue]], bound: String) -> String {
        "\(result), changed \(keys)\n\(lines(records))\n\(bound)"
    }

    /// The result of an opening that is refused: values that break a new rule and values that do not fit a type are refused in the
    /// order of the tables.
    static func refused(_ refusal: ExpectedSchema.Refusal) -> String {
        (refusal == .constraint ? .schemaMismatch : refusal).rawValue
    }

    /// The keys of records that are read as they were.
    static let keys = 1...3

    private static func apply(_ step: Step, to expected: inout ExpectedSchema, _ version: inout VersionSet) -> String {
        do throws(ExpectedSchema.Refusal) {
            switch step {
            case .open(let next):
                try expected.open(next)
                version = next
                // The schema changes what was there before, and no record.
                expected.beginStep()
            case .openSaving(let next, let key, let seed):
                var opened = expected
                try opened.open(next)
                opened.beginStep()
                try opened.save(next.record(key, seed: seed), next)
                (expected, version) = (opened, next)
            // Opening with the version that is there changes nothing.
            case .reopen, .compact, .copy: break
            case .insert(let key, let seed): try expected.insert(version.record(key, seed: seed), version)
            case .save(let key, let seed): try expected.save(version.record(key, seed: seed), version)
            case .update(let key, let seed): try expected.update(version.record(key, seed: seed), version)
            case .delete(let key), .deleteWhere(let key): expected.rows[key] = nil
            case .truncate: expected.rows = [:]
            case .asOf(let number):
                guard !expected.past.isEmpty else { return "done" }
                return expected.asOf(number % expected.past.count, keys, in: version)
            case .undo: try expected.undo(version)
            case .rival: throw .configuration
            }
            return "done"
        } catch {
            if case .openSaving = step { return refused(error) }
            return error.rawValue
        }
    }

    static func lines(_ records: [[FieldValue]]) -> String {
        records.map { record in record.map(\.shown).joined(separator: " ") }.joined(separator: "\n")
    }

    // MARK: Source

    /// The steps as text, each with the version or the record that it has.
    var text: String {
        var version = VersionSet()
        var expected = ExpectedSchema()
        return steps.map { step in
            let line = Self.text(of: step, version)
            _ = Self.apply(step, to: &expected, &version)
            return line
        }.joined(separator: "\n")
    }

    private static func text(of step: Step, _ version: VersionSet) -> String {
        switch step {
        case .open(let next): "open\n    " + next.swift.replacing("\n", with: "\n    ")
        case .openSaving(let next, let key, let seed):
            "open, with a step that saves all records as they are and then "
                + next.record(key, seed: seed).map(\.shown).joined(separator: " ") + "\n    "
                + next.swift.replacing("\n", with: "\n    ")
        case .reopen: "reopen"
        case .compact: "compact"
        case .copy: "copy to a new store, and go on there"
        case .insert(let key, let seed): "insert " + version.record(key, seed: seed).map(\.shown).joined(separator: " ")
        case .save(let key, let seed): "save " + version.record(key, seed: seed).map(\.shown).joined(separator: " ")
        case .update(let key, let seed): "update " + version.record(key, seed: seed).map(\.shown).joined(separator: " ")
        case .delete(let key): "delete \(key)"
        case .deleteWhere(let key): "delete where id == \(key)"
        case .truncate: "truncate"
        case .asOf(let number): "find as of step \(number) modulo the number of this one"
        case .undo: "undo the last commit that has entries"
        case .rival: "delete all of another type that is stored as Root:\n    " + version.rival.swift
        }
    }

    // MARK: Shrinking

    /// Programs with a part left out, the larger parts first, then those whose versions lack a property.
    var smaller: [VersionProgram] {
        let halves = sequence(first: steps.count / 2) { $0 > 1 ? $0 / 2 : nil }.filter { $0 > 0 }
        let shorter = halves.flatMap { size in
            stride(from: 0, to: steps.count, by: size).map { start in
                VersionProgram(steps: Array(steps[..<start] + steps[Swift.min(start + size, steps.count)...]))
            }
        }
        let poorer = steps.indices.flatMap { index -> [VersionProgram] in
            let simpler: [Step] =
                switch steps[index] {
                case .open(let version): version.poorer.map { .open($0) }
                case .openSaving(let version, let key, let seed):
                    [.open(version)] + version.poorer.map { .openSaving($0, key, seed: seed) }
                default: []
                }
            return simpler.map { step in
                var program = self
                program.steps[index] = step
                return program
            }
        }
        return shorter + poorer
    }

    func shrunk(budget: Int, fails: (VersionProgram) async throws -> Bool) async throws -> VersionProgram {
        var (best, left, isDone) = (self, budget, false)
        while !isDone {
            isDone = true
            for candidate in best.smaller where left > 0 {
                left -= 1
                guard try await fails(candidate) else { continue }
                (best, isDone) = (candidate, false)
                break
            }
        }
        return best
    }
}

extension VersionSet {
    func record(_ key: Int, seed: UInt64) -> [FieldValue] {
        var generator = SeededGenerator(seed: seed)
        return record(key, &generator)
    }

    /// The versions with one property less.
    fileprivate var poorer: [VersionSet] {
        Part.allCases.flatMap { part in
            self[part].indices.map { index in
                var version = self
                version[part].remove(at: index)
                return version
            }
        }
    }
}

extension FieldValue {
    var shown: String {
        switch self {
        case .null: "nil"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .text(let value): SwiftSource.literal(value)
        case .texts(let values): "[\(values.map(SwiftSource.literal).joined(separator: ", "))]"
        case .record(let values): "(\(values.map(\.shown).joined(separator: " ")))"
        case .records(let records): "[\(records.map { FieldValue.record($0).shown }.joined(separator: ", "))]"
        }
    }
}
