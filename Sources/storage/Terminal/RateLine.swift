import Synchronization
import TerminalOutput

/// A progress line of work on records: how many, how fast, and how far, drawn a few times a second.
final class RateLine: Sendable {
    private let line: ProgressLine
    private let start = ContinuousClock.now
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    init(_ line: ProgressLine) { self.line = line }

    /// - Parameter fraction: the part of the work that is done, from 0 to 1.
    func show(_ label: String, records: Int, _ fraction: Double) {
        let now = ContinuousClock.now
        let isDue = last.withLock { last in
            if let last, last.duration(to: now) <= .milliseconds(100) { return false }
            last = now
            return true
        }
        guard isDue else { return }
        let rate = Double(records) / max(start.duration(to: now).seconds, 0.001)
        line.show("\(label)  \(records.counted("record"))  \(rate.fixed(0))/s", fraction)
    }
}
