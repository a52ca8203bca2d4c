import StorageAPI
import StorageDriver
import StorageJSON

extension InputBytes {
    /// The records from the first on, in the form that is asked for or that the first bytes show.
    func source(_ form: CSVForm) throws -> CSVSource {
        let encoding = try form.encoding ?? Store.TextEncoding(of: contents(named: "The CSV"))
        func open() throws -> InputBuffer { try InputBuffer(encoding.decoded(contents(named: "The CSV"))) }
        let delimiter =
            try form.delimiter ?? CSVDialect.declaredDelimiter(of: open)
            ?? CSVDialect.delimiter(of: open, hasQuotes: form.hasQuotes)
        return try CSVSource(
            open(), dialect: CSVDialect(delimiter: delimiter ?? CSVDialect.comma, hasQuotes: form.hasQuotes),
            encoding: encoding, advice: CSVAdvice(quotes: "hasQuotes: false", encoding: "encoding:"))
    }
}
