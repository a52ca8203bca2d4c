import Foundation

/// A terminal that a test plays: what is typed into it the tool reads, and what the tool draws can be read.
final class PseudoTerminal {
    /// The tool's side.
    let handle: FileHandle
    private let controller: Int32

    /// - Parameter columns: how many cells a line has.
    init(columns: UInt16) throws {
        controller = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard controller >= 0, grantpt(controller) == 0, unlockpt(controller) == 0, let name = ptsname(controller)
        else {
            throw POSIXError(.init(rawValue: errno) ?? .ENOTTY)
        }
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        let descriptor = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0, ioctl(controller, UInt(TIOCSWINSZ), &size) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .ENOTTY)
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    deinit { close(controller) }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(controller, bytes, bytes.count)
    }

    /// Reads what is drawn, up to where the text appears.
    func read(until text: String) -> String {
        var drawn: [UInt8] = []
        while !String(decoding: drawn, as: UTF8.self).contains(text), let more = next() { drawn += more }
        return String(decoding: drawn, as: UTF8.self)
    }

    /// Reads all that is drawn until every process has closed its side, this one's included.
    func readToEnd() throws -> String {
        try handle.close()
        var drawn: [UInt8] = []
        while let more = next() { drawn += more }
        return String(decoding: drawn, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    private func next() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(controller, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
