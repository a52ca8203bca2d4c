import StorageAPI
import StorageDriver
import StorageJSON

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The source of comma-separated values, which can be read again from the beginning.
enum CSVInput: Sendable {
    case data(Data)
    case file(String)

    private func contents() throws(StorageError) -> any InputContents {
        switch self {
        case .data(let data): DataContents(data, name: "The CSV")
        case .file(let path): try FileContents(path)
        }
    }

    /// The records from the first on, in the form that is asked for or that the first bytes show.
    func source(_ form: CSVForm) throws -> CSVSource {
        let encoding = try form.encoding ?? Store.TextEncoding(of: contents())
        func open() throws -> InputBuffer { try InputBuffer(encoding.decoded(contents())) }
        let delimiter =
            try form.delimiter ?? CSVDialect.declaredDelimiter(of: open)
            ?? CSVDialect.delimiter(of: open, hasQuotes: form.hasQuotes)
        return try CSVSource(
            open(), dialect: CSVDialect(delimiter: delimiter ?? CSVDialect.comma, hasQuotes: form.hasQuotes),
            encoding: encoding, advice: CSVAdvice(quotes: "hasQuotes: false", encoding: "encoding:"))
    }
}
