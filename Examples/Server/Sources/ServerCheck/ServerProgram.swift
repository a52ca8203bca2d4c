import AsyncHTTPClient
import Foundation
import NIOCore

/// The server in a process of its own, which may be stopped and started again.
actor ServerProgram {
    private let executable: String
    private let url: String
    private var process: Process?
    private var port = 0

    init(executable: String, url: String) {
        self.executable = executable
        self.url = url
    }

    func address(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Starts it and returns when it listens.
    func start() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.environment = ["STORAGE_URL": url, "PORT": "0"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        self.process = process
        for try await line in output.fileHandleForReading.lines {
            guard let found = line.split(separator: " ").last.flatMap({ Int($0) }) else { continue }
            port = found
            return
        }
        throw ServerError.ended
    }

    /// Sends it a signal and waits for its end.
    ///
    /// - Returns: its exit status.
    func stop(_ signal: Int32) async throws -> Int32 {
        guard let process else { return 0 }
        kill(process.processIdentifier, signal)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
    }
}

enum ServerError: Error {
    /// The server has ended before it listened.
    case ended
}

extension FileHandle {
    /// The lines that come, until the other side is closed.
    fileprivate var lines: AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                var rest = ""
                while true {
                    let data = self.availableData
                    if data.isEmpty { break }
                    rest += String(decoding: data, as: UTF8.self)
                    while let end = rest.firstIndex(of: "\n") {
                        continuation.yield(String(rest[..<end]))
                        rest = String(rest[rest.index(after: end)...])
                    }
                }
                continuation.finish()
            }
        }
    }
}
