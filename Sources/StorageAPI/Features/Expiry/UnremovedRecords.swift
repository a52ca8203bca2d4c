import StorageDriver
import Synchronization

/// The expired records that cannot be deleted, for example because a reference denies it, by model.
///
/// The next write tries again. If that fails too, a write tries again after 2, 4, 8 and at most 1,024 writes, or after a
/// minute. So the records cost most writes only an exclusion list.
final class UnremovedRecords: Sendable {
    private struct Model {
        var keys: [[Value]]
        var reason: StorageError?
        var failures = 0
        /// The number of writes before the next attempt.
        var waits = 0
        var lastTry: Double
    }

    /// The maximum number of known records of a model. If a model has more, no record of the model is deleted between two
    /// tries.
    static let most = 64
    private static let mostWaits = 1024
    private static let secondsBetweenTries = 60.0

    private let models = Mutex<[StoredName: Model]>([:])
    private let isEmpty = Atomic(true)

    /// The known records of a model, and whether the write is to try them. The keys are nil if the write is to delete no
    /// record of the model. Counts a write.
    func known(_ model: StoredName, now: Value, isExplicit: Bool) -> (keys: [[Value]]?, isDue: Bool) {
        if isEmpty.load(ordering: .acquiring) { return ([], true) }
        return models.withLock { models in
            guard var known = models[model] else { return ([], true) }
            let isLate = abs(Self.seconds(now) - known.lastTry) >= Self.secondsBetweenTries
            let isDue = isExplicit || isLate || known.waits == 0
            known.waits -= isDue ? 0 : 1
            models[model] = known
            // If the records are many, or the model cannot be read at all, a lookup costs too much.
            let isOpen = isDue || !known.keys.isEmpty && known.keys.count < Self.most
            return (isOpen ? known.keys : nil, isDue)
        }
    }

    /// Notes which records of a model stay.
    ///
    /// - Parameter isRetry: whether the records that had failed were tried.
    func set(_ keys: [[Value]], of model: StoredName, _ reason: StorageError?, now: Value, isRetry: Bool) {
        if keys.isEmpty, reason == nil, isEmpty.load(ordering: .acquiring) { return }
        models.withLock { models in
            defer { isEmpty.store(models.isEmpty, ordering: .releasing) }
            if keys.isEmpty, reason == nil { return models[model] = nil }
            var known = models[model] ?? Model(keys: [], lastTry: Self.seconds(now))
            known.keys = keys
            known.reason = reason ?? known.reason
            if isRetry {
                known.failures += 1
                // The first retry is the next write.
                known.waits = known.failures == 1 ? 0 : min(1 << min(known.failures - 1, 20), Self.mostWaits) - 1
                known.lastTry = Self.seconds(now)
            }
            models[model] = known
        }
    }

    /// The records of all models that stay, each with the reason.
    var all: [(model: StoredName, key: [Value], reason: StorageError?)] {
        models.withLock { models in
            models.sorted { $0.key < $1.key }.flatMap { name, model in
                model.keys.map { (name, $0, model.reason) }
            }
        }
    }

    private static func seconds(_ now: Value) -> Double { if case .double(let seconds) = now { seconds } else { 0 } }
}
