internal import StorageAPI
internal import StorageDriver
import Synchronization

/// The steps of a tenant's move.
struct TenantMover {
    private let tenants: Tenants
    private let directory: TenantDirectory
    private let progress: @Sendable (Tenants.MoveProgress) throws -> Void

    /// So few rows are copied in a moment, and the store is closed to writers for them.
    private static let fewRows = 1_000
    private static let mostPasses = 5

    init(
        _ tenants: Tenants, _ directory: TenantDirectory,
        _ progress: @escaping @Sendable (Tenants.MoveProgress) throws -> Void
    ) { (self.tenants, self.directory, self.progress) = (tenants, directory, progress) }

    func tell(_ tenant: String, _ step: Tenants.MoveProgress.Step, rows: Int = 0) throws {
        try progress(Tenants.MoveProgress(tenant: tenant, step: step, rows: rows))
    }

    // MARK: Copying

    /// Copies the store, closes the old place, copies the rest, compares, and names the new place.
    ///
    /// - Returns: the entry, which is switched.
    nonisolated(nonsending) func copy(_ entry: TenantDirectory.Entry) async throws -> TenantDirectory.Entry {
        try await withCurrent(entry) { old in try await copy(entry, from: old) }
    }

    /// Opens the current place to writers, of an entry whose move is being given up.
    nonisolated(nonsending) func reopen(_ entry: TenantDirectory.Entry) async throws {
        try await withCurrent(entry) { store in
            // No program goes on with a move in this state, so whatever has closed the place needs it no more.
            if let fence = try await store.fence() { try await store.removeFence(of: fence.move) }
        }
    }

    /// Calls the body with the store at the entry's address.
    private nonisolated(nonsending) func withCurrent<T>(
        _ entry: TenantDirectory.Entry, _ body: nonisolated(nonsending) (Store) async throws -> T
    ) async throws -> T {
        let taken: Tenants.Taken
        do throws(StorageError) {
            taken = try await tenants.take(entry.tenant)
        } catch {
            // A place that a move has closed cannot be brought to what the models declare.
            guard error.code == .moved else { throw error }
            return try await with(entry, move: nil, body)
        }
        defer { tenants.give(entry.tenant, taken.number) }
        guard taken.place.address == entry.address else {
            throw StorageError(.conflict, "The tenant \(entry.tenant) has another place by now; begin again.")
        }
        return try await body(taken.store)
    }

    private nonisolated(nonsending) func copy(
        _ entry: TenantDirectory.Entry, from old: Store
    ) async throws -> TenantDirectory.Entry {
        guard let move = entry.move else { return entry }
        return try await with(entry.at(move), move: move.name) { new in
            try await prepare(new, for: entry, move)
            try tell(entry.tenant, .prepared)
            let rows = try await copyBesideWriters(old, to: new, entry.tenant)
            try tell(entry.tenant, .copied, rows: rows)
            try await close(old, for: entry, move)
            try tell(entry.tenant, .closed, rows: rows)
            let last = try await new.mirror(old)
            guard try await new.equals(last) else {
                throw StorageError(
                    .corrupt,
                    "The copy of the tenant \(entry.tenant) differs from its store; verify both, and move again.")
            }
            try tell(entry.tenant, .compared, rows: rows + last.changed)
            let entry = try await directory.advance(move, of: entry.tenant) { $0.move?.state = .switching }
            try tell(entry.tenant, .switching, rows: rows + last.changed)
            // Writers wait, so the store is not opened again for that.
            try await new.removeFence(of: move.name)
            return try await name(entry)
        }
    }

    /// Closes the new place to all but this move.
    private nonisolated(nonsending) func prepare(
        _ new: Store, for entry: TenantDirectory.Entry, _ move: TenantDirectory.Move
    ) async throws(StorageError) {
        let known = try await new.fence()
        // A closed place is an old one of the tenant, or a move that was given up or has ended has left it.
        if known == nil, try await !new.schema().isEmpty {
            throw StorageError(
                .constraint, "The place to which the tenant \(entry.tenant) moves has a store already: \(move.address)."
            )
        }
        // A program whose move another one has taken over meanwhile must not close the place again, which may be in charge by now.
        _ = try await directory.advance(move, of: entry.tenant) { _ in }
        try await new.setFence(.init(address: entry.address, move: move.name), replacing: known)
        try await checkAfterClosing(new, for: entry, move)
    }

    private nonisolated(nonsending) func copyBesideWriters(
        _ old: Store, to new: Store, _ tenant: String
    ) async throws -> Int {
        var (rows, passes) = (0, 0)
        let failure = Mutex<(any Error)?>(nil)
        while true {
            let before = rows
            let result = try await new.mirror(old) { [progress] part in
                do {
                    try progress(
                        Tenants.MoveProgress(
                            tenant: tenant, step: .copying, rows: before + part.rows, model: part.model))
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
            if let error = failure.withLock({ $0 }) { throw error }
            (rows, passes) = (rows + result.changed, passes + 1)
            let isClose = result.changed <= Self.fewRows && !result.isOutdated
            if isClose || passes == Self.mostPasses { return rows }
        }
    }

    /// Closes the old place to writers, unless an earlier run of the same move has.
    private nonisolated(nonsending) func close(
        _ old: Store, for entry: TenantDirectory.Entry, _ move: TenantDirectory.Move
    ) async throws(StorageError) {
        // Read before the directory is asked: whoever takes the move over later replaces what was read.
        let known = try await old.fence()
        _ = try await directory.advance(move, of: entry.tenant) { _ in }
        guard known?.address == nil else {
            throw StorageError(
                .moved,
                "The directory names a place of the tenant \(entry.tenant) that has moved; correct the directory.")
        }
        try await old.setFence(.init(move: move.name), replacing: known)
        try await checkAfterClosing(old, for: entry, move)
    }

    /// Opens a place again if the move was given up or taken over before the place was closed.
    private nonisolated(nonsending) func checkAfterClosing(
        _ place: Store, for entry: TenantDirectory.Entry, _ move: TenantDirectory.Move
    ) async throws(StorageError) {
        do throws(StorageError) {
            _ = try await directory.advance(move, of: entry.tenant) { _ in }
        } catch {
            if error.code == .conflict { try? await place.removeFence(of: move.name) }
            throw error
        }
    }

    // MARK: Switching

    /// Opens the new place of a move that ended before to writers, and names it in the directory.
    nonisolated(nonsending) func open(_ entry: TenantDirectory.Entry) async throws -> TenantDirectory.Entry {
        guard let move = entry.move else { return entry }
        try await with(entry.at(move), move: nil) { new in try await new.removeFence(of: move.name) }
        return try await name(entry)
    }

    /// Names the new place in the directory.
    private nonisolated(nonsending) func name(_ entry: TenantDirectory.Entry) async throws -> TenantDirectory.Entry {
        guard let move = entry.move else { return entry }
        try tell(entry.tenant, .opened)
        let entry = try await directory.advance(move, of: entry.tenant) { entry in
            let old = entry.address
            (entry.server, entry.address) = (move.server, move.address)
            entry.version += 1
            entry.move?.address = old
            entry.move?.state = .switched
        }
        try tell(entry.tenant, .switched)
        return entry
    }

    /// Lets the old place say where the store is now.
    nonisolated(nonsending) func finish(_ entry: TenantDirectory.Entry) async throws -> TenantDirectory.Entry {
        guard let move = entry.move, move.state == .switched else { return entry }
        await tenants.leaveOldPlace(of: entry)
        try await with(entry.at(move), move: nil) { old in
            let fence = Store.Fence(address: entry.address, move: move.name)
            let known = try await old.fence()
            if known == fence { return }
            // An old place that was removed meanwhile is made again, empty, and says `moved` too.
            let isOfMove =
                if let known { known.move == move.name } else { try await old.schema().isEmpty }
            guard isOfMove else {
                throw StorageError(
                    .conflict,
                    "The old place of the tenant \(entry.tenant) has been used since; look at it with fence().")
            }
            _ = try await directory.advance(move, of: entry.tenant) { _ in }
            try await old.setFence(fence, replacing: known)
            try await checkAfterClosing(old, for: entry, move)
        }
        let entry = try await directory.advance(move, of: entry.tenant) { $0.move = nil }
        try tell(entry.tenant, .finished)
        return entry
    }

    /// Opens the store at a place for the move, and closes it.
    private nonisolated(nonsending) func with<T>(
        _ place: TenantDirectory.Entry, move: String?, _ body: nonisolated(nonsending) (Store) async throws -> T
    ) async throws -> T {
        var options = Store.Options(logger: tenants.options.store.logger)
        options.move = move
        let store = try await tenants.openStore(at: place, [], options)
        let result: T
        do {
            result = try await body(store)
        } catch {
            // The first error is thrown.
            try? await store.close()
            throw error
        }
        try await store.close()
        return result
    }
}

extension TenantDirectory.Entry {
    /// The entry with the place that a move has besides the current one.
    fileprivate func at(_ move: TenantDirectory.Move) -> TenantDirectory.Entry {
        var entry = self
        (entry.server, entry.address) = (move.server, move.address)
        return entry
    }
}
