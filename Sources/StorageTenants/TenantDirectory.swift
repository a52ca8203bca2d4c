public import StorageAPI
public import StorageDriver
import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The places of tenants' stores on many servers, in a separate store.
///
/// ```swift
/// let directory = try await TenantDirectory(SQLiteBackend(path: "tenants.db"))
/// try await directory.setServer("first", at: "sqlite:/srv/first/{tenant}.db")
/// try await directory.setServer("second", at: "sqlite:/srv/second/{tenant}.db")
/// let entry = try await directory.add("acme")
/// ```
///
/// Lookups are cached. The directory observes its store: a change by any program is noticed where the engine tells of other
/// programs' commits. If the directory's server is away, the places that are known stay in use, and a place that a tenant has left says
/// `moved`. The records are two models, `Tenant` and `TenantServer`, which `storage select` shows.
public final class TenantDirectory: Sendable {
    /// The store of the directory. Don't change its records in other ways.
    public let store: Store
    private let ownsStore: Bool
    private let cache = Mutex(TenantCache())

    /// The directory in a store that is open. The caller closes the store.
    ///
    /// - Throws: errors of preparing the directory's models.
    public convenience init(_ store: Store) async throws(StorageError) { try await self.init(store, ownsStore: false) }

    /// Opens the directory's store, which is made if it does not exist.
    public convenience init(_ backend: some StorageBackend) async throws(StorageError) {
        try await self.init(try await Store(backend), ownsStore: true)
    }

    /// Opens the directory's store at a URL.
    public convenience init(url: String, backends: [any StorageBackend.Type]) async throws(StorageError) {
        try await self.init(try await Store(url: url, backends: backends), ownsStore: true)
    }

    private init(_ store: Store, ownsStore: Bool) async throws(StorageError) {
        (self.store, self.ownsStore) = (store, ownsStore)
        let known = try await store.recordSchemas().map(\.name)
        // A program that only reads the directory needs no right to write.
        if !Self.schemas.allSatisfy({ known.contains($0.name) }) { try await store.prepare(Self.schemas) }
    }

    /// Closes the store, unless the caller opened it.
    public nonisolated(nonsending) func close() async throws(StorageError) { if ownsStore { try await store.close() } }

    // MARK: Servers

    /// Adds a server, or changes one: the address is for tenants that are added or moved to it later.
    ///
    /// - Parameters:
    ///   - name: 1 to 48 lowercase letters, digits, hyphens and underscores.
    ///   - address: the URL of a tenant's store, with `{tenant}` for the tenant's name:
    ///     `postgresql://app@db1.example.com/people?schema=t_{tenant}`. It has no password, because errors show it.
    ///   - takesTenants: whether new tenants may be placed on it.
    /// - Throws: `invalidValue` for another name; `configuration` for an address without `{tenant}`, or with a password.
    public nonisolated(nonsending) func setServer(
        _ name: String, at address: String, takesTenants: Bool = true
    ) async throws(StorageError) {
        try Tenants.check(name)
        guard address.contains("{tenant}") else {
            throw StorageError(
                .configuration,
                "The address of a server has {tenant} in the place of the tenant's name: sqlite:/srv/{tenant}.db.")
        }
        try Self.check(address)
        try await store.save(Server(name: name, address: address, takesTenants: takesTenants).record)
    }

    /// The servers by name, each with the number of its tenants.
    public nonisolated(nonsending) func servers() async throws(StorageError) -> [Server] {
        try await store.read { (snapshot) throws(StorageError) in
            var servers: [Server] = []
            for record in try snapshot.records(Self.serverModel).order(text: "name").all() {
                var server = try Server(record)
                server.tenants = try snapshot.records(Self.tenantModel).where(
                    text: "server = '\(server.name)' or moveServer = '\(server.name)'"
                ).count()
                servers.append(server)
            }
            return servers
        }
    }

    static func check(_ address: String) throws(StorageError) {
        _ = try StorageURL(address)
        guard Redaction.redacted(address) == address else {
            throw StorageError(
                .configuration,
                "An address in the directory has no password, because errors show it; give it to the program that opens the store, for example by PGPASSFILE."
            )
        }
    }

    // MARK: Tenants

    /// Adds a tenant, and chooses the place of its store. The store is made at its first use.
    ///
    /// - Parameters:
    ///   - tenant: the name of the tenant.
    ///   - rule: chooses among the servers that take tenants; by default the one with the fewest. Called in the directory's
    ///     transaction.
    /// - Throws: `duplicateKey` for a tenant of the directory; `notFound` if no server takes tenants, or the rule names none.
    @discardableResult
    public nonisolated(nonsending) func add(
        _ tenant: String,
        by rule: @escaping @Sendable (_ servers: [Server]) -> String? = { $0.min { $0.tenants < $1.tenants }?.name }
    ) async throws(StorageError) -> Entry {
        try Tenants.check(tenant)
        // Counted outside of the transaction: a placement is a choice, and no rule.
        let servers = try await servers()
        guard let name = rule(servers.filter(\.takesTenants)), let server = servers.first(where: { $0.name == name })
        else {
            throw StorageError(
                .notFound, "No server of the directory takes the tenant \(tenant); add one by setServer(_:at:).")
        }
        return try await add(Entry(tenant: tenant, server: name, address: server.address(of: tenant)))
    }

    /// Adds a tenant whose store is, or will be, at a separate address.
    ///
    /// - Throws: `duplicateKey` for a tenant of the directory; `configuration` for an invalid address, or one with a password.
    @discardableResult
    public nonisolated(nonsending) func add(_ tenant: String, at address: String) async throws(StorageError) -> Entry {
        try Tenants.check(tenant)
        try Self.check(address)
        return try await add(Entry(tenant: tenant, address: address))
    }

    private nonisolated(nonsending) func add(_ entry: Entry) async throws(StorageError) -> Entry {
        let start = begin()
        try await store.insert(entry.record)
        cache.withLock { $0.keep(entry, since: start) }
        return entry
    }

    /// Removes a tenant from the directory. Its store stays where it is.
    ///
    /// - Throws: `notFound` for no such tenant; `conflict` while it is being moved.
    public nonisolated(nonsending) func remove(_ tenant: String) async throws(StorageError) {
        try await store.transaction { (transaction) throws(StorageError) in
            guard let record = try transaction.records(Self.tenantModel).find(key: [.text(tenant)]) else {
                throw Self.unknown(tenant)
            }
            guard try Entry(record).move == nil else { throw Self.isMoving(tenant) }
            try transaction.records(Self.tenantModel).delete(keys: [[.text(tenant)]])
        }
        cache.withLock { $0.remove(tenant) }
    }

    /// All tenants by name, as the store has them now.
    public nonisolated(nonsending) func tenants() async throws(StorageError) -> [Entry] {
        var entries: [Entry] = []
        for record in try await store.records(Self.tenantModel).order(text: "name").all() {
            entries.append(try Entry(record))
        }
        return entries
    }

    /// The place of a tenant's store, from the cache if nothing has changed.
    ///
    /// - Throws: `notFound` for a tenant that is not in the directory; errors of reading it, unless the place was known before.
    public nonisolated(nonsending) func entry(of tenant: String) async throws(StorageError) -> Entry {
        _ = begin()
        if let entry = cache.withLock({ $0.fresh(tenant) }) { return entry }
        do throws(StorageError) {
            return try await look(tenant)
        } catch {
            guard error.code != .notFound, error.code != .cancelled, error.code != .closed,
                let entry = cache.withLock({ $0.keepStale(tenant) })
            else { throw error }
            return entry
        }
    }

    /// The place of a tenant's store, as the directory has it now.
    nonisolated(nonsending) func look(_ tenant: String) async throws(StorageError) -> Entry {
        let start = begin()
        guard
            let record = try await store.read({ (snapshot) throws(StorageError) in
                try snapshot.records(Self.tenantModel).find(key: [.text(tenant)])
            })
        else {
            cache.withLock { $0.remove(tenant) }
            throw Self.unknown(tenant)
        }
        let entry = try Entry(record)
        cache.withLock { $0.keep(entry, since: start) }
        return entry
    }

    /// Changes a tenant's entry in a transaction.
    nonisolated(nonsending) func update(
        _ tenant: String, _ change: @escaping @Sendable (inout Entry, [Server]) throws(StorageError) -> Void
    ) async throws(StorageError) -> Entry {
        let start = begin()
        let entry = try await store.transaction { (transaction) throws(StorageError) in
            guard let record = try transaction.records(Self.tenantModel).find(key: [.text(tenant)]) else {
                throw Self.unknown(tenant)
            }
            var servers: [Server] = []
            for record in try transaction.records(Self.serverModel).all() { servers.append(try Server(record)) }
            var entry = try Entry(record)
            try change(&entry, servers)
            try transaction.save(entry.record)
            return entry
        }
        cache.withLock { $0.keep(entry, since: start) }
        return entry
    }

    private static func unknown(_ tenant: String) -> StorageError {
        StorageError(.notFound, "The directory has no tenant \(tenant); add it by add(_:).")
    }

    static func isMoving(_ tenant: String) -> StorageError {
        StorageError(
            .conflict, "The tenant \(tenant) is being moved; finish that move, or give it up by cancelMove(of:).")
    }

    // MARK: Changes

    /// Begins a lookup or a change, and to observe the store unless it is observed.
    private func begin() -> TenantCache.Start {
        let (start, mustFollow) = cache.withLock { ($0.begin(), $0.beginFollowing()) }
        if mustFollow { follow() }
        return start
    }

    private func follow() {
        // Made before the lookup, so that no change comes between.
        var changes = store.changes(ofRecords: Self.tenantModel).makeAsyncIterator()
        let task = Task { [weak self] in
            while let change = try? await changes.next() {
                var tenants: [String]?
                if case .commit(let commit) = change, case .keys(_, let updated, let deleted) = commit.changes {
                    // An added tenant is not known, or was deleted before.
                    tenants = (updated + deleted).compactMap {
                        if case .text(let tenant)? = $0.first { tenant } else { nil }
                    }
                }
                self?.cache.withLock { $0.noteChange(of: tenants) }
            }
            // An observer that ends begins again at the next lookup.
            self?.cache.withLock { $0.endFollowing() }
        }
        cache.withLock { $0.following = task }
    }

    deinit { cache.withLock { $0.following?.cancel() } }
}
