#if Metrics
public import Metrics
public import StorageAPI
import StorageDriver
import Synchronization

/// Reports the calls of a store to swift-metrics.
///
/// Give it to a store when it opens: `instruments: [StoreMetrics()]`.
///
/// | metric | kind | value |
/// |---|---|---|
/// | `db.client.operation.duration` | timer | the duration of calls, with all waiting |
/// | `storage.rows.read`, `storage.rows.written` | counter | rows of the engine: one for each record and owned record |
/// | `storage.bytes.read`, `storage.bytes.written` | counter | bytes of their values |
/// | `storage.waiting.writers` | recorder | the number of waiting writes when one began |
///
/// All have the dimensions `db.system.name`, `db.operation.name` and, if the call is about one model,
/// `db.collection.name`. The timer of failed calls has `error.type` too, the error's code. The names are those of
/// OpenTelemetry's conventions for databases, where it has one.
public struct StoreMetrics: Store.Instrument {
    private let factory: any MetricsFactory
    private let known = Known()

    /// Metrics of a factory, by default the one that the program has bootstrapped.
    public init(factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

    public func begin(_ call: Store.Call) -> (@Sendable (Store.Call.End) -> Void)? {
        let metrics = metrics(of: call, nil)
        if call.isWriting { metrics.waitingWriters.record(call.waitingWriters) }
        return { end in
            let timer = end.error.map { self.metrics(of: call, $0.code.rawValue).duration } ?? metrics.duration
            timer.record(duration: end.duration)
            metrics.rowsRead.increment(by: end.rowsRead)
            metrics.rowsWritten.increment(by: end.rowsWritten)
            metrics.bytesRead.increment(by: end.bytesRead)
            metrics.bytesWritten.increment(by: end.bytesWritten)
        }
    }

    private func metrics(of call: Store.Call, _ error: String?) -> CallMetrics {
        let kind = CallKind(operation: call.operation, model: call.model, backend: call.backend, error: error)
        return known.list.withLock { list in
            if let metrics = list[kind] { return metrics }
            let metrics = CallMetrics(kind, factory)
            list[kind] = metrics
            return metrics
        }
    }

    /// The metrics made so far: as many as there are verbs, models and codes of errors.
    private final class Known: Sendable {
        let list = Mutex<[CallKind: CallMetrics]>([:])
    }
}

/// Calls that share their metrics.
private struct CallKind: Hashable, Sendable {
    let operation: String
    let model: String?
    let backend: String
    let error: String?

    var dimensions: [(String, String)] {
        [("db.system.name", backend), ("db.operation.name", operation)]
            + (model.map { [("db.collection.name", $0)] } ?? []) + (error.map { [("error.type", $0)] } ?? [])
    }
}

private struct CallMetrics: Sendable {
    let duration: Metrics.Timer
    let rowsRead: Counter
    let rowsWritten: Counter
    let bytesRead: Counter
    let bytesWritten: Counter
    let waitingWriters: Recorder

    init(_ kind: CallKind, _ factory: any MetricsFactory) {
        let dimensions = kind.dimensions
        duration = Metrics.Timer(
            label: "db.client.operation.duration", dimensions: dimensions, factory: factory)
        rowsRead = Counter(label: "storage.rows.read", dimensions: dimensions, factory: factory)
        rowsWritten = Counter(label: "storage.rows.written", dimensions: dimensions, factory: factory)
        bytesRead = Counter(label: "storage.bytes.read", dimensions: dimensions, factory: factory)
        bytesWritten = Counter(label: "storage.bytes.written", dimensions: dimensions, factory: factory)
        waitingWriters = Recorder(
            label: "storage.waiting.writers", dimensions: dimensions, aggregate: true, factory: factory)
    }
}
#endif
