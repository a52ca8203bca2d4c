import StorageAPI

/// Changes stores to the schema of a lock, some at a time.
struct ManyStores: Sendable {
    struct Target: Sendable {
        let name: String
        let open: @Sendable () async throws -> Store
    }

    struct Result: Sendable {
        var changed = 0
        var upToDate = 0
        var failed = 0
        /// The number of stores that were not tried.
        var remaining = 0
        var wasCancelled = false

        func summary(isPlan: Bool) -> String {
            let parts = [
                "\(changed.counted("store")) \(isPlan ? "to change" : "changed")", "\(upToDate) up to date",
                "\(failed) failed",
            ]
            return parts.joined(separator: ", ") + "."
        }
    }

    private enum Outcome: Sendable {
        case changed([String])
        case upToDate
        case failed(String)
        case cancelled
    }

    let targets: [Target]
    let lock: Store.SchemaLock
    /// True if nothing is changed.
    let isPlan: Bool

    /// - Parameters:
    ///   - failures: the number of failures after which no other store is begun.
    ///   - tell: is told after each store, with the lines to print.
    func run(
        atOnce: Int, stoppingAfter failures: Int, tell: (_ done: Int, _ lines: [String]) -> Void
    ) async -> Result {
        var (result, next, done) = (Result(), 0, 0)
        await withTaskGroup(of: (String, Outcome).self) { group in
            func begin() {
                guard next < targets.count, !Task.isCancelled, result.failed < failures else { return }
                let target = targets[next]
                next += 1
                group.addTask { (target.name, await self.outcome(of: target)) }
            }
            for _ in 0..<atOnce { begin() }
            while let (name, outcome) = await group.next() {
                done += 1
                var lines: [String] = []
                switch outcome {
                case .changed(let changes):
                    result.changed += 1
                    lines = changes.map { "\(name): \($0)" }
                case .upToDate: result.upToDate += 1
                case .failed(let message):
                    result.failed += 1
                    lines = ["\(name): \(message)"]
                case .cancelled: result.remaining += 1
                }
                tell(done, lines)
                begin()
            }
        }
        result.remaining += targets.count - next
        result.wasCancelled = Task.isCancelled
        return result
    }

    private func outcome(of target: Target) async -> Outcome {
        do {
            let store = try await target.open()
            let outcome: Outcome
            do {
                outcome = try await change(store)
            } catch {
                // What failed first is what the person has to know.
                try? await store.close()
                throw error
            }
            try await store.close()
            return outcome
        } catch let error as StorageError {
            return error.code == .cancelled ? .cancelled : .failed(error.message)
        } catch {
            return .failed("\(error)")
        }
    }

    private func change(_ store: Store) async throws -> Outcome {
        // Nearly all are as the lock says where a run goes on, which is known without a plan.
        if try await store.schemaLock() == lock { return .upToDate }
        let changes = try await store.plan(for: lock.models)
        if changes.isEmpty { return .upToDate }
        guard !isPlan else { return .changed(changes.map(\.description)) }
        try await store.migrate(to: lock.models)
        // Reports indexes that could not be made beside writers, which fail no change.
        try await store.buildIndexes()
        return .changed([])
    }
}
