import ArgumentParser
import Foundation
import SQLiteBackend
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// The exit status of the tool. The numbers are those of sysexits.h, if it has one.
enum ToolExit: Int32, CaseIterable {
    case success = 0
    /// The answer is no: two stores differ, a check found problems, nothing was found, or the person said no.
    case negative = 1
    /// The command line cannot be understood (EX_USAGE).
    case usage = 64
    /// Invalid data: an input, a query, a value that the store refuses, a store that is damaged or newer (EX_DATAERR).
    case data = 65
    /// An input or a store does not exist (EX_NOINPUT).
    case noInput = 66
    /// Writing or reading failed, the disk is full, or a file would be overwritten (EX_IOERR).
    case io = 74
    /// Somebody else uses the store; try again (EX_TEMPFAIL).
    case busy = 75
    /// Interrupted by the person: 128 and SIGINT's number, as shells count.
    case interrupted = 130
    /// Nobody reads the output any more: 128 and SIGPIPE's number.
    case readerGone = 141

    /// The table of the help text.
    static let help = """
        Exit status: 0 done; 1 the answer is no (a difference, a problem found, nothing found, not confirmed); \
        64 the command line is wrong; 65 data, a query or a store is wrong; 66 no such store or input; 74 reading or writing \
        failed; 75 the store is in use; 130 interrupted; 141 the reader of the output has closed it.
        """

    init(_ code: StorageError.Code) {
        self =
            switch code {
            case .busy, .locked, .moved: .busy
            case .io, .full, .closed, .outcomeUnknown: .io
            case .configuration, .unsupported: .usage
            case .cancelled: .interrupted
            case .notFound, .conflict: .negative
            default: .data
            }
    }

    /// Says on the error stream why the tool cannot go on, and ends it.
    static func exit(_ error: any Error) -> Never {
        tell(error)
        Foundation.exit(reason(error)?.status.rawValue ?? StorageCommand.exitCode(for: error).rawValue)
    }

    /// Returns whether an error is a request for help.
    static func isHelp(_ error: any Error) -> Bool {
        reason(error) == nil && StorageCommand.exitCode(for: error) == .success
    }

    /// Prints the reason for a command's failure on the error stream.
    static func tell(_ error: any Error) {
        let text: String
        switch reason(error) {
        case (_, let message)?: text = message.map { "storage: \($0.printable)" } ?? ""
        // Help is no error, and is asked for.
        case nil where StorageCommand.exitCode(for: error) == .success:
            return print(StorageCommand.fullMessage(for: error))
        case nil: text = withoutPasswords(StorageCommand.fullMessage(for: error))
        }
        // If standard error is closed, there is no way to report it.
        if !text.isEmpty { try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8)) }
    }

    /// A message about the command line, whose words may be addresses with passwords.
    private static func withoutPasswords(_ message: String) -> String {
        CommandLine.arguments.dropFirst().reduce(message) { message, word in
            let shown = Redaction.redacted(word)
            return shown == word ? message : message.replacing(word, with: shown)
        }
    }

    /// The status, and the sentence if there is something to say; nil for errors of the command line.
    private static func reason(_ error: any Error) -> (status: ToolExit, message: String?)? {
        switch error {
        case is ReaderGone: (readerGone, nil)
        case let error as ToolError: (error.status, error.description)
        case let error as InputProblem: (.data, error.message)
        case is CancellationError: (.interrupted, interruption)
        case let error as StorageError where error.code == .cancelled: (.interrupted, interruption)
        case let error as StorageError: (ToolExit(error.code), error.sentence)
        default: nil
        }
    }

    private static let interruption = "Interrupted; nothing was changed."
}

extension StorageError {
    /// The error for a person: the place, the problem, the way out, and the code that documents list.
    ///
    /// The engine's own words are left out, unless they say more than the store knows: which rule, or which call
    /// failed.
    var sentence: String {
        var place: [String] = []
        if let model, !message.contains(model) { place.append(model) }
        if let key {
            place.append("key \(key.keyText)")
        } else if let element {
            place.append("record \(element + 1)")
        }
        if let property { place.append(property) }
        let message = message.namingCommands
        var text = place.isEmpty ? message : "\(place.joined(separator: ", ")): \(message)"
        if let storedValue { text += " Stored is \(storedValue)." }
        if code == .io, let underlying { text += " (\(underlying))" }
        if code == .constraint, let rule = underlying as? SQLiteError { text += " (\(rule.message))" }
        return "\(text) (\(code.rawValue))"
    }
}

extension String {
    /// The message with the tool's commands in the place of the calls that do the same.
    var namingCommands: String { replacing("rebuildSearch(of:)", with: "storage rebuild") }
}
