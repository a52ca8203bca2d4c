internal import Dispatch
internal import StorageDriver
import Synchronization

/// A question to a server whose answer serves all callers that came before it was sent.
///
/// While one question is under way, callers that come wait for the next, which the first of them sends. So an answer is never
/// older than the call that gets it, and one question at a time is under way, whatever the number of callers.
final class SharedQuestion<Answer: Sendable>: Sendable {
    private final class Round: Sendable {
        let end = DispatchGroup()
        /// Nil until the question is answered, and if it has failed.
        let answer = Mutex<Answer?>(nil)
    }

    private struct State {
        /// The question under way.
        var sent: Round?
        /// The question that callers wait for and that is not sent yet.
        var next: Round?
    }

    private let state = Mutex(State())

    /// Returns the answer to a question that is sent after the call.
    ///
    /// - Parameter question: sends the question; one of the callers that share it calls this. If it fails, each of the others
    ///   sends the question itself, because the failure may concern that caller alone.
    func ask(_ question: () throws(StorageError) -> Answer) throws(StorageError) -> Answer {
        let (round, before, isShared) = state.withLock { state in
            if let next = state.next { return (next, nil as Round?, true) }
            let round = Round()
            round.end.enter()
            state.next = round
            return (round, state.sent, false)
        }
        if isShared {
            round.end.wait()
            if let answer = round.answer.withLock({ $0 }) { return answer }
            return try question()
        }
        before?.end.wait()
        state.withLock { $0 = State(sent: round) }
        defer {
            state.withLock { if $0.sent === round { $0.sent = nil } }
            round.end.leave()
        }
        let answer = try question()
        round.answer.withLock { $0 = answer }
        return answer
    }
}
