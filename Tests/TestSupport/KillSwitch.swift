internal import Foundation
import Synchronization

/// Kills the process somewhere in the work that follows a number of commits.
///
/// It counts commits and not milliseconds, so a slow machine's writer has written as much as a fast one's when it goes.
package final class KillSwitch: Sendable {
    private let commitsLeft: Mutex<Int>
    private let isArmed = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - commits: how many commits are acknowledged before.
    ///   - turns: how far the processor counts from then on: where in the next commits the end comes.
    package init(afterCommits commits: Int, turns: Int) {
        commitsLeft = Mutex(commits)
        Thread.detachNewThread { [isArmed] in
            isArmed.wait()
            let counted = Atomic(0)
            for _ in 0..<turns { counted.add(1, ordering: .relaxed) }
            kill(getpid(), SIGKILL)
        }
    }

    /// Says that a commit has been acknowledged.
    package func committed() {
        let isLast = commitsLeft.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { isArmed.signal() }
    }

    /// Numbers for ``init(afterCommits:turns:)``: up to 4 commits, and then up to as long as a few of them take.
    package static func random() -> (commits: Int, turns: Int) { (.random(in: 1...4), .random(in: 0...1_000_000)) }
}
