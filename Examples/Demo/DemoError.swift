import TerminalOutput

/// The reason why the demo cannot continue, as one sentence for the person who started it.
struct DemoError: Error, CustomStringConvertible {
    let description: String

    /// Removes control characters, because the message may quote the content of files.
    init(_ description: String) { self.description = description.printable }
}
