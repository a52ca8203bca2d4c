internal import StorageAPI

/// A store on which programs run one after the other; emptied between two, since opening one costs more than a program.
final class Bench {
    private let place: TrialPlace
    private var store: Store

    private let mixture: GeneratedTests.Mixture
    private let isObserved: Bool
    private let keepsHistory: Bool
    private var programs = 0
    private let besides: Besides

    /// - Parameter isObserved: whether queries of the models that have fields are observed.
    init(_ place: TrialPlace, _ mixture: GeneratedTests.Mixture, isObserved: Bool, keepsHistory: Bool) async throws {
        self.place = place
        self.mixture = mixture
        self.isObserved = isObserved
        self.keepsHistory = keepsHistory
        let models = mixture.models
        besides = Besides(place, models)
        store = try await Store(
            place.backend(), models: models,
            options: .init(history: keepsHistory ? .init(records: models, keeping: .commits(400)) : nil))
    }

    /// The store keeps a history if it did.
    private static func open(_ place: TrialPlace, _ mixture: GeneratedTests.Mixture) async throws -> Store {
        try await Store(place.backend(), models: mixture.models)
    }

    var name: String { store.info.name }

    /// Runs a program on the emptied store.
    func outcomes(of program: Program) async throws -> [Outcome] {
        try empty()
        let start = keepsHistory ? try await store.historyToken() : nil
        var run = ProgramRun()
        var observers = try await ProgramObservers(of: isObserved ? store : nil, mixture)
        var mistake: String?
        besides.begin()
        try await run.run(program.steps, on: &store) { [place, mixture, isObserved, besides] store in
            // What is closed is gone where nothing outlives the process.
            guard store.info.has(.durability) else { return store }
            try await besides.close()
            try await store.close()
            if try await !observers.haveEnded() { mistake = "An observer goes on after the store was closed." }
            let store = try await Self.open(place, mixture)
            observers = try await ProgramObservers(of: isObserved ? store : nil, mixture)
            return store
        } look: { [besides] look, number, store in
            try await besides.mistake(look, of: store, after: program.steps.prefix(number))
        } other: { [besides, isObserved] number, store in
            // Now and then another store makes a call, whose commits this store's observers receive too.
            isObserved && number % 8 == 5 ? try await besides.writer(at: store) : nil
        } afterStep: { [besides, isObserved] store in
            if isObserved, besides.hasWriter { try await store.refresh() }
            if mistake == nil { mistake = try await observers.mistake() }
            return mistake
        }
        var outcomes = run.outcomes
        // Undoing takes as long as several programs.
        programs += 1
        if programs % 4 == 1, let start, let mistake = try await historyMistake(since: start), !outcomes.isEmpty {
            outcomes[outcomes.count - 1] = .result(mistake)
        }
        return outcomes
    }

    /// Undoes all commits since one, the last first, and describes what remains that was not there before; nil if
    /// nothing does.
    private func historyMistake(since start: Store.HistoryToken) async throws -> String? {
        // A transaction that inserts a record and truncates its model lists both.
        typealias Kind = Store.HistoryEntry<[Value], DynamicRecord>.Kind
        var kinds: [Int: [String: (first: Kind, last: Kind)]] = [:]
        for try await entry in store.history(since: start) {
            let record = "\(entry.model) \(entry.key ?? [])"
            let first = kinds[entry.commit]?[record]?.first ?? entry.kind
            kinds[entry.commit, default: [:]][record] = (first, entry.kind)
        }
        func hasChanged(_ commit: Int) -> Bool {
            kinds[commit, default: [:]].values.contains { $0.first != .inserted || $0.last != .deleted }
        }
        for commit in stride(from: try await store.historyToken().commit, to: start.commit, by: -1) {
            do throws(StorageError) {
                try await store.undo(commit)
            } catch {
                // A transaction that deletes what it has inserted has changed nothing, and is no entry.
                if error.code == .notFound, !hasChanged(commit) { continue }
                return "Commit \(commit) cannot be undone: \(error)"
            }
        }
        if mixture == .references {
            return try store.blocking.linkedRecords().map { "After all was undone there is \($0)" }
        }
        for model in World.models {
            if let left = try await left(of: model) { return "After all was undone there is \(left)" }
        }
        return nil
    }

    private func left<M: GeneratedModel>(of: M.Type) async throws -> String? {
        let all = try await store.select(M.self).all()
        return all.isEmpty ? nil : "[\(all.map { $0.swift(.comparable) }.joined(separator: ", "))]"
    }

    private func empty() throws {
        guard mixture == .references else {
            for model in World.models { try truncate(model) }
            return
        }
        try store.blocking.emptyLinkedModels()
    }

    private func truncate<M: GeneratedModel>(_: M.Type) throws(StorageError) {
        try store.blocking.truncate(M.self)
    }

    func close() async throws {
        try await besides.close()
        try await store.close()
        _ = try await place.destroy()
    }
}
