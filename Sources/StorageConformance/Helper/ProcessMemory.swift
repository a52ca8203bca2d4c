internal import Foundation

enum ProcessMemory {
    /// The most memory that the process has had so far, in KiB; nil if the system does not say.
    static var peak: Int? {
        #if canImport(Darwin)
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        return usage.ru_maxrss / 1024
        #else
        // What getrusage says begins there with the memory of the process that has started this one.
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first
        #endif
    }
}
