package import Foundation

/// The terminal, if one exists.
package enum Terminal {
    package static func isTerminal(_ stream: FileHandle) -> Bool { isatty(stream.fileDescriptor) == 1 }

    /// The number of cells in a line.
    package static var columns: Int {
        var size = winsize()
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            if ioctl(stream, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        }
        return 80
    }

    /// Writes a question to the terminal; the answer is typed after it.
    package static func prompt(_ question: String) {
        // If the question cannot be written, the answer is no.
        try? FileHandle.standardError.write(contentsOf: Data(question.utf8))
    }

    /// True if output may be bold: not in a file, and not if the user does not want it (no-color.org).
    package static let hasStyle: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return isTerminal(.standardOutput) && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }()

    package static func bold(_ text: String) -> String { hasStyle ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    package static func highlighted(_ text: String) -> String { hasStyle ? "\u{1B}[1;33m\(text)\u{1B}[0m" : text }
    package static func dim(_ text: String) -> String { hasStyle ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}
