public import StorageAPI
public import StorageDriver
import Synchronization

/// A store for each tenant of a program, opened on demand and closed when nobody has used it for a while.
///
/// ```swift
/// let database = try PostgreSQLBackend("postgresql://app@db.example.com/people").sharingConnections()
/// let tenants = Tenants(models: [Person.self]) { tenant in
///     var backend = database
///     backend.schema = "t_\(tenant)"
///     return backend
/// }
/// let people = try await tenants.withStore("acme") { store in try await store.select(Person.self).all() }
/// ```
///
/// Each tenant has all of a store to itself: its tables, its transactions, its observers. What grows with the number of tenants is
/// what the engine keeps for them; in the program at most ``Options/maximumOpen`` stores are open at a time.
public final class Tenants: Sendable {
    /// The limits within which stores are open, and how they are opened.
    public struct Options: Sendable {
        /// The most stores that are open at the same time. Where more are wanted, the one that was used least recently is closed.
        public var maximumOpen = 100
        /// The time after which a store is closed that nobody uses.
        public var idleTime = Duration.seconds(300)
        /// The time for which a call waits for a place, where all open stores are in use, before it throws `busy`.
        public var timeout = Duration.seconds(5)
        /// The options with which every store is opened.
        public var store = Store.Options()

        /// The defaults.
        public init() {}
    }

    let models: [any Storable.Type]
    let options: Options
    private let backend: @Sendable (String) throws -> any StorageBackend
    let state = Mutex(State())

    struct State {
        var open: [String: Entry] = [:]
        /// The stores that are being closed, which have their places until then.
        var closing: [String: Task<Void, Never>] = [:]
        /// The last closing of a store that nobody used. They come one after another: each takes threads, of which a program has few.
        var lastEnding: Task<Void, Never>?
        var isClosed = false
        var lastNumber = 0
        var hasSweeper = false
    }

    struct Entry {
        let number: Int
        let opening: Task<Result<Store, StorageError>, Never>
        var uses = 0
        var lastUse = ContinuousClock.now
    }

    /// The tenants of a program. Nothing is opened yet.
    ///
    /// - Parameters:
    ///   - models: the types that each store has.
    ///   - options: how many stores are open, for how long, and how they are opened.
    ///   - backend: makes the backend of a tenant's store. A tenant's name is at most 48 lowercase letters, digits, `-` and `_`, so it
    ///     can be part of a schema's or a file's name. A name that no tenant has yet makes a store.
    public init(
        models: [any Storable.Type], options: Options = Options(),
        backend: @escaping @Sendable (_ tenant: String) throws -> any StorageBackend
    ) {
        (self.models, self.options, self.backend) = (models, options, backend)
    }

    /// Runs a body with a tenant's store, which is open until the body ends.
    ///
    /// Don't keep the store: it is closed later. An observed query keeps its store open for as long as the body runs.
    ///
    /// - Throws: errors of opening the store; `busy` if all stores that may be open are in use; `invalidValue` for a name that is no
    ///   tenant's; `closed` after ``close()``; what the body throws.
    @discardableResult
    public nonisolated(nonsending) func withStore<T>(
        _ tenant: String, _ body: nonisolated(nonsending) (Store) async throws -> T
    ) async throws -> T {
        let (store, number) = try await take(tenant)
        defer { give(tenant, number) }
        return try await body(store)
    }

    /// The tenants whose stores are open now, in alphabetical order.
    public var open: [String] { state.withLock { $0.open.keys.sorted() } }

    // MARK: Opening

    private enum Step {
        case use(Task<Result<Store, StorageError>, Never>, number: Int)
        case waitForEnd(Task<Void, Never>)
        case wait
    }

    nonisolated(nonsending) func take(_ tenant: String) async throws(StorageError) -> (Store, number: Int) {
        try Self.check(tenant)
        let end = ContinuousClock.now + options.timeout
        while true {
            switch try step(tenant) {
            case .use(let opening, let number):
                do throws(StorageError) {
                    return (try await opening.value.get(), number)
                } catch {
                    forget(tenant, number)
                    throw error
                }
            case .waitForEnd(let task): await task.value
            case .wait:
                guard ContinuousClock.now < end else {
                    throw StorageError(
                        .busy,
                        "All \(options.maximumOpen) stores that may be open are in use; try again, or raise maximumOpen."
                    )
                }
                do {
                    try await Task.sleep(for: .milliseconds(10))
                } catch {
                    throw StorageError(.cancelled, "The task was cancelled while it waited for a tenant's store.")
                }
            }
        }
    }

    private func step(_ tenant: String) throws(StorageError) -> Step {
        try state.withLock { (state) throws(StorageError) in
            if state.isClosed {
                throw StorageError(.closed, "The tenants are closed; make others to use their stores.")
            }
            if var entry = state.open[tenant] {
                entry.uses += 1
                state.open[tenant] = entry
                return .use(entry.opening, number: entry.number)
            }
            if let ending = state.closing[tenant] { return .waitForEnd(ending) }
            guard state.open.count + state.closing.count < max(options.maximumOpen, 1) else {
                if let ending = state.closing.values.first { return .waitForEnd(ending) }
                let unused = state.open.filter { $0.value.uses == 0 }.min { $0.value.lastUse < $1.value.lastUse }
                guard let unused else { return .wait }
                return .waitForEnd(beginClosing(unused.key, &state, inTurn: true))
            }
            state.lastNumber += 1
            let entry = Entry(number: state.lastNumber, opening: Task { await self.opened(tenant) }, uses: 1)
            state.open[tenant] = entry
            return .use(entry.opening, number: entry.number)
        }
    }

    private func opened(_ tenant: String) async -> Result<Store, StorageError> {
        do {
            return .success(try await Store(backend(tenant), models: models, options: options.store))
        } catch let error as StorageError {
            return .failure(error)
        } catch {
            return .failure(
                StorageError(.configuration, "There is no backend for the tenant \(tenant).", underlying: error))
        }
    }

    /// Gives up the place of a store that could not be opened.
    private func forget(_ tenant: String, _ number: Int) {
        state.withLock { state in
            if state.open[tenant]?.number == number { state.open[tenant] = nil }
        }
    }

    func give(_ tenant: String, _ number: Int) {
        let needsSweeper = state.withLock { state in
            guard var entry = state.open[tenant], entry.number == number else { return false }
            (entry.uses, entry.lastUse) = (entry.uses - 1, .now)
            state.open[tenant] = entry
            defer { state.hasSweeper = true }
            return !state.hasSweeper
        }
        if needsSweeper { sweep() }
    }

    /// - Throws: `invalidValue` for a name that may not be part of a file's or a schema's: it may come from outside.
    private static func check(_ tenant: String) throws(StorageError) {
        let isPlain = tenant.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, (1...48).contains(tenant.utf8.count) else {
            throw StorageError(
                .invalidValue, "A tenant's name has 1 to 48 lowercase letters, digits, hyphens and underscores.")
        }
    }

    // MARK: Closing

    /// Closes a tenant's store, so that the next use opens it anew, as after a backup was restored. Calls that run end first; later
    /// ones of a body that still has the store throw `closed`.
    public nonisolated(nonsending) func close(_ tenant: String) async {
        let ending = state.withLock { state in
            // Its calls may take long, and nobody else waits for them.
            state.open[tenant] == nil ? state.closing[tenant] : beginClosing(tenant, &state, inTurn: false)
        }
        await ending?.value
    }

    /// Closes all stores when their running calls have ended. Every later call throws `closed`.
    public nonisolated(nonsending) func close() async {
        let endings = state.withLock { state in
            state.isClosed = true
            return state.closing.values + state.open.keys.map { beginClosing($0, &state, inTurn: true) }
        }
        for ending in endings { await ending.value }
    }

    /// Takes a store out of those that are open, and closes it.
    ///
    /// - Parameter isInTurn: whether it is closed after those that were before it.
    private func beginClosing(_ tenant: String, _ state: inout State, inTurn isInTurn: Bool) -> Task<Void, Never> {
        guard let entry = state.open.removeValue(forKey: tenant) else { return Task {} }
        let last = isInTurn ? state.lastEnding : nil
        let ending = Task {
            await last?.value
            do {
                try await entry.opening.value.get().close()
            } catch {
                self.options.store.logger.error(
                    "a tenant's store could not be closed", metadata: ["tenant": "\(tenant)", "error": "\(error)"])
            }
            self.state.withLock { $0.closing[tenant] = nil }
        }
        state.closing[tenant] = ending
        if isInTurn { state.lastEnding = ending }
        return ending
    }

    /// Closes what is idle, now and then, until nothing is open.
    private func sweep() {
        let pause = max(options.idleTime / 4, .milliseconds(10))
        Task { [weak self] in
            while let tenants = self, tenants.closeIdle() { try? await Task.sleep(for: pause) }
        }
    }

    /// - Returns: false if nothing is open any more.
    private func closeIdle() -> Bool {
        state.withLock { state in
            let end = ContinuousClock.now - options.idleTime
            let idle = state.open.filter { $0.value.uses == 0 && $0.value.lastUse <= end }
            for tenant in idle.keys { _ = beginClosing(tenant, &state, inTurn: true) }
            state.hasSweeper = !state.open.isEmpty
            return state.hasSweeper
        }
    }
}
