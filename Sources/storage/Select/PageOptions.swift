import ArgumentParser
import StorageAPI
import StorageJSON

/// The options that print one page of records, and where the pages beside it begin.
struct PageOptions: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Print at most this many records, and the tokens of the pages after and before them.", valueName: "size"))
    var page: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --page: the token at which the page begins.", valueName: "token"))
    var after: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --page: the token at which the page ends.", valueName: "token"))
    var before: String?

    func validate() throws {
        if let page, page < 1 { throw ValidationError("--page is a number of records, at least 1.") }
        guard after != nil || before != nil else { return }
        guard page != nil else { throw ValidationError("A token begins a page; give --page SIZE too.") }
        guard after == nil || before == nil else {
            throw ValidationError("A page begins at one token; give --after or --before.")
        }
        guard [after, before].compactMap(\.self).allSatisfy({ Store.PageToken($0) != nil }) else {
            throw ValidationError("The token of a page is the text that another page printed, unchanged.")
        }
    }

    /// Reads the page of a query.
    func read(
        _ records: Select<DynamicRecord, Store.Session>, size: Int
    ) throws(StorageError) -> Store.Page<DynamicRecord> {
        if let token = after.flatMap({ Store.PageToken($0) }) { return try records.page(after: token, size: size) }
        if let token = before.flatMap({ Store.PageToken($0) }) { return try records.page(before: token, size: size) }
        return try records.page(size: size)
    }
}

extension Store.Page<DynamicRecord> {
    /// Prints records of the page, and its tokens: in JSON beside the records, in a table after them, and otherwise on the
    /// error stream, because other programs read the output.
    func print(
        _ records: [DynamicRecord], as format: RecordFormat, _ writer: any RecordWriter, to output: inout Output
    ) throws {
        var writer = writer
        if format == .json {
            try output.write { bytes in
                bytes += "{\"next\":".utf8
                Self.append(next, to: &bytes)
                bytes += ",\"previous\":".utf8
                Self.append(previous, to: &bytes)
                bytes += ",\"records\":".utf8
            }
        }
        for record in records { try writer.write(record.fields, to: &output) }
        try writer.finish(&output)
        switch format {
        case .json: try output.line("}")
        case .table, .vertical: try printTokens(to: &output)
        case .ndjson, .csv, .tsv, .markdown:
            var errors = Output(.standardError)
            try printTokens(to: &errors)
            try errors.flush()
        }
        try output.flush()
    }

    private func printTokens(to output: inout Output) throws {
        if let next { try output.line("Next page: --after \(next)") }
        if let previous { try output.line("Previous page: --before \(previous)") }
    }

    private static func append(_ token: Store.PageToken?, to bytes: inout [UInt8]) {
        if let token { JSONText.append(token.description, to: &bytes) } else { bytes += "null".utf8 }
    }
}
