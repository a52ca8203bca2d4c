import ArgumentParser
import StorageAPI
import TerminalOutput

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

        /// Prints the numbers.
        ///
        /// - Throws: the tool's end, unless all stores are as the lock says.
        func tell(isPlan: Bool) throws {
            print(
                "\(changed.counted("store")) \(isPlan ? "to change" : "changed"), \(upToDate) up to date, \(failed) failed."
            )
            guard remaining == 0 else {
                throw ToolError(
                    "\(remaining.counted("store")) not tried; run the same command again to go on.",
                    wasCancelled ? .interrupted : .negative)
            }
            if failed > 0 { throw ExitCode(ToolExit.negative.rawValue) }
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
    ///   - progress: shows the number of stores that are done. What is to be said of a store is printed.
    func run(atOnce: Int, stoppingAfter failures: Int, _ progress: ProgressLine) async -> Result {
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
                progress.clear()
                for line in lines { print(line.printable) }
                progress.show("Migrating \(done) of \(targets.count)", Double(done) / Double(max(targets.count, 1)))
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
