import Synchronization

/// A value that tasks can wait for to change.
final class Latest<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var number = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiting = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The value with the number of its changes.
    var current: (value: Value, number: Int) { state.withLock { ($0.value, $0.number) } }

    func change(_ body: (inout Value) -> Void) {
        let waiting = state.withLock { state in
            body(&state.value)
            state.number += 1
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the value has changed since it had a number, or the task is cancelled.
    func wait(after number: Int) async {
        let own = state.withLock { state in
            state.lastWaiting += 1
            return state.lastWaiting
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.number != number || Task.isCancelled { return true }
                    state.waiting[own] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: own) }?.resume()
        }
    }
}

/// Lets one task after the other pass, in the order in which they come.
final class Gate: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken {
                    state.waiting.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
