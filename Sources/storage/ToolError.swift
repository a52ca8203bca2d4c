import TerminalOutput

/// Why the tool cannot go on, as one sentence for the person who started it.
struct ToolError: Error, CustomStringConvertible {
    let description: String
    let status: ToolExit

    /// What files say may be quoted, so whatever would control the terminal is taken out.
    init(_ description: String, _ status: ToolExit = .data) {
        self.description = description.printable
        self.status = status
    }
}
