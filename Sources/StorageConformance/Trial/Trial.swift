internal import Foundation
internal import StorageAPI
internal import Synchronization

/// One run of a case: opens stores at a place of its own, records what it does, and judges the results.
final class Trial: Sendable {
    let place: TrialPlace
    /// The seed of the run, for cases that draw values.
    let seed: UInt64
    /// Failures below the place, in cases that need them.
    let faults: (any FaultInjection)?
    private let state = Mutex(State())

    fileprivate struct State {
        var operations: [String] = []
        var declarations: [String] = []
        var types: Set<ObjectIdentifier> = []
        var stores: [Store] = []
        var helpers: [HelperProcess] = []
    }

    private let onOperation: (@Sendable (String) -> Void)?

    init(
        place: TrialPlace, seed: UInt64, faults: (any FaultInjection)? = nil,
        onOperation: (@Sendable (String) -> Void)? = nil
    ) {
        self.place = place
        self.seed = seed
        self.faults = faults
        self.onOperation = onOperation
    }

    // MARK: Opening

    /// Opens a store at the trial's place.
    func open() async throws -> RecordedStore {
        try await open("") { (backend) throws(StorageError) in try await Store(backend) }
    }

    /// Opens a store and prepares a model's tables.
    func open<M: Storable>(_ model: M.Type) async throws -> RecordedStore {
        note(model)
        return try await open(", models: \(SwiftSource.name(of: model)).self") { (backend) throws(StorageError) in
            try await Store(backend, models: M.self)
        }
    }

    /// The same, with the time by which records expire.
    func open<M: Storable>(_ model: M.Type, clock: TrialClock) async throws -> RecordedStore {
        note(model)
        return try await open(", models: \(SwiftSource.name(of: model)).self, options: .init(clock: clock)") {
            (backend) throws(StorageError) in
            try await Store(backend, models: M.self, options: .init(clock: { clock.now }))
        }
    }

    /// - Parameter backend: nil for that of the place.
    func open<M: Storable, N: Storable>(
        _ model: M.Type, _ other: N.Type, on backend: (any StorageBackend)? = nil
    ) async throws -> RecordedStore {
        note(model)
        note(other)
        let names = "\(SwiftSource.name(of: model)).self, \(SwiftSource.name(of: other)).self"
        return try await open(", models: \(names)", on: backend) { (backend) throws(StorageError) in
            try await Store(backend, models: M.self, N.self)
        }
    }

    /// Opens a store that keeps a history, with its models.
    func open(
        recordsOf records: [any Storable.Type] = [], keysOf keys: [any Storable.Type] = [],
        off: [any Storable.Type] = [], keeping: Store.HistoryLimit? = nil, layers: [any Store.Layer] = [],
        clock: TrialClock? = nil
    ) async throws -> RecordedStore {
        for model in records + keys + off { state.withLock { $0.note(model) } }
        func names(_ types: [any Storable.Type]) -> String {
            "[" + types.map { SwiftSource.name(of: $0) + ".self" }.joined(separator: ", ") + "]"
        }
        var source = ", options: .init(history: .init(records: \(names(records)), keys: \(names(keys))"
        if !off.isEmpty { source += ", off: \(names(off))" }
        if let keeping {
            source += ", keeping: .init(commits: \(keeping.commits as Any), seconds: \(keeping.seconds as Any))"
        }
        let options = Store.HistoryOptions(
            records: records, keys: keys, off: off, keeping: keeping)
        return try await open(source + ")\(Self.layers(layers)))") { (backend) throws(StorageError) in
            try await Store(
                backend, models: [],
                options: .init(history: options, layers: layers, clock: { clock?.now ?? Date() }))
        }
    }

    /// Opens a store with layers, and prepares models.
    func open(
        _ models: [any Storable.Type], layers: [any Store.Layer], clock: TrialClock? = nil,
        on backend: (any StorageBackend)? = nil
    ) async throws -> RecordedStore {
        for model in models { state.withLock { $0.note(model) } }
        let names = models.map { SwiftSource.name(of: $0) + ".self" }.joined(separator: ", ")
        return try await open(", models: [\(names)], options: .init(\(Self.layers(layers).dropFirst(2)))", on: backend)
        {
            (backend) throws(StorageError) in
            try await Store(
                backend, models: models, options: .init(layers: layers, clock: { clock?.now ?? Date() }))
        }
    }

    /// Opens a store with other options, and prepares models.
    ///
    /// - Parameter source: the options as Swift.
    func open(
        _ models: [any Storable.Type], options: Store.Options, _ source: String,
        on backend: (any StorageBackend)? = nil
    ) async throws -> RecordedStore {
        for model in models { state.withLock { $0.note(model) } }
        let names = models.map { SwiftSource.name(of: $0) + ".self" }.joined(separator: ", ")
        return try await open(", models: [\(names)], options: \(source)", on: backend) {
            (backend) throws(StorageError) in
            try await Store(backend, models: models, options: options)
        }
    }

    private static func layers(_ layers: [any Store.Layer]) -> String {
        layers.isEmpty ? "" : ", layers: [" + layers.map { "\(type(of: $0))()" }.joined(separator: ", ") + "]"
    }

    private func open(
        _ models: String, on other: (any StorageBackend)? = nil,
        _ body: (any StorageBackend) async throws(StorageError) -> Store
    ) async throws -> RecordedStore {
        let backend = if let other { other } else { try await place.backend() }
        let number = state.withLock { $0.stores.count + 1 }
        let name = number == 1 ? "store" : "store\(number)"
        note("let \(name) = try await Store(\(other == nil ? "" : "relaxed ")backend\(models))")
        let store: Store
        do {
            store = try await body(backend)
        } catch {
            guard error.code == .closed else { throw error }
            throw HarnessFailure(message: "The harness returned a backend whose engine is closed: \(error)")
        }
        state.withLock { $0.stores.append(store) }
        return RecordedStore(store: store, name: name, trial: self)
    }

    /// Closes every store that the case left open.
    func closeStores() async throws(StorageError) {
        for store in state.withLock({ $0.stores }) { try await store.close() }
    }

    /// Registers a helper, which ends with the case.
    func keep(_ helper: HelperProcess) { state.withLock { $0.helpers.append(helper) } }

    func endHelpers() {
        for helper in state.withLock({ $0.helpers }) { helper.kill() }
    }

    // MARK: Recording

    /// Records an operation, as Swift.
    func note(_ operation: String) {
        state.withLock { $0.operations.append(operation) }
        onOperation?(operation)
    }

    /// Records that a model is used.
    func note<M: Storable>(_ model: M.Type) {
        state.withLock { $0.note(model) }
    }

    /// A failure with what was recorded so far.
    func described(_ failure: ConformanceFailure) -> ConformanceFailure {
        var failure = failure
        state.withLock {
            failure.operations = $0.operations
            failure.declarations = $0.declarations
        }
        return failure
    }
}

extension Trial.State {
    fileprivate mutating func note(_ model: any Storable.Type) {
        guard types.insert(ObjectIdentifier(model)).inserted else { return }
        for property in model.schema.properties {
            if case .one(let child) = property.kind { note(child) }
            if case .many(let child) = property.kind { note(child) }
        }
        if let declaration = (model as? any DeclaredModel.Type)?.declaration { declarations.append(declaration) }
    }
}

/// A clock that a case sets.
final class TrialClock: Sendable {
    private let time = Mutex(Date(timeIntervalSinceReferenceDate: 800_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

/// A harness's place, of any type.
struct TrialPlace: Sendable {
    let backend: @Sendable () async throws -> any StorageBackend
    let helper: @Sendable () -> HelperCommand?
    let faults: @Sendable () -> (any FaultInjection)?
    let files: @Sendable () -> [URL]
    let follower: @Sendable () -> (any StorageBackend)?
    let growingFile: @Sendable () -> URL?
    /// Another place of the same harness.
    let another: @Sendable () async throws -> TrialPlace
    let outlivesClosing: @Sendable (BackendInfo) -> Bool
    let destroy: @Sendable () async throws -> [String]

    init<H: ConformanceHarness>(_ harness: H) async throws {
        let place = try await harness.makePlace()
        backend = {
            do {
                return try await harness.backend(at: place)
            } catch {
                throw HarnessFailure(message: "backend(at:) threw \(error)")
            }
        }
        helper = { harness.helper(at: place) }
        faults = { harness.faults(at: place) }
        files = { harness.files(at: place) }
        follower = { harness.follower(at: place) }
        growingFile = { harness.growingFile(at: place) }
        another = { try await TrialPlace(harness) }
        outlivesClosing = { harness.outlivesClosing($0) }
        destroy = {
            try await harness.destroy(place)
            return harness.leftovers(of: place)
        }
    }
}
