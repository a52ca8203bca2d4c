import Foundation

/// A terminal that a test plays: what is typed into it the tool reads, and what the tool draws can be read.
final class PseudoTerminal {
    /// The tool's side.
    let handle: FileHandle
    private let controller: Int32

    /// - Parameter columns: how many cells a line has.
    init(columns: UInt16) throws {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        var (controller, tool): (Int32, Int32) = (-1, -1)
        guard openpty(&controller, &tool, nil, nil, &size) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENOTTY)
        }
        // A process that another test starts meanwhile must not keep the terminal open.
        for descriptor in [controller, tool] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        self.controller = controller
        handle = FileHandle(fileDescriptor: tool, closeOnDealloc: true)
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
