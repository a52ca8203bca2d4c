import Foundation

/// The terminal, in which keys arrive as they are typed and the lines of before are drawn over.
final class Terminal {
    /// False where the input or the output is a file or a pipe; then each result is printed below the one before.
    let isThere = isatty(0) == 1 && isatty(1) == 1
    private var settings = termios()
    private var drawn = 0

    init() {
        guard isThere, tcgetattr(0, &settings) == 0 else { return }
        var changed = settings
        changed.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(0, TCSANOW, &changed)
    }

    func restore() { if isThere { tcsetattr(0, TCSANOW, &settings) } }

    /// The next key; nil at the end of the input.
    func key() -> UInt8? {
        var key: UInt8 = 0
        return read(0, &key, 1) == 1 ? key : nil
    }

    /// A text with its ranges in bold, cut to the width of the terminal.
    func marked(_ text: String, _ ranges: [Range<String.Index>]) -> String {
        let end = text.index(text.startIndex, offsetBy: 90, limitedBy: text.endIndex) ?? text.endIndex
        var (result, at) = ("", text.startIndex)
        for range in ranges where range.lowerBound >= at && range.upperBound <= end {
            result += text[at..<range.lowerBound] + (isThere ? "\u{1B}[1;33m" : "[") + text[range]
            result += isThere ? "\u{1B}[0m" : "]"
            at = range.upperBound
        }
        return result + text[at..<end]
    }

    /// Draws lines in the place of those that were drawn before.
    func draw(_ lines: [String]) {
        if isThere, drawn > 0 { print("\u{1B}[\(drawn)A\u{1B}[J", terminator: "") }
        print(lines.joined(separator: "\n"))
        drawn = lines.count
    }
}
