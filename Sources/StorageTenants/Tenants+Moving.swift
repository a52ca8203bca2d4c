internal import StorageAPI
import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Tenants {
    /// Moves a tenant's store to another server, with its history, the tokens of the history, and search.
    ///
    /// ```swift
    /// func move(_ tenants: Tenants) async throws {
    ///     try await tenants.move("acme", to: "second") { progress in
    ///         print(progress.step, progress.rows)
    ///     }
    /// }
    /// ```
    ///
    /// The store is copied while programs write to it, and may change its tables. Then the old place is closed to writers, what they
    /// have written meanwhile is copied, and the digests of all tables are compared. Then the directory names the new place, and the
    /// old one says `moved`.
    /// At each step at most one place takes writes. Writers wait, or have `moved`, from ``MoveProgress/Step/closed`` to
    /// ``MoveProgress/Step/switched``, in which both places are read twice.
    ///
    /// If a step fails, or the program ends, the same call goes on with the move, from any program. ``cancelMove(of:)`` gives it up
    /// until it is ``MoveProgress/Step/switching``. The old place is left as it was when it was closed; remove it yourself.
    ///
    /// The stores' backends must allow two programs at a time, or only this object has the store open. What the database
    /// has besides the store, such as triggers and rights, does not move.
    ///
    /// - Parameters:
    ///   - tenant: the tenant.
    ///   - server: the name of a server of the directory.
    ///   - progress: called after each step and each part. An error that it throws ends the call, and leaves the move to be gone
    ///     on with.
    /// - Returns: the tenant's new entry.
    /// - Throws: `configuration` without a directory; `notFound` for a tenant or a server that the directory has not; `conflict` if
    ///   the tenant is moving elsewhere, or another program has taken the move over; `constraint` if the new place has a store
    ///   already that no move has closed; errors of both places and of the directory.
    @discardableResult
    public nonisolated(nonsending) func move(
        _ tenant: String, to server: String, progress: @escaping @Sendable (MoveProgress) throws -> Void = { _ in }
    ) async throws -> TenantDirectory.Entry {
        let directory = try requireDirectory()
        try Self.check(tenant)
        var entry = try await directory.beginMove(of: tenant, to: server)
        guard entry.move != nil else { return entry }
        let mover = TenantMover(self, directory, progress)
        if entry.move?.state == .copying {
            try mover.tell(tenant, .began)
            entry = try await mover.copy(entry)
        }
        if entry.move?.state == .switching { entry = try await mover.open(entry) }
        return try await mover.finish(entry)
    }

    /// Gives up a move: the old place takes writes again, and stays the tenant's.
    ///
    /// Also opens the place of a tenant that no move needs and that is closed, as after a program ended while it gave up a move.
    ///
    /// - Throws: `conflict` if the new place has taken over already; finish the move then, and move the tenant back.
    public nonisolated(nonsending) func cancelMove(of tenant: String) async throws {
        let directory = try requireDirectory()
        let id = UUID().uuidString
        let entry = try await directory.update(tenant) { entry, _ throws(StorageError) in
            guard entry.move?.state != .switching, entry.move?.state != .switched else {
                throw StorageError(
                    .conflict,
                    "The new place of the tenant \(tenant) has taken over; finish the move, and move it back.")
            }
            // From here on no program goes on with the move, nor begins another one.
            entry.move = .init(
                name: entry.move?.name ?? id, server: entry.move?.server, address: entry.move?.address ?? entry.address,
                state: .cancelling)
        }
        try await TenantMover(self, directory) { _ in }.reopen(entry)
        _ = try await directory.update(tenant) { current, _ throws(StorageError) in
            if current.move == entry.move { current.move = nil }
        }
    }

    func requireDirectory() throws(StorageError) -> TenantDirectory {
        if let directory { return directory }
        throw StorageError(
            .configuration, "These tenants have no directory; make them by Tenants(directory:models:backend:).")
    }
}

extension TenantDirectory {
    /// Records a move, or takes one up that leads to the same server.
    ///
    /// - Returns: the entry, without a move if the store is already on the server.
    nonisolated(nonsending) func beginMove(of tenant: String, to name: String) async throws(StorageError) -> Entry {
        let id = UUID().uuidString
        return try await update(tenant) { entry, servers throws(StorageError) in
            guard let server = servers.first(where: { $0.name == name }) else {
                throw StorageError(
                    .notFound, "The directory has no server \(name); add it by setServer(_:at:).", key: [.text(tenant)])
            }
            switch entry.move?.state {
            case nil:
                let address = server.address(of: tenant)
                if address == entry.address { return }
                entry.move = Move(name: id, server: name, address: address, state: .copying)
            case .copying:
                guard let known = entry.move, known.server == name else { throw Self.isMoving(tenant) }
                // A new name: a program that has begun the move, and still runs, goes on no further.
                entry.move = Move(name: id, server: name, address: known.address, state: .copying)
            case .switching:
                guard entry.move?.server == name else { throw Self.isMoving(tenant) }
            case .switched:
                guard entry.server == name else { throw Self.isMoving(tenant) }
            case .cancelling: throw Self.isMoving(tenant)
            }
        }
    }

    /// Changes the entry of a move.
    ///
    /// - Throws: `conflict` if the move has ended, or another program has taken it over.
    nonisolated(nonsending) func advance(
        _ move: Move, of tenant: String, _ change: @escaping @Sendable (inout Entry) -> Void
    ) async throws(StorageError) -> Entry {
        try await update(tenant) { entry, _ throws(StorageError) in
            guard entry.move?.name == move.name, entry.move?.state == move.state else {
                throw StorageError(
                    .conflict, "Another program has taken over the move of the tenant \(tenant), or has given it up.")
            }
            change(&entry)
        }
    }
}
