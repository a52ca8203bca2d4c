import Foundation

extension URL {
    /// The file's bytes, unpacked where its name ends in `.zst`.
    func contents() throws(ToolError) -> Data {
        if pathExtension == "zst" { return try Zstd().unpack(self) }
        do {
            return try Data(contentsOf: self)
        } catch {
            throw ToolError("\(path) cannot be read: \(Self.reason(error))")
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: "there is no such file."
        case .fileReadNoPermission: "permission is denied."
        default: "\(error.localizedDescription)"
        }
    }
}

/// The `zstd` command, which is used where it is installed rather than a library for one file of the demo.
struct Zstd {
    private static let name = "zstd"

    func unpack(_ file: URL) throws(ToolError) -> Data {
        guard let program = Self.find() else {
            throw ToolError(
                "\(file.lastPathComponent) is compressed and the command zstd is not installed; "
                    + "install it (apt-get install zstd, brew install zstd) or unpack the file.")
        }
        do {
            return try run(program, file)
        } catch let error as ToolError {
            throw error
        } catch {
            throw ToolError("\(program.path) cannot be run: \(error.localizedDescription)")
        }
    }

    private func run(_ program: URL, _ file: URL) throws -> Data {
        let process = Process()
        let output = Pipe()
        let problems = Pipe()
        process.executableURL = program
        process.arguments = ["--decompress", "--stdout", "--quiet", "--", file.path]
        process.standardOutput = output
        process.standardError = problems
        try process.run()
        // zstd --quiet says one line at most, so the pipe that is read last cannot fill up.
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        let problem = try problems.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let lines = String(decoding: problem, as: UTF8.self).split(whereSeparator: \.isNewline)
            throw ToolError("\(file.path) cannot be unpacked: \(lines.joined(separator: " "))")
        }
        return data
    }

    private static func find() -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
