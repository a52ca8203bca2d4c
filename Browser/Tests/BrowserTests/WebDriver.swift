import Foundation

/// A headless browser, driven by the WebDriver protocol over HTTP.
final class WebDriver: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let process: Process
    private let port: Int
    private let session: String

    /// Starts chromedriver, which STORAGE_CHROMEDRIVER names, and a browser.
    init() async throws {
        let process = Process()
        let program = ProcessInfo.processInfo.environment["STORAGE_CHROMEDRIVER"] ?? "/usr/bin/chromedriver"
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--port=0"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        let port = try await output.fileHandleForReading.firstMatch(of: #/started successfully on port (\d+)/#)
        self.port = Int(port) ?? 0
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--window-size=1280,860",
        ]
        let wanted: [String: any Sendable] = [
            "capabilities": [
                "alwaysMatch": [
                    "goog:chromeOptions": ["args": arguments] as [String: any Sendable],
                    "goog:loggingPrefs": ["browser": "ALL"],
                ] as [String: any Sendable]
            ]
        ]
        let answer = try await Self.send("POST", "/session", self.port, wanted) as? [String: Any]
        guard let session = answer?["sessionId"] as? String else {
            throw Failure(description: "no session: \(answer ?? [:])")
        }
        self.session = session
        // A script may scroll through a thousand pages.
        _ = try await command("POST", "/timeouts", ["script": 300_000])
    }

    func quit() async {
        _ = try? await command("DELETE", "")
        // It takes no notice of a polite signal.
        kill(process.processIdentifier, SIGKILL)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process] in
                process.waitUntilExit()
                continuation.resume()
            }
        }
    }

    // MARK: Commands

    func open(_ address: String) async throws { _ = try await command("POST", "/url", ["url": address]) }

    /// The value of a script's `return`.
    func value(_ script: String, _ arguments: [any Sendable] = []) async throws -> Any? {
        try await command("POST", "/execute/sync", ["script": script, "args": arguments])
    }

    func text(_ script: String, _ arguments: [any Sendable] = []) async throws -> String {
        try await value(script, arguments) as? String ?? ""
    }

    func number(_ script: String, _ arguments: [any Sendable] = []) async throws -> Int {
        (try await value(script, arguments) as? NSNumber)?.intValue ?? -1
    }

    /// The value with which a script calls its last argument.
    func awaited(_ script: String) async throws -> Any? {
        try await command("POST", "/execute/async", ["script": script, "args": [String]()])
    }

    /// Waits until a script returns true.
    func wait(for script: String, seconds: Double = 20) async throws {
        let end = Date.now.addingTimeInterval(seconds)
        while Date.now < end {
            if try await value("return !!(\(script))") as? Bool == true { return }
            try await Task.sleep(for: .milliseconds(30))
        }
        throw Failure(description: "never true: \(script); at \(try await text("return location.href"))")
    }

    /// Clicks the first element that a selector finds.
    func click(_ selector: String) async throws {
        _ = try await command("POST", "/element/\(element(selector))/click", [:])
    }

    /// Types into the first element that a selector finds.
    func type(_ keys: String, into selector: String) async throws {
        _ = try await command("POST", "/element/\(element(selector))/value", ["text": keys])
    }

    /// Presses keys, wherever the focus is.
    func press(_ keys: String) async throws {
        let actions = keys.flatMap { key in
            [["type": "keyDown", "value": String(key)], ["type": "keyUp", "value": String(key)]]
        }
        let keyboard: [String: any Sendable] = ["type": "key", "id": "keyboard", "actions": actions]
        _ = try await command("POST", "/actions", ["actions": [keyboard]])
    }

    func cookies() async throws -> [[String: Any]] { try await command("GET", "/cookie") as? [[String: Any]] ?? [] }

    func newTab() async throws {
        let answer = try await command("POST", "/window/new", ["type": "tab"]) as? [String: Any]
        _ = try await command("POST", "/window", ["handle": answer?["handle"] as? String ?? ""])
    }

    func tabs() async throws -> [String] { try await command("GET", "/window/handles") as? [String] ?? [] }

    func show(tab: String) async throws { _ = try await command("POST", "/window", ["handle": tab]) }

    func closeTab() async throws { _ = try await command("DELETE", "/window") }

    /// Returns the messages that the page's console has printed since the last call.
    func console() async throws -> [String] {
        let entries = try await command("POST", "/se/log", ["type": "browser"]) as? [[String: Any]] ?? []
        return entries.map { "\($0["level"] ?? ""): \($0["message"] ?? "")" }
    }

    func look(width: Int, height: Int, isDark: Bool) async throws {
        let size: [String: any Sendable] = ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false]
        try await chrome("Emulation.setDeviceMetricsOverride", size)
        let feature = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
        try await chrome("Emulation.setEmulatedMedia", ["features": [feature]])
    }

    func screenshot() async throws -> Data {
        let text = try await command("GET", "/screenshot") as? String ?? ""
        return Data(base64Encoded: text) ?? Data()
    }

    /// The violations that axe finds on the page; none without axe, which STORAGE_AXE names.
    func violations() async throws -> [String] {
        guard !Places.axe.isEmpty else { return [] }
        let axe = try String(contentsOfFile: Places.axe, encoding: .utf8)
        _ = try await value(axe)
        let script = """
            const done = arguments[arguments.length - 1];
            axe.run().then((found) => done(found.violations.map((violation) =>
              violation.id + ' at ' + violation.nodes.slice(0, 3).map((node) => node.target).join(', '))));
            """
        return try await awaited(script) as? [String] ?? ["axe gave no answer"]
    }

    private func chrome(_ name: String, _ parameters: [String: any Sendable]) async throws {
        _ = try await command("POST", "/goog/cdp/execute", ["cmd": name, "params": parameters])
    }

    private func element(_ selector: String) async throws -> String {
        let found =
            try await command("POST", "/element", ["using": "css selector", "value": selector]) as? [String: Any]
        return found?.values.first as? String ?? ""
    }

    private func command(_ method: String, _ path: String, _ body: [String: any Sendable] = [:]) async throws -> Any? {
        try await Self.send(method, "/session/\(session)\(path)", port, body)
    }

    private static func send(
        _ method: String, _ path: String, _ port: Int, _ body: [String: any Sendable]
    ) async throws -> Any? {
        let data = method == "POST" ? try JSONSerialization.data(withJSONObject: body) : nil
        let headers = [("Host", "127.0.0.1:\(port)"), ("Content-Type", "application/json")]
        let response = try await PlainHTTP.send(method, path, port: port, headers: headers, body: data)
        let answer = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
        guard response.status == 200 else {
            let error = answer?["value"] as? [String: Any]
            throw Failure(description: "\(error?["error"] ?? ""): \(error?["message"] ?? "")")
        }
        return answer?["value"]
    }
}

extension FileHandle {
    /// The first capture of the first line that matches.
    func firstMatch(of pattern: Regex<(Substring, Substring)>) async throws -> String {
        var text = ""
        while true {
            let data = await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: self.availableData) }
            }
            if data.isEmpty { throw WebDriver.Failure(description: "ended after: \(text)") }
            text += String(decoding: data, as: UTF8.self)
            if text.hasSuffix("\n") || text.contains(pattern), let match = text.firstMatch(of: pattern) {
                return String(match.1)
            }
        }
    }
}
