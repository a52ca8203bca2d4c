import StorageAPI
import StorageDriver
import Synchronization

/// The rounds in which a hub answers exchanges.
///
/// An exchange that arrives while others are answered waits, and the next round answers all that wait. A round reads two snapshots
/// and makes one commit, so the more exchanges arrive, the less one costs. An exchange that finds the hub at rest is a round
/// of its own, on its caller's task.
final class ExchangeRounds: Sendable {
    /// The rounds that run at once: while one waits for its commit, another one reads.
    private static let mostRunning = 2
    /// The exchanges of a round.
    private static let mostCalls = 256

    private struct State {
        var running = 0
        var waiting: [ExchangeCall] = []
    }

    private let state = Mutex(State())

    /// The answer of a round to an exchange.
    ///
    /// - Parameter run: answers the exchanges of a round.
    /// - Throws: `cancelled` if the task is cancelled while the exchange waits for its round; the errors of the round.
    func answer(
        _ exchange: Exchange, by run: @escaping @Sendable ([ExchangeCall]) async -> Void
    ) async throws(StorageError) -> ExchangeAnswer {
        let call = ExchangeCall(exchange)
        if begins(with: call) {
            await run([call])
            continueWaiting(run)
        }
        let outcome = await withTaskCancellationHandler {
            await call.outcome
        } onCancel: {
            guard withdraw(call) else { return }
            call.end(with: .failure(StorageError(.cancelled, "The task was cancelled.", operation: "sync")))
        }
        return try outcome.get()
    }

    /// Returns whether an exchange begins a round; otherwise it waits.
    private func begins(with call: ExchangeCall) -> Bool {
        state.withLock { state in
            guard state.running < Self.mostRunning, state.waiting.isEmpty else {
                state.waiting.append(call)
                return false
            }
            state.running += 1
            return true
        }
    }

    /// Ends a round, and begins the next one if exchanges wait.
    private func continueWaiting(_ run: @escaping @Sendable ([ExchangeCall]) async -> Void) {
        let next = state.withLock { state in
            let next = Self.round(of: state.waiting)
            state.waiting.removeFirst(next.count)
            if next.isEmpty { state.running -= 1 }
            return next
        }
        if next.isEmpty { return }
        // The round belongs to no request, so it has no task-local values of one.
        Task.detached {
            await run(Array(next))
            self.continueWaiting(run)
        }
    }

    /// The first exchanges that wait: one, and the ones after it as long as their patches together would fit one message.
    private static func round(of waiting: [ExchangeCall]) -> ArraySlice<ExchangeCall> {
        var (count, size) = (0, 0)
        let end = waiting.indices.first { index in
            let patches = waiting[index].exchange.request.patches
            count += patches.count
            size += patches.reduce(0) { $0 + $1.count }
            return index > 0 && (count > ExchangeRequest.patchLimit || size > SyncFrame.fill) || index == mostCalls
        }
        return waiting[..<(end ?? waiting.endIndex)]
    }

    private func withdraw(_ call: ExchangeCall) -> Bool {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0 === call }) else { return false }
            state.waiting.remove(at: index)
            return true
        }
    }
}

/// A message of a replica that waits for its answer.
struct Exchange: Sendable {
    let request: ExchangeRequest
    let patches: IncomingPatches
    /// The mark of the message.
    let question: [UInt8]
    let user: String?
}

/// An exchange, whose caller waits for the outcome.
final class ExchangeCall: Sendable {
    typealias Outcome = Result<ExchangeAnswer, StorageError>

    private struct State {
        var outcome: Outcome?
        var caller: CheckedContinuation<Outcome, Never>?
    }

    let exchange: Exchange
    private let state = Mutex(State())

    init(_ exchange: Exchange) { self.exchange = exchange }

    /// Waits for the outcome.
    fileprivate var outcome: Outcome {
        get async {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.caller = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        }
    }

    /// Gives the caller an outcome, unless an earlier call has.
    func end(with outcome: Outcome) {
        let caller = state.withLock { state in
            guard state.outcome == nil else { return nil as CheckedContinuation<Outcome, Never>? }
            state.outcome = outcome
            defer { state.caller = nil }
            return state.caller
        }
        caller?.resume(returning: outcome)
    }
}
