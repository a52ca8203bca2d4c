import Foundation

/// A device: a store file, and a process for each command.
struct DeviceProgram: Sendable {
    let executable: String
    let folder: String
    let user: String
    var token: String

    /// The result of a command.
    struct Result {
        let lines: [String]
        let status: Int32
    }

    /// Runs one command.
    func run(_ words: [String], hub: String) async throws -> Result {
        let running = try start(words, hub: hub)
        var lines: [String] = []
        for await line in running.lines { lines.append(line) }
        return Result(lines: lines, status: await running.process.ended())
    }

    /// A command that goes on, its input and its lines.
    struct Running: Sendable {
        let process: Process
        let input: FileHandle
        let lines: AsyncStream<String>

        func type(_ line: String) { input.write(Data("\(line)\n".utf8)) }
    }

    func start(_ words: [String], hub: String) throws -> Running {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = words
        process.environment = [
            "SYNC_STORE": "\(folder)/\(user).db", "SYNC_USER": user, "SYNC_TOKEN": token, "SYNC_HUB": hub,
        ]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        return Running(
            process: process, input: input.fileHandleForWriting, lines: output.fileHandleForReading.textLines)
    }
}
