import TerminalOutput

/// Why the demo cannot go on, as one sentence for the person who started it.
struct DemoError: Error, CustomStringConvertible {
    let description: String

    /// What files say may be quoted, so whatever would control the terminal is taken out.
    init(_ description: String) { self.description = description.printable }
}
