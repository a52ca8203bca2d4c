import ArgumentParser
import Foundation
import StorageAPI

/// How the tool ends: the status that scripts see. The numbers are those of sysexits.h where it has one.
enum ToolExit: Int32, CaseIterable {
    case success = 0
    /// The answer is no: two stores differ, a check found problems, nothing was found, or the person said no.
    case negative = 1
    /// The command line cannot be understood (EX_USAGE).
    case usage = 64
    /// Data is not what it should be: an input, a query, or a value that the store refuses (EX_DATAERR).
    case data = 65
    /// An input or a store is not there, or is no store (EX_NOINPUT).
    case noInput = 66
    /// Writing or reading failed, the disk is full, or a file would be overwritten (EX_IOERR).
    case io = 74
    /// Somebody else uses the store; try again (EX_TEMPFAIL).
    case busy = 75
    /// Interrupted by the person.
    case interrupted = 130

    /// The table of the help text.
    static let help = """
        Exit status: 0 done; 1 the answer is no (a difference, a problem found, nothing found, not confirmed); \
        64 the command line is wrong; 65 data or a query is wrong; 66 no such store or input; 74 reading or writing \
        failed; 75 the store is in use; 130 interrupted.
        """

    init(_ code: StorageError.Code) {
        self =
            switch code {
            case .busy, .locked: .busy
            case .io, .full, .closed: .io
            case .corrupt, .schemaNewer: .noInput
            case .configuration, .unsupported: .usage
            case .cancelled: .interrupted
            case .notFound: .negative
            default: .data
            }
    }

    /// Says on the error stream why the tool cannot go on, and ends it.
    static func exit(_ error: any Error) -> Never {
        let status: ToolExit
        let message: String
        switch error {
        case let error as StorageError: (status, message) = (ToolExit(error.code), error.description)
        case let error as ToolError: (status, message) = (error.status, error.description)
        case is CancellationError: (status, message) = (.interrupted, "Interrupted; nothing was changed.")
        default: StorageCommand.exit(withError: error)
        }
        // There is nobody to tell where the error stream is closed.
        try? FileHandle.standardError.write(contentsOf: Data("storage: \(message.printable)\n".utf8))
        Foundation.exit(status.rawValue)
    }
}
