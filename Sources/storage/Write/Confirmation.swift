import ArgumentParser
import Foundation
import TerminalOutput

/// Asks before many records go.
struct Confirmation: ParsableArguments {
    @Flag(name: [.short, .long], help: "Do not ask first; needed where there is no terminal to ask on.")
    var yes = false

    /// - Throws: where the person says no, cannot be asked, or interrupts.
    func confirm(_ action: String, _ count: Int, of model: String) throws {
        guard !yes, count > 0 else { return }
        let question = "\(action) \(count.counted("record")) of \(model.printable)?"
        guard Terminal.isTerminal(.standardInput), Terminal.isTerminal(.standardError) else {
            throw ToolError("\(question) There is no terminal to ask on; give --yes.", .usage)
        }
        Terminal.prompt("\(question) [y/N] ")
        guard let answer = try Self.answer(), ["y", "yes"].contains(answer.lowercased()) else {
            throw ToolError("Nothing was changed.", .negative)
        }
    }

    /// The line that is typed; nil where the input ends.
    private static func answer() throws -> String? {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // Ctrl-C is a cancellation, which a blocking read would not hear of.
        while poll(&input, 1, 100) < 1 { try Task.checkCancellation() }
        return readLine()
    }
}
