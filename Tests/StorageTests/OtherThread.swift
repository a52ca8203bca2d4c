import Dispatch
import Foundation
import Synchronization

/// Runs a call on a thread of its own while the caller waits for it: what somebody else does during a body.
@discardableResult
func onAnotherThread<T: Sendable>(_ call: @escaping @Sendable () throws -> T) throws -> T {
    let answer = Answer<T>()
    Thread.detachNewThread { answer.give(Result { try call() }) }
    return try answer.get()
}

/// An answer that one thread leaves for another.
private final class Answer<T: Sendable>: Sendable {
    private let result = Mutex<Result<T, any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func give(_ answer: Result<T, any Error>) {
        result.withLock { $0 = answer }
        isThere.signal()
    }

    func get() throws -> T {
        while true {
            isThere.wait()
            if let answer = result.withLock({ $0 }) { return try answer.get() }
        }
    }
}
