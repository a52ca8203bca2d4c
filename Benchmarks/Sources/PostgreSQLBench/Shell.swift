import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// Runs a program and returns its output and the time it took, in seconds. An end with an error is one.
@discardableResult
func run(_ program: String, _ arguments: String...) throws -> (text: String, seconds: Double) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let output = Pipe()
    process.standardOutput = output
    let began = ContinuousClock.now
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    guard process.terminationStatus == 0 else { throw Failure(text: "\(program) \(arguments): \(text)") }
    return (text.trimmingCharacters(in: .whitespacesAndNewlines), seconds)
}

struct Failure: Error { let text: String }

/// The greatest memory of this process, in KiB. What getrusage says begins with that of the process that started it.
func greatestMemory() -> Int {
    #if canImport(Glibc)
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    #else
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return Int(usage.ru_maxrss) / 1024
    #endif
}

/// The address of the server.
let server = ProcessInfo.processInfo.environment["STORAGE_POSTGRESQL"] ?? ""
