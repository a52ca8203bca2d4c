import TerminalOutput

/// Prints what the demo does, and keeps the times for the table at the end.
final class Report {
    private var sections = 0
    private var timings: [Timing] = []

    private struct Timing {
        let operation: String
        /// nil where a number of records would say nothing.
        let records: Int?
        let time: Duration
    }

    func title(_ text: String) {
        print(Terminal.bold(text))
        print()
    }

    /// A line of what the demo works with.
    func fact(_ name: String, _ text: String) { print("  \(name.padded(to: 8))  \(text)") }

    /// Begins a section: its number, its title, the Swift lines that are run.
    func section(_ title: String, _ code: String) {
        sections += 1
        print()
        print(Terminal.bold("\(sections). \(title)"))
        print()
        if code.isEmpty { return }
        for line in code.split(separator: "\n") { print(Terminal.dim("     \(line)")) }
        print()
    }

    func say(_ text: String, indent: Int = 3) { print(String(repeating: " ", count: indent) + text) }

    func table(_ table: TextTable) {
        for line in table.lines { print("   \(line)") }
    }

    func blank() { print() }

    /// Runs an operation and remembers its time.
    func timed<T>(
        _ operation: String, records: ((T) -> Int)? = nil, _ work: () async throws -> T
    ) async throws -> T {
        let (result, time) = try await measured(work)
        timings.append(Timing(operation: operation, records: records?(result), time: time))
        return result
    }

    /// The duration of the last timed operation.
    var lastTime: Duration { timings.last?.time ?? .zero }

    /// The table of all times so far.
    var timingTable: TextTable {
        var table = TextTable("operation", .number("records"), .number("time"), .number("records/s"))
        for timing in timings {
            let rate = timing.records.map { (Double($0) / timing.time.seconds).fixed(0) }
            table.add(timing.operation, timing.records?.grouped ?? "–", timing.time.short, rate ?? "–")
        }
        return table
    }
}

/// Runs something and says how long it took.
func measured<T>(_ work: () async throws -> T) async throws -> (T, Duration) {
    let start = ContinuousClock.now
    let result = try await work()
    return (result, start.duration(to: .now))
}
