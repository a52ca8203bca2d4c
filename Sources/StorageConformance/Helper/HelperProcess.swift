internal import Foundation
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A running helper, and the lines that it writes.
///
/// Unchecked: `process` and `output` are set once; the mutex guards the changing state, and only one thread reads.
final class HelperProcess: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let waiting = Mutex<[UInt8]>([])

    /// Starts the helper in a role.
    init(_ command: HelperCommand, _ role: ConformanceHelper.Role, number: Int = 0) throws {
        process.executableURL = command.executable
        process.arguments = command.arguments + [role.rawValue, "\(number)"]
        process.standardOutput = output
        do {
            try process.run()
        } catch {
            throw HarnessFailure(message: "The helper \(command.executable.path) cannot be started: \(error)")
        }
    }

    /// Waits for the helper's next line; nil if the helper has ended.
    func line() -> String? {
        while true {
            let line = waiting.withLock { bytes -> String? in
                guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                defer { bytes.removeSubrange(...end) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            if let line { return line }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            waiting.withLock { $0 += more }
        }
    }

    /// The lines up to the helper's end.
    func lines() -> [String] { Array(sequence(state: ()) { _ in self.line() }) }

    /// Kills the helper at once, and waits for its end.
    func kill() {
        Self.kill(process)
        process.waitUntilExit()
    }

    static func kill(_ process: Process) {
        if process.isRunning { _ = send(process.processIdentifier, SIGKILL) }
    }

    private static func send(_ process: Int32, _ signal: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.kill(process, signal)
        #elseif canImport(Musl)
        Musl.kill(process, signal)
        #else
        Darwin.kill(process, signal)
        #endif
    }
}

extension Trial {
    /// Starts a helper at the trial's place. It ends with the case at the latest.
    func startHelper(_ role: ConformanceHelper.Role, _ number: Int = 0) throws -> HelperProcess {
        guard let command = place.helper() else {
            throw HarnessFailure(
                message: "The backend is durable or shared, and helper(at:) does not say how to start another process.")
        }
        note("// another process: ConformanceHelper.run(backend, arguments: [\"\(role.rawValue)\", \"\(number)\"])")
        let helper = try HelperProcess(command, role, number: number)
        keep(helper)
        return helper
    }

    /// The helper's next line.
    func line(of helper: HelperProcess) throws(ConformanceFailure) -> String {
        try required(helper.line(), "The helper process ended early.")
    }
}
