internal import StorageAPI

/// Runs programs on a store, and writes down what each call gives.
struct ProgramRun {
    private(set) var outcomes: [Outcome] = []

    /// Runs steps on an open store.
    ///
    /// - Parameters:
    ///   - look: what is wrong beside the store, if anything is; given how many steps have run.
    ///   - other: the store that makes a call in this one's place, if there is one; given how many steps have run.
    ///   - afterStep: what is wrong besides the outcomes, if anything is; now and then asked.
    mutating func run(
        _ steps: [Step], on store: inout Store, reopen: (Store) async throws -> Store,
        look: (Step.Look, Int, Store) async throws -> String?, other: (Int, Store) async throws -> Store?,
        afterStep: (Store) async throws -> String?
    ) async throws {
        for (number, step) in steps.enumerated() {
            switch step {
            case .call(let operation):
                let other = try await other(number, store)
                outcomes.append(operation.outcome(on: (other ?? store).blocking))
            case .stream(let stream):
                do throws(StorageError) {
                    outcomes.append(.result(try await stream.run(on: store)))
                } catch {
                    outcomes.append(Outcome(error))
                }
            case .reopen:
                store = try await reopen(store)
                outcomes.append(.result("()"))
            case .compact:
                do throws(StorageError) {
                    try await store.compact()
                    outcomes.append(.result("()"))
                } catch {
                    outcomes.append(error.code == .unsupported ? .result("()") : Outcome(error))
                }
            case .look(let place): outcomes.append(.result(try await look(place, number, store) ?? "()"))
            case .transaction(let steps, let ending):
                let before = outcomes.count
                do {
                    try store.blocking.transaction { transaction in
                        try run(steps, ending, in: transaction)
                    }
                } catch is ProgramFailure {
                } catch let error as StorageError {
                    // What it has written refers to a record that is not stored (clause R2).
                    skip(to: before + step.count)
                    if step.count > 0 { outcomes[outcomes.count - 1] = .failure(error.code, model: nil, key: nil) }
                }
                skip(to: before + step.count)
            }
            // So rarely that several commits are announced together.
            if number % 4 == 3 || number == steps.count - 1, let mistake = try await afterStep(store) {
                outcomes[outcomes.count - 1] = .result(mistake)
            }
        }
    }

    /// Runs steps in a transaction.
    private mutating func run(_ steps: [Step], _ ending: Step.Ending, in transaction: borrowing Store.Transaction)
        throws
    {
        for step in steps {
            switch step {
            case .call(let operation):
                outcomes.append(operation.outcome(on: transaction))
                if ending == .stops, outcomes.last?.isFailure ?? false { throw ProgramFailure() }
            case .transaction(let inner, let ending):
                let before = outcomes.count
                do {
                    try transaction.savepoint { try run(inner, ending, in: transaction) }
                } catch is ProgramFailure {}
                skip(to: before + step.count)
            case .stream, .reopen, .compact, .look: outcomes.append(.skipped)
            }
        }
        if ending == .fails { throw ProgramFailure() }
    }

    /// Skips the steps that an error has left out.
    private mutating func skip(to count: Int) {
        outcomes += Array(repeating: .skipped, count: count - outcomes.count)
    }
}

/// Runs programs on the model, and writes down what each call should give.
struct ExpectedRun {
    private(set) var outcomes: [Outcome] = []
    private var world = World()

    init(_ program: Program) { run(program.steps) }

    var linked: LinkedWorld { world.linked }

    /// Returns the contents of a store before the first of some steps and after each.
    static func contents(of steps: some Sequence<Step>) -> [String] {
        var run = ExpectedRun(Program(steps: []))
        var contents = [ContentsOperation().apply(to: &run.world)]
        for step in steps {
            run.run([step])
            contents.append(ContentsOperation().apply(to: &run.world))
        }
        return contents
    }

    mutating func run(_ steps: [Step]) {
        for step in steps {
            switch step {
            case .stream(let stream):
                do {
                    outcomes.append(.result(try stream.apply(to: world)))
                } catch {
                    outcomes.append(.failure(error.code, model: stream.modelName, key: nil))
                }
            case .reopen, .compact, .look: outcomes.append(.result("()"))
            case .call(let operation): outcomes.append(operation.outcome(in: &world))
            case .transaction(let inner, let ending): transaction(inner, ending, count: step.count)
            }
        }
    }

    private mutating func transaction(_ steps: [Step], _ ending: Step.Ending, count: Int) {
        let before = (world: world, count: outcomes.count)
        var fails = ending == .fails
        world.linked.isInTransaction = true
        for step in steps {
            run([step])
            guard ending == .stops, case .call = step, outcomes.last?.isFailure ?? false else { continue }
            fails = true
            break
        }
        if fails { world = before.world }
        outcomes += Array(repeating: .skipped, count: before.count + count - outcomes.count)
        // A savepoint's references are looked at when the transaction ends.
        guard !before.world.linked.isInTransaction else { return }
        world.linked.isInTransaction = false
        guard !world.linked.isSound else { return }
        world = before.world
        if count > 0 { outcomes[outcomes.count - 1] = .failure(.constraint, model: nil, key: nil) }
    }
}
