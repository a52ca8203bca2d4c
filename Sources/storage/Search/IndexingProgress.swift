import StorageAPI
import StorageJSON
import Synchronization
import TerminalOutput

/// The progress of search indexes that a command makes, as a line while it goes on and as a line for each that is complete.
final class IndexingProgress: Sendable {
    private let progress: ProgressLine
    private let line: RateLine
    private let done = Mutex<[Store.SearchProgress]>([])

    init(isWanted: Bool) {
        progress = ProgressLine(isWanted: isWanted)
        line = RateLine(progress)
    }

    func show(_ step: Store.SearchProgress) {
        done.withLock { done in
            done.removeAll { $0.model == step.model }
            done.append(step)
        }
        line.show(
            "Indexing \(step.model)", records: step.indexed, Double(step.indexed) / Double(max(step.total, 1)))
    }

    func clear() { progress.clear() }

    /// A line for each index, for people.
    var lines: [String] {
        done.withLock(\.self).map {
            "\(Terminal.bold($0.model.printable)): \($0.indexed.counted("record")) indexed for searches"
        }
    }

    /// The same for programs.
    var json: [JSONValue] {
        done.withLock(\.self).map { .object(["model": .string($0.model), "records": .count($0.indexed)]) }
    }
}
