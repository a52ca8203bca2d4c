internal import StorageAPI
public import StorageDriver

extension Tenants {
    /// The result of a migration.
    public struct Migration: Sendable {
        /// A tenant whose store could not be migrated, and is as it was.
        public struct Failure: Sendable {
            public let tenant: String
            public let error: StorageError
        }

        /// The number of stores that are as the models declare them.
        public fileprivate(set) var count = 0
        /// The stores that could not be migrated.
        public fileprivate(set) var failures: [Failure] = []
        /// The tenants that were not tried, because the task was cancelled or too many others had failed: with them it goes on.
        public fileprivate(set) var remaining: [String] = []

        /// True if all stores are as the models declare them.
        public var isComplete: Bool { failures.isEmpty && remaining.isEmpty }
    }

    /// Brings the stores of tenants to what the models declare, some at a time.
    ///
    /// ```swift
    /// let tenants = Tenants(models: [Person.self]) { tenant in SQLiteBackend(path: "tenants/\(tenant).db") }
    /// let migration = await tenants.migrate(["acme", "globex"]) { progress in
    ///     print(progress.count, progress.failures.count)
    /// }
    /// ```
    ///
    /// Each store is migrated in a transaction of its own, as it is when it is opened: a migration that is killed leaves each store
    /// as it was or as it is declared, and the next one finds that out by opening them. The store of a tenant that fails is left as it
    /// was, and the others are migrated.
    ///
    /// - Parameters:
    ///   - names: the tenants, each once.
    ///   - atOnce: the number of stores that are migrated at the same time.
    ///   - failures: the number of failures after which no other store is begun.
    ///   - progress: is told after each store, one call at a time.
    /// - Returns: what was done. Nothing is thrown for a store that fails.
    public nonisolated(nonsending) func migrate(
        _ names: [String], atOnce: Int = 4, stoppingAfter failures: Int = 10,
        progress: @Sendable (Migration) -> Void = { _ in }
    ) async -> Migration {
        var migration = Migration()
        var next = names.startIndex
        await withTaskGroup(of: (String, StorageError?).self) { group in
            func begin() {
                let mayBegin = !Task.isCancelled && migration.failures.count < max(failures, 1)
                guard next < names.endIndex, mayBegin else { return }
                let name = names[next]
                next += 1
                group.addTask { (name, await self.failure(of: name)) }
            }
            for _ in 0..<max(atOnce, 1) { begin() }
            while let (name, error) = await group.next() {
                if let error {
                    migration.failures.append(Migration.Failure(tenant: name, error: error))
                } else {
                    migration.count += 1
                }
                progress(migration)
                begin()
            }
        }
        migration.remaining = Array(names[next...])
        return migration
    }

    /// Brings the stores of all tenants of the directory to what the models declare; as for named tenants.
    ///
    /// - Throws: `configuration` without a directory; errors of reading it. Nothing is thrown for a store that fails.
    public nonisolated(nonsending) func migrate(
        atOnce: Int = 4, stoppingAfter failures: Int = 10, progress: @Sendable (Migration) -> Void = { _ in }
    ) async throws(StorageError) -> Migration {
        let names = try await requireDirectory().tenants().map(\.tenant)
        return await migrate(names, atOnce: atOnce, stoppingAfter: failures, progress: progress)
    }

    /// Opens a tenant's store, which migrates it, and closes it unless it was open before.
    private nonisolated(nonsending) func failure(of tenant: String) async -> StorageError? {
        do throws(StorageError) {
            let wasOpen = state.withLock { $0.open[tenant] != nil }
            let number = try await take(tenant).number
            give(tenant, number)
            if !wasOpen { await closeUnused(tenant) }
            return nil
        } catch {
            return error
        }
    }

    private nonisolated(nonsending) func closeUnused(_ tenant: String) async {
        if state.withLock({ $0.open[tenant]?.uses == 0 }) { await close(tenant) }
    }
}
