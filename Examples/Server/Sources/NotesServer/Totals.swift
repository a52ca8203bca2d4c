import CoreMetrics
import Synchronization

/// Metrics as a text, one line for each: how often it was recorded, and the sum. A real service has a library for that.
final class Totals: MetricsFactory {
    private let handlers = Mutex<[String: Total]>([:])

    /// `storage.rows.written{db.operation.name="save",…} 12 34`
    var text: String {
        handlers.withLock { handlers in
            handlers.sorted { $0.key < $1.key }
                .map { "\($0.key) \($0.value.count) \($0.value.sum)\n" }.joined()
        }
    }

    private func total(_ label: String, _ dimensions: [(String, String)]) -> Total {
        let key = label + "{" + dimensions.map { "\($0)=\"\($1)\"" }.joined(separator: ",") + "}"
        return handlers.withLock { handlers in
            if let known = handlers[key] { return known }
            let total = Total()
            handlers[key] = total
            return total
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { total(label, dimensions) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { total(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        total(label, dimensions)
    }
    func destroyCounter(_: any CounterHandler) {}
    func destroyTimer(_: any TimerHandler) {}
    func destroyRecorder(_: any RecorderHandler) {}
}

private final class Total: CounterHandler, TimerHandler, RecorderHandler {
    private let state = Mutex((count: 0, sum: 0.0))

    var count: Int { state.withLock { $0.count } }
    var sum: Double { state.withLock { $0.sum } }

    private func add(_ value: Double) {
        state.withLock { state in
            state.count += 1
            state.sum += value
        }
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
    func record(_ value: Int64) { add(Double(value)) }
    func record(_ value: Double) { add(value) }
    func reset() { state.withLock { $0 = (0, 0) } }
}
