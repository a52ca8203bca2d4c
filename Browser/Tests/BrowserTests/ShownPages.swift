import Foundation

/// The programs and folders that scripts/check-browser names.
enum Places {
    static func place(_ variable: String) -> String { ProcessInfo.processInfo.environment[variable] ?? "" }

    static let tool = place("STORAGE_TOOL")
    static let fixture = place("STORAGE_BROWSER_FIXTURE")
    static let chinook = place("STORAGE_CHINOOK")
    static let cities = place("STORAGE_CITIES")
    static let postgresql = place("STORAGE_POSTGRESQL")
    static let axe = place("STORAGE_AXE")
    static let screenshots = place("STORAGE_SCREENSHOTS")

    /// A new folder, for the stores of one test.
    static func folder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("browser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    /// The addresses of new stores, one on each engine.
    static func newStores() throws -> [(scheme: String, url: String)] {
        let schema = "browser_" + UUID().uuidString.replacing("-", with: "").lowercased()
        let separator = postgresql.contains("?") ? "&" : "?"
        return [
            ("sqlite", "sqlite:\(try folder())/store"), ("archive", "archive:\(try folder())/store"),
            ("postgresql", "\(postgresql)\(separator)schema=\(schema)"),
        ]
    }

    /// Runs the program that makes stores; returns what it prints.
    @discardableResult
    static func makeStore(_ arguments: String...) async throws -> String { try await run(fixture, arguments) }

    /// Runs a program; returns what it prints.
    static func run(_ program: String, _ arguments: String...) async throws -> String {
        try await run(program, arguments)
    }

    private static func run(_ program: String, _ arguments: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: data)
            }
        }
        guard process.terminationStatus == 0 else { throw WebDriver.Failure(description: "\(arguments) failed") }
        return String(decoding: data, as: UTF8.self)
    }
}

/// `storage browse` in a process of its own.
final class ShownPages: Sendable {
    private let process: Process
    /// The address that is printed, with its token.
    let entrance: String
    /// The address without a path.
    let site: String

    init(_ store: String) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Places.tool)
        process.arguments = ["browse", store]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        self.process = process
        entrance = try await output.fileHandleForReading.firstMatch(of: #/(http://\S+)/#)
        site = entrance.components(separatedBy: "/?")[0]
    }

    var processIdentifier: Int32 { process.processIdentifier }

    /// Ends it as Ctrl-C does; returns its exit status.
    @discardableResult
    func end() async -> Int32 {
        kill(process.processIdentifier, SIGINT)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process] in
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
    }

    /// The resident memory in megabytes.
    var memory: Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        return text.firstMatch(of: #/VmRSS:\s+(\d+) kB/#).flatMap { Int($0.1) }.map { $0 / 1024 } ?? 0
    }

    /// Asks for a page without a browser.
    func answer(
        _ path: String, cookie: String? = nil, headers: [String: String] = [:], method: String = "GET"
    ) async throws -> PlainHTTP.Answer {
        var sent = [("Host", headers["Host"] ?? String(site.dropFirst("http://".count)))]
        sent += headers.filter { $0.key != "Host" }.map { ($0.key, $0.value) }
        if let cookie { sent.append(("Cookie", cookie)) }
        let port = Int(site.split(separator: ":").last ?? "") ?? 0
        return try await PlainHTTP.send(method, path, port: port, headers: sent)
    }

    /// The cookie that the ticket is exchanged for.
    func cookie() async throws -> String {
        let answer = try await answer(String(entrance.dropFirst(site.count)))
        return answer.headers["set-cookie"]?.components(separatedBy: ";")[0] ?? ""
    }
}
