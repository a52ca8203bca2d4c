import Foundation

/// The server in a process of its own, which may be killed and started again, each time at another free port.
actor ServerProgram {
    private let executable: String
    private let url: String
    private var process: Process?
    private var port = 0

    init(executable: String, url: String) { (self.executable, self.url) = (executable, url) }

    /// The address of the hub; that of the last server while none runs.
    var hub: String { "http://127.0.0.1:\(port)/sync" }

    /// Starts it, and returns when it listens.
    func start() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = [url, "0"]
        process.environment = ["SYNC_USERS": "ada:secret1,ben:secret2"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        self.process = process
        for await line in output.fileHandleForReading.textLines {
            guard let found = line.split(separator: " ").last.flatMap({ Int($0) }) else { continue }
            port = found
            return
        }
        throw CheckError(text: "The server has ended before it listened.")
    }

    /// Sends it a signal, and returns its status when it has ended.
    @discardableResult
    func stop(_ signal: Int32) async -> Int32 {
        guard let process else { return 0 }
        self.process = nil
        kill(process.processIdentifier, signal)
        return await process.ended()
    }
}

struct CheckError: Error {
    let text: String
}

extension Process {
    /// The status, when the process has ended.
    func ended() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.waitUntilExit()
                continuation.resume(returning: self.terminationStatus)
            }
        }
    }
}

extension FileHandle {
    /// The lines that come, until the other side is closed.
    var textLines: AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                var rest: [UInt8] = []
                while true {
                    let data = self.availableData
                    if data.isEmpty { break }
                    rest += data
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest.removeSubrange(...end)
                    }
                }
                continuation.finish()
            }
        }
    }
}
