import TerminalOutput

/// The reason why the tool cannot continue, as one sentence for the person who started it.
struct ToolError: Error, CustomStringConvertible {
    let description: String
    let status: ToolExit

    /// Removes control characters, because the message may quote the content of files.
    init(_ description: String, _ status: ToolExit = .data) {
        self.description = description.printable
        self.status = status
    }
}
