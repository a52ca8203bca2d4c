import Foundation

@inline(never) func consume<T>(_ value: T) {}

/// Seconds that the body takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let begin = ContinuousClock.now
    try body()
    let (seconds, attoseconds) = (ContinuousClock.now - begin).components
    return Double(seconds) + Double(attoseconds) / 1e18
}

/// Medians of two bodies that take turns.
func medians(_ rounds: Int, _ left: () throws -> Void, _ right: () throws -> Void) rethrows -> (Double, Double) {
    var times: ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
        times.0.append(try seconds(left))
        times.1.append(try seconds(right))
    }
    return (times.0.sorted()[rounds / 2], times.1.sorted()[rounds / 2])
}

/// A line of the table: what was measured, the ratio that counts, and the goal.
func report(_ name: String, _ ratio: Double, _ goal: String, _ details: String) {
    let name = name.padding(toLength: 58, withPad: " ", startingAt: 0)
    print(name, String(format: "%9.2f", ratio), goal.padding(toLength: 10, withPad: " ", startingAt: 0), details)
}

/// The most memory that the process has ever held, in bytes.
func peakMemory() -> Int {
    #if canImport(Darwin)
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #else
    // On Linux getrusage counts from before the process became this program: it would tell the parent's memory.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    #endif
}

/// Runs asynchronous work and waits for it.
func waitFor(_ body: @escaping @Sendable () async throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
        do { try await body() } catch { print("failed: \(error)") }
        done.signal()
    }
    done.wait()
}

func bytes(of path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
}
