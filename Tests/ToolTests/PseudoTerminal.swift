import Foundation
import TestSupport

/// A terminal that a test plays: the tool reads the typed text, and the test reads the drawn text.
final class PseudoTerminal {
    /// The tool's side.
    let handle: FileHandle
    private let keyboard: Int32
    private let screen: Incoming

    /// - Parameter columns: how many cells a line has.
    init(columns: UInt16) throws {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        var (controller, tool): (Int32, Int32) = (-1, -1)
        guard openpty(&controller, &tool, nil, nil, &size) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENOTTY)
        }
        // A process that another test starts meanwhile must not keep the terminal open.
        for descriptor in [controller, tool] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        keyboard = fcntl(controller, F_DUPFD_CLOEXEC, 0)
        screen = Incoming(controller)
        handle = FileHandle(fileDescriptor: tool, closeOnDealloc: true)
    }

    deinit { close(keyboard) }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(keyboard, bytes, bytes.count)
    }

    /// Reads what is drawn, up to where the text appears.
    func read(until text: String, fileID: String = #fileID, line: Int = #line) async throws -> String {
        try await screen.take(until: text, fileID: fileID, line: line)
    }

    /// Reads all that is drawn until every process has closed its side, this one's included.
    func readToEnd(fileID: String = #fileID, line: Int = #line) async throws -> String {
        try handle.close()
        return try await screen.takeRest(fileID: fileID, line: line).replacing("\r\n", with: "\n")
    }
}
