import ArgumentParser
import Foundation

/// `storage browse`.
struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Show a store in the web browser.",
        discussion: """
            Prints an address of this machine that is good for one visit. The pages show models, records with all that \
            leads from them and to them, groups, history and plans, follow the store while other programs write to it, and \
            change nothing. They load nothing from elsewhere. Ctrl-C ends it.

            The pages are a program of their own, storage-browser, which is not built with this one:
              swift build -c release --package-path Browser --product storage-browser
            It is found beside this program, on the PATH, or where STORAGE_BROWSER says.

            Examples:
              storage browse people.db
              storage browse 'archive:people.karch'
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    func run() async throws {
        // Problems with the store are reported as by every other command.
        try await store.with(.reading) { _ in }
        let program = try Self.program()
        // Others can read a command line, and an address may have a password.
        setenv("STORAGE_BROWSE_URL", try store.readingURL(), 1)
        try Output.flushPrinted()
        // The program takes this one's place, so it has its terminal and its signals.
        var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
        execv(program, &words)
        throw ToolError("\(program) cannot be started: \(String(cString: strerror(errno))).", .io)
    }

    private static func program() throws -> String {
        let name = "storage-browser"
        let environment = ProcessInfo.processInfo.environment
        if let named = environment["STORAGE_BROWSER"], !named.isEmpty {
            guard FileManager.default.isExecutableFile(atPath: named) else {
                throw ToolError("STORAGE_BROWSER names \(named), which is no program.", .usage)
            }
            return named
        }
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path
        let folders = [own].compactMap(\.self) + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let places = folders.map { "\($0)/\(name)" }
        guard let found = places.first(where: FileManager.default.isExecutableFile) else {
            throw ToolError(
                "The pages are a program of their own, \(name), which is neither beside this one nor on the PATH. Build it by "
                    + "swift build -c release --package-path Browser --product \(name), and let STORAGE_BROWSER name it.",
                .usage)
        }
        return found
    }
}
