import ArgumentParser
import StorageAPI
import StorageCSV
import StorageDriver
import StorageJSON
import TerminalOutput

/// The format of a file of records.
enum InputFormat: String, CaseIterable, ExpressibleByArgument {
    /// One JSON array of objects, or one object whose members are the records.
    case json
    /// A JSON object a line.
    case ndjson
    /// Comma-separated values with a header.
    case csv
    /// The same with tabs.
    case tsv

    /// The format of files whose names have an ending, in lower case.
    init?(ending: String) {
        switch ending {
        case "json": self = .json
        case "ndjson", "jsonl": self = .ndjson
        case "csv": self = .csv
        case "tsv": self = .tsv
        default: return nil
        }
    }

    /// Infers the format from a file's name, whether or not it is compressed. JSON is told apart by its beginning.
    init?(fileName: String) {
        let ending = InputCompression.uncompressedName(fileName).split(separator: ".").last?.lowercased() ?? ""
        guard let format = Self(ending: ending), format != .json else { return nil }
        self = format
    }

    /// The format in which such files are written.
    var records: RecordFormat {
        switch self {
        case .json: .json
        case .ndjson: .ndjson
        case .csv: .csv
        case .tsv: .tsv
        }
    }
}

/// The records of a file, which can be read again from the beginning.
struct RecordFile: Sendable {
    private enum Form: Sendable { case array, keyed, lines, inside([String]), delimited(CSVDialect) }

    let file: InputFile
    private let encoding: Store.TextEncoding
    private var form = Form.lines
    /// Sentences about decisions that the file leaves open.
    private(set) var remarks: [String] = []

    init(_ file: InputFile, _ options: InputOptions) throws {
        self.file = file
        encoding = try options.encoding ?? Store.TextEncoding(of: file.contents())
        let format = options.format ?? InputFormat(fileName: file.name)
        guard options.path.isEmpty || format == nil || format == .json else {
            throw ToolError("--at leads to records in JSON, and \(name) is \(format?.rawValue ?? "").", .usage)
        }
        switch format {
        case _ where !options.path.isEmpty: form = .inside(options.path)
        case .ndjson: form = .lines
        case .csv, .tsv: try setDialect(options, isTabbed: format == .tsv)
        case .json, nil: form = try Self.form(of: input(), isDocument: format == .json)
        }
    }

    /// The file's name for messages.
    var name: String { file.name }
    /// True if the records are members of an object, whose names may be their keys.
    var isKeyed: Bool { if case .keyed = form { true } else { false } }
    /// True if text is the format's only type.
    var isUntyped: Bool { if case .delimited = form { true } else { false } }

    /// The text from the beginning on.
    func input() throws -> InputBuffer { try InputBuffer(encoding.decoded(try file.contents())) }

    /// The records from the first on.
    func records() throws -> any RecordSource {
        switch form {
        case .keyed: DocumentSource(try input(), isKeyed: true)
        case .lines: LineSource(try input())
        case .inside(let path): DocumentSource(try input(), at: path)
        case .array: DocumentSource(try input(), isKeyed: false)
        case .delimited(let dialect):
            try CSVSource(
                try input(), dialect: dialect, encoding: encoding,
                advice: CSVAdvice(quotes: "--quote none", encoding: "--encoding"))
        }
    }

    /// The records from the first on, if they are delimited values.
    func delimited() throws -> CSVSource? { try isUntyped ? records() as? CSVSource : nil }

    // MARK: Forms

    /// Decides on the dialect of delimited values: what is asked for, or what the file shows.
    private mutating func setDialect(_ options: InputOptions, isTabbed: Bool) throws {
        var dialect = CSVDialect(delimiter: isTabbed ? UInt8(ascii: "\t") : CSVDialect.comma)
        dialect.hasQuotes = options.quote != QuoteStyle.none
        if let given = try DelimitedOptions.byte(options.delimiter) ?? CSVDialect.declaredDelimiter(of: input) {
            dialect.delimiter = given
        } else if !isTabbed, let found = try CSVDialect.delimiter(of: input, hasQuotes: dialect.hasQuotes) {
            dialect.delimiter = found
            let shown = found == UInt8(ascii: "\t") ? "tabs" : "'\(Unicode.Scalar(found))'"
            remarks.append("values are separated by \(shown); --delimiter says otherwise.")
        }
        if isTabbed, options.quote == nil {
            dialect.hasQuotes = try CSVDialect.hasQuotes(input, delimiter: dialect.delimiter)
            if dialect.hasQuotes {
                remarks.append("fields are enclosed in quotation marks; --quote none reads the marks as characters.")
            }
        }
        form = .delimited(dialect)
        if let given = try delimited()?.given, !given.isEmpty {
            let rest = given.count > 5 ? ", and \((given.count - 5).grouped) others have numbers" : ""
            let names = given.prefix(5).joined(separator: ", ") + rest
            remarks.append("columns without a name of their own: \(names); --map NAME=COLUMN names them.")
        }
    }

    private static func form(of input: InputBuffer, isDocument: Bool) throws -> Form {
        try input.skipSpace()
        switch try input.peek() {
        case UInt8(ascii: "["): return .array
        // An object of objects has records for members; any other is a record, and others may follow.
        case UInt8(ascii: "{"):
            if isDocument { return .keyed }
            return try hasObjectFirst(input) ? .keyed : .lines
        case nil: return .lines
        default:
            if let other = others.first(where: { input.available.starts(with: $0.start.utf8) }) {
                throw ToolError("\(input.name) is \(other.name).")
            }
            throw ToolError(
                "\(input.name) begins neither with [ nor with {; name its format: --format json, ndjson, csv or tsv.")
        }
    }

    /// Files that are known by their first bytes, and not read.
    private static let others: [(start: String, name: String)] = [
        ("PAR1", "a Parquet file, which is not read; convert it to CSV or JSON first"),
        ("PK\u{3}\u{4}", "a spreadsheet or another ZIP archive, which is not read; save it as CSV first"),
        ("SQLite format 3\0", "a database; storage copy reads it"),
    ]

    private static func hasObjectFirst(_ input: InputBuffer) throws -> Bool {
        var scanner = FirstValueScanner()
        guard let length = try input.length(&scanner) else { return false }
        return input.available[length] == UInt8(ascii: "{") || input.available[length] == UInt8(ascii: "}")
    }
}

extension [RecordFile] {
    /// Returns the part of all files that has been read.
    ///
    /// - Parameter fraction: the part of the file at the index that is read; the files before it are read completely.
    func fraction(at index: Int, _ fraction: Double) -> Double {
        let sizes = map { Double($0.file.size) }
        let all = sizes.reduce(0, +)
        return all > 0 ? (sizes[..<index].reduce(0, +) + sizes[index] * fraction) / all : 1
    }

    /// The files' names for messages.
    var names: String { map(\.name).joined(separator: ", ") }
}

/// Finds the first byte of the value of an object's first member, or the end of an object without any.
private struct FirstValueScanner: FrameScanner {
    private enum Place { case beforeName, inName, escaped, behindName, beforeValue }
    private var place = Place.beforeName

    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        for (index, byte) in bytes.enumerated() {
            switch (place, byte) {
            case (.beforeName, UInt8(ascii: "\"")): place = .inName
            case (.beforeName, UInt8(ascii: "}")): return index
            case (.inName, UInt8(ascii: "\\")): place = .escaped
            case (.escaped, _): place = .inName
            case (.inName, UInt8(ascii: "\"")): place = .behindName
            case (.behindName, UInt8(ascii: ":")): place = .beforeValue
            case (.beforeValue, _): if !byte.isJSONSpace { return index }
            default: break
            }
        }
        return nil
    }
}
