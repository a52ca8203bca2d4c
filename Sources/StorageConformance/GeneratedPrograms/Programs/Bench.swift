internal import StorageAPI

/// A store on which programs run one after the other; emptied between two, since opening one costs more than a program.
final class Bench {
    private let place: TrialPlace
    private var store: Store

    private let isObserved: Bool

    init(_ place: TrialPlace, isObserved: Bool) async throws {
        self.place = place
        self.isObserved = isObserved
        store = try await Self.open(place)
    }

    private static func open(_ place: TrialPlace) async throws -> Store {
        try await Store(
            place.backend(), models: Generated.Gadget.self, Generated.Crate.self, Generated.Item.self,
            Generated.Tree.self)
    }

    var name: String { store.info.name }

    /// Runs a program on the emptied store.
    func outcomes(of program: Program) async throws -> [Outcome] {
        for model in World.models { try truncate(model) }
        var run = ProgramRun()
        var observers = try await ProgramObservers(of: isObserved ? store : nil)
        var mistake: String?
        try await run.run(program.steps, on: &store) { [place, isObserved] store in
            // What is closed is gone where nothing outlives the process.
            guard store.info.has(.durability) else { return store }
            try await store.close()
            if try await !observers.haveEnded() { mistake = "An observer goes on after the store was closed." }
            let store = try await Self.open(place)
            observers = try await ProgramObservers(of: isObserved ? store : nil)
            return store
        } afterStep: {
            if mistake == nil { mistake = try await observers.mistake() }
            return mistake
        }
        return run.outcomes
    }

    private func truncate<M: GeneratedModel>(_: M.Type) throws(StorageError) {
        try store.blocking.truncate(M.self)
    }

    func close() async throws {
        try await store.close()
        _ = try await place.destroy()
    }
}
