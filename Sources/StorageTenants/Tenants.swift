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
        /// The most stores that are open at the same time, of each server with a directory: a server that is away takes no
        /// places of others. Where more are wanted, the one that was used least recently is closed.
        public var maximumOpen = 100
        /// The time after which a store is closed that nobody uses.
        public var idleTime = Duration.seconds(300)
        /// The time for which a call waits for a place, where all open stores are in use, before it throws `busy`, and for the end
        /// of a move, before it throws `moved`.
        public var timeout = Duration.seconds(5)
        /// The options with which every store is opened.
        public var store = Store.Options()

        /// The defaults.
        public init() {}
    }

    let models: [any Storable.Type]
    let options: Options
    /// The directory; nil if the program chooses each tenant's store.
    public let directory: TenantDirectory?
    private let backend: @Sendable (TenantDirectory.Entry) throws -> any StorageBackend
    let state = Mutex(State())

    struct State {
        var open: [String: Entry] = [:]
        /// The stores at places that tenants have left, by their numbers, until nobody uses them.
        var left: [Int: Entry] = [:]
        /// The stores that are being closed, which have their places until then.
        var closing: [String: (ending: Task<Void, Never>, server: String?)] = [:]
        /// The last closing of a store of a server that nobody used. They come one after another: each takes threads, of which
        /// a program has few.
        var lastEnding: [String?: Task<Void, Never>] = [:]
        var isClosed = false
        var lastNumber = 0
        var hasSweeper = false
    }

    struct Entry {
        let number: Int
        let place: TenantDirectory.Entry
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
        (self.models, self.options, directory) = (models, options, nil)
        self.backend = { try backend($0.tenant) }
    }

    /// The tenants of a directory. Nothing is opened yet.
    ///
    /// ```swift
    /// let directory = try await TenantDirectory(
    ///     url: "postgresql://app@directory.example.com/tenants", backends: [PostgreSQLBackend.self])
    /// let databases = PostgreSQLDatabases()
    /// let tenants = Tenants(directory: directory, models: [Person.self]) { entry in
    ///     try databases.backend(entry.address)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - directory: names the places of the stores. The caller closes it.
    ///   - models: the types that each store has.
    ///   - options: how many stores are open, for how long, and how they are opened.
    ///   - backend: makes the backend of the store at an entry's address.
    public init(
        directory: TenantDirectory, models: [any Storable.Type], options: Options = Options(),
        backend: @escaping @Sendable (_ entry: TenantDirectory.Entry) throws -> any StorageBackend
    ) {
        (self.directory, self.models, self.options, self.backend) = (directory, models, options, backend)
    }

    /// The tenants of a directory, whose stores are opened at their addresses.
    ///
    /// - Parameters:
    ///   - directory: names the places of the stores. The caller closes it.
    ///   - backends: the backends that the addresses may name.
    ///   - models: the types that each store has.
    ///   - options: how many stores are open, for how long, and how they are opened.
    public convenience init(
        directory: TenantDirectory, backends: [any StorageBackend.Type], models: [any Storable.Type],
        options: Options = Options()
    ) {
        self.init(directory: directory, models: models, options: options) { entry in
            let url = try StorageURL(entry.address)
            guard let type = backends.first(where: { $0.scheme == url.scheme }) else {
                throw BackendProduct.error(url.scheme, backends.map { $0.scheme })
            }
            return try type.init(url: url)
        }
    }

    /// Runs a body with a tenant's store, which is open until the body ends.
    ///
    /// Don't keep the store: it is closed later. An observed query keeps its store open for as long as the body runs.
    ///
    /// If the store moves to another server meanwhile, a write of the body is `moved`. The next call then uses the new place. A
    /// body that says that it may be repeated runs again at the new place, after it has waited for the end of the move.
    ///
    /// - Parameters:
    ///   - tenant: the tenant's name.
    ///   - mayRepeat: whether the body may run again if one of its writes is `moved`. Writes that it made before are in the store,
    ///     also in the new place: say so for a body with one write, or one transaction.
    ///   - body: the calls of the store.
    /// - Throws: errors of opening the store; `busy` if all stores that may be open are in use; `moved` for a write during a move;
    ///   `invalidValue` for a name that is no tenant's; `notFound` for a tenant that is not in the directory; `closed` after
    ///   ``close()``; what the body throws.
    @discardableResult
    public nonisolated(nonsending) func withStore<T>(
        _ tenant: String, repeating mayRepeat: Bool = false, _ body: nonisolated(nonsending) (Store) async throws -> T
    ) async throws -> T {
        let end = ContinuousClock.now + options.timeout
        while true {
            var place: TenantDirectory.Entry?
            do {
                let taken = try await take(tenant)
                place = taken.place
                defer { give(tenant, taken.number) }
                return try await body(taken.store)
            } catch let error as StorageError where error.code == .moved && directory != nil {
                let known = try await directory?.look(tenant)
                guard mayRepeat, ContinuousClock.now < end else { throw error }
                if let place = place ?? known, place.isSamePlace(as: known) {
                    try await waitForMove(of: tenant, from: place, until: end, error)
                }
            }
        }
    }

    /// Waits until the directory names another place, or the move is given up.
    ///
    /// - Throws: the given error if that takes too long.
    private nonisolated(nonsending) func waitForMove(
        of tenant: String, from place: TenantDirectory.Entry, until end: ContinuousClock.Instant, _ error: StorageError
    ) async throws(StorageError) {
        while let entry = try await directory?.look(tenant), entry.isSamePlace(as: place) {
            guard ContinuousClock.now < end else { throw error }
            try await pause(of: .milliseconds(10))
            if entry.move == nil { return }
        }
    }

    private nonisolated(nonsending) func pause(of duration: Duration) async throws(StorageError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw StorageError(.cancelled, "The task was cancelled while it waited for a tenant's store.")
        }
    }

    /// The tenants whose stores are open now, in alphabetical order.
    public var open: [String] { state.withLock { $0.open.keys.sorted() } }

    // MARK: Opening

    private enum Step {
        case use(Task<Result<Store, StorageError>, Never>, number: Int)
        case waitForEnd(Task<Void, Never>)
        case wait
    }

    typealias Taken = (store: Store, number: Int, place: TenantDirectory.Entry)

    nonisolated(nonsending) func take(_ tenant: String) async throws(StorageError) -> Taken {
        try Self.check(tenant)
        let place = try await directory?.entry(of: tenant) ?? TenantDirectory.Entry(tenant: tenant, address: tenant)
        let end = ContinuousClock.now + options.timeout
        while true {
            switch try step(place) {
            case .use(let opening, let number):
                do throws(StorageError) {
                    return (try await opening.value.get(), number, place)
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
                try await pause(of: .milliseconds(10))
            }
        }
    }

    private func step(_ place: TenantDirectory.Entry) throws(StorageError) -> Step {
        let tenant = place.tenant
        return try state.withLock { (state) throws(StorageError) in
            if state.isClosed {
                throw StorageError(.closed, "The tenants are closed; make others to use their stores.")
            }
            if let entry = state.open[tenant], entry.place.address != place.address { leave(entry, &state) }
            if var entry = state.open[tenant] {
                entry.uses += 1
                state.open[tenant] = entry
                return .use(entry.opening, number: entry.number)
            }
            if let ending = state.closing[tenant]?.ending { return .waitForEnd(ending) }
            let open = state.open.values.filter { $0.place.server == place.server }
            let closing = state.closing.values.filter { $0.server == place.server }
            guard open.count + closing.count < max(options.maximumOpen, 1) else {
                if let ending = closing.first?.ending { return .waitForEnd(ending) }
                guard let unused = open.filter({ $0.uses == 0 }).min(by: { $0.lastUse < $1.lastUse }) else {
                    return .wait
                }
                return .waitForEnd(beginClosing(unused.place.tenant, &state, inTurn: true))
            }
            state.lastNumber += 1
            let entry = Entry(
                number: state.lastNumber, place: place, opening: Task { await self.opened(place) }, uses: 1)
            state.open[tenant] = entry
            return .use(entry.opening, number: entry.number)
        }
    }

    private func opened(_ place: TenantDirectory.Entry) async -> Result<Store, StorageError> {
        do throws(StorageError) {
            return .success(try await openStore(at: place, models, options.store))
        } catch {
            return .failure(error)
        }
    }

    /// Opens the store at a place, which the caller closes.
    nonisolated(nonsending) func openStore(
        at place: TenantDirectory.Entry, _ models: [any Storable.Type], _ options: Store.Options
    ) async throws(StorageError) -> Store {
        do {
            return try await Store(backend(place), models: models, options: options)
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(
                .configuration, "There is no backend for the tenant \(place.tenant).", underlying: error)
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
            if var entry = state.left[number] {
                entry.uses -= 1
                state.left[number] = entry
                if entry.uses == 0 { leave(entry, &state) }
                return false
            }
            guard var entry = state.open[tenant], entry.number == number else { return false }
            (entry.uses, entry.lastUse) = (entry.uses - 1, .now)
            state.open[tenant] = entry
            defer { state.hasSweeper = true }
            return !state.hasSweeper
        }
        if needsSweeper { sweep() }
    }

    /// - Throws: `invalidValue` for a name that may not be part of a file's or a schema's: it may come from outside.
    static func check(_ tenant: String) throws(StorageError) {
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
            state.open[tenant] == nil
                ? state.closing[tenant]?.ending : beginClosing(tenant, &state, inTurn: false)
        }
        await ending?.value
    }

    /// Closes all stores when their running calls have ended. Every later call throws `closed`.
    public nonisolated(nonsending) func close() async {
        let endings = state.withLock { state in
            state.isClosed = true
            return state.closing.values.map(\.ending)
                + state.open.keys.map { beginClosing($0, &state, inTurn: true) }
                + state.left.keys.map { close(state.left.removeValue(forKey: $0)?.opening) }
        }
        for ending in endings { await ending.value }
    }

    /// Takes a store out of those that are open, and closes it.
    ///
    /// - Parameter isInTurn: whether it is closed after those that were before it.
    private func beginClosing(_ tenant: String, _ state: inout State, inTurn isInTurn: Bool) -> Task<Void, Never> {
        guard let entry = state.open.removeValue(forKey: tenant) else { return Task {} }
        let server = entry.place.server
        let last = isInTurn ? state.lastEnding[server] : nil
        let ending = Task {
            await last?.value
            await self.close(entry.opening).value
            self.state.withLock { $0.closing[tenant] = nil }
        }
        state.closing[tenant] = (ending, server)
        if isInTurn { state.lastEnding[server] = ending }
        return ending
    }

    /// Takes a store out of those that are open, because its tenant has another place, and closes it when nobody uses it.
    @discardableResult
    private func leave(_ entry: Entry, _ state: inout State) -> Task<Void, Never>? {
        if state.open[entry.place.tenant]?.number == entry.number { state.open[entry.place.tenant] = nil }
        state.left[entry.number] = entry.uses > 0 ? entry : nil
        return entry.uses == 0 ? close(entry.opening) : nil
    }

    /// Closes the store at the place that a tenant has left, unless it is in use.
    nonisolated(nonsending) func leaveOldPlace(of place: TenantDirectory.Entry) async {
        let ending = state.withLock { state in
            state.open[place.tenant].flatMap { $0.place.address == place.address ? nil : leave($0, &state) }
        }
        await ending?.value
    }

    private func close(_ opening: Task<Result<Store, StorageError>, Never>?) -> Task<Void, Never> {
        Task {
            do {
                try await opening?.value.get().close()
            } catch {
                self.options.store.logger.error("a tenant's store could not be closed", metadata: ["error": "\(error)"])
            }
        }
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
