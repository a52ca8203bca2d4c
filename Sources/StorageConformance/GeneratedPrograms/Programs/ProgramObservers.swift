internal import StorageAPI

/// Observers of a store while programs run on it. The changes that they receive must match the contents.
final class ProgramObservers {
    private var observers: [any ProgramObserver] = []

    /// - Parameters:
    ///   - store: its initial contents are announced first. Nil for no observers.
    ///   - mixture: what the programs consist of.
    init(of store: Store?, _ mixture: GeneratedTests.Mixture) async throws {
        guard let store else { return }
        guard mixture != .references else {
            observers = ElementObserver.linked(store)
            return
        }
        // The same queries for every program, so that a failing one fails again.
        var generator = SeededGenerator(seed: 20)
        for model in World.models { try await add(model, in: store, &generator) }
    }

    private func add<M: GeneratedModel>(_: M.Type, in store: Store, _ generator: inout SeededGenerator) async throws {
        var queries = [GeneratedQuery<M>()]
        for _ in 0..<3 { queries.append(.random(&generator)) }
        for query in queries {
            if let observer = try await QueryObserver(query, store) { observers.append(observer) }
        }
        let first = GeneratedQuery<M>(limit: 2)
        for query in [queries[0], first] {
            let values = query.apply(to: store.select(M.self)).values()
            observers.append(
                ElementObserver(M.typeName + query.text, values) {
                    $0.map { $0.swift(.comparable) }.joined(separator: ", ")
                })
        }
        observers.append(try await FeedObserver<M>(store))
    }

    /// Describes an event that one of them received wrongly or missed; nil if there is none.
    func mistake() async throws -> String? {
        var left: [any ProgramObserver] = []
        for observer in observers {
            switch try await observer.check() {
            case .right: left.append(observer)
            case .failing: break
            case .wrong(let mistake): return mistake
            }
        }
        observers = left
        return nil
    }

    /// Returns whether each of them has ended, as it must when the store is closed.
    func haveEnded() async throws -> Bool {
        for observer in observers where try await !observer.hasEnded() { return false }
        return true
    }
}

enum ObserverState {
    case right
    /// The query fails by now.
    case failing
    case wrong(String)
}

protocol ProgramObserver: AnyObject {
    /// Compares the changes that it receives with the contents.
    func check() async throws -> ObserverState
    func hasEnded() async throws -> Bool
}

/// Follows a query by the differences that it receives.
private final class QueryObserver<M: GeneratedModel>: ProgramObserver {
    private let query: GeneratedQuery<M>
    private let select: Select<M, Store>
    private var steps: Store.Values<Select<M, Store>.Step>.Iterator
    /// The records as text, brought up to date by nothing but differences.
    private var told: [String] = []

    /// Nil if the query fails.
    init?(_ query: GeneratedQuery<M>, _ store: Store) async throws {
        self.query = query
        select = query.apply(to: store.select(M.self))
        steps = select.updates().makeAsyncIterator()
        do {
            guard let step = try await steps.next() else { return nil }
            take(step)
        } catch {
            return nil
        }
    }

    private func take(_ step: Select<M, Store>.Step) {
        if !step.difference.apply(to: &told, make: { step.records[$0].swift(.comparable) }) { told = ["a misfit"] }
    }

    func check() async throws -> ObserverState {
        guard let now = try? await select.all().map({ $0.swift(.comparable) }) else { return .failing }
        // It is asked only if there must be something to tell.
        if now == told { return .right }
        guard let step = try await steps.next() else { return .wrong("The observer of \(name) has ended.") }
        take(step)
        if told == now { return .right }
        return .wrong(
            "The observer of \(name) knows [\(told.joined(separator: ", "))], and there is [\(now.joined(separator: ", "))]"
        )
    }

    private var name: String { "\(M.typeName)\(query.text)" }

    func hasEnded() async throws -> Bool { try await steps.next() == nil }
}

/// Follows a model's keys by its feed.
private final class FeedObserver<M: GeneratedModel>: ProgramObserver {
    private let store: Store
    private var feed: Store.Changes<Store.KeyChanges<M.Key>>.Iterator
    private var told: Set<String>
    /// True if its knowledge is as of the commit that it last received, and not of a later one.
    private var isInStep = true

    init(_ store: Store) async throws {
        self.store = store
        feed = store.changes(of: M.self).makeAsyncIterator()
        told = try await Self.keys(store)
    }

    private static func keys(_ store: Store) async throws -> Set<String> {
        Set(try await store.select(M.self).keys().map(M.swift(ofKey:)))
    }

    func check() async throws -> ObserverState {
        let now = try await Self.keys(store)
        while told != now {
            guard case .commit(let commit)? = try await feed.next() else {
                // Another store has written.
                told = now
                isInStep = false
                continue
            }
            guard case .keys(let inserted, let updated, let deleted) = commit.changes else {
                told = now
                isInStep = false
                continue
            }
            let (new, changed, gone) = (text(inserted), text(updated), text(deleted))
            guard !isInStep || told.isDisjoint(with: new) && told.isSuperset(of: changed + gone) else {
                return .wrong("The feed of \(M.typeName) tells +\(new) ~\(changed) -\(gone) of \(told.sorted())")
            }
            told = told.union(new).subtracting(gone)
        }
        return .right
    }

    private func text(_ keys: [M.Key]) -> [String] { keys.map(M.swift(ofKey:)) }

    func hasEnded() async throws -> Bool {
        // Commits that it was not asked for come first.
        while let _ = try await feed.next() {}
        return true
    }
}
