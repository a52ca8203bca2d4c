import Foundation

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func require(_ holds: Bool, _ title: String) throws {
    guard holds else { throw Failure(title) }
}

/// The time that all threads of this process have used of a processor, in seconds.
func processor() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The seconds on the clock, and of the processor.
func times(_ body: () async throws -> Void) async rethrows -> (clock: Double, processor: Double) {
    let (began, used) = (ContinuousClock.now, processor())
    try await body()
    return ((ContinuousClock.now - began) / .seconds(1), processor() - used)
}

extension [Double] {
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}

/// Prints a figure beside its goal, which is the greatest value that reaches it.
func figure(_ title: String, _ value: Double, unit: String = "", digits: Int = 2, goal: Double? = nil) {
    func text(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value) + (unit.isEmpty ? "" : " " + unit)
    }
    let bound = goal.map { text($0, $0 == $0.rounded() ? 0 : digits) } ?? ""
    let verdict = goal.map { value <= $0 ? "reached" : "missed" } ?? ""
    print("| \(title) | \(text(value, digits)) | \(bound) | \(verdict) |")
}

/// The greatest resident memory of this process, in bytes. Linux's getrusage counts that of the process which it was spawned
/// from.
func peak() throws -> Int {
    #if canImport(Darwin)
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #else
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
        throw Failure("/proc/self/status has no VmHWM")
    }
    return kilobytes * 1024
    #endif
}
