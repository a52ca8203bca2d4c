internal import Dispatch
internal import Synchronization

/// Threads for one case. A case that never returns blocks these, and none of the runtime's few.
final class CaseExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ name: String) { queue = DispatchQueue(label: name, attributes: .concurrent) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// Runs the body on the executor. Returns nil if it has not returned by the deadline; it is then cancelled and
/// abandoned.
func withDeadline<T: Sendable>(
    _ deadline: Duration, on executor: CaseExecutor, _ body: @escaping @Sendable () async -> T
) async -> T? {
    await withCheckedContinuation { (continuation: CheckedContinuation<T?, Never>) in
        let waiting = Waiting(continuation)
        let task = Task(executorPreference: executor) { waiting.resume(await body()) }
        let (seconds, attoseconds) = deadline.components
        let time = DispatchTime.now() + .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: time) {
            if waiting.resume(nil) { task.cancel() }
        }
    }
}

/// A continuation that the first of two resumes.
private final class Waiting<T: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<T, Never>?>

    init(_ continuation: CheckedContinuation<T, Never>) { self.continuation = Mutex(continuation) }

    @discardableResult
    func resume(_ value: sending T) -> Bool {
        guard
            let continuation = continuation.withLock({ waiting in
                defer { waiting = nil }
                return waiting
            })
        else { return false }
        continuation.resume(returning: value)
        return true
    }
}
