import ArgumentParser
import StorageAPI
import StorageDriver
import StorageJSON

/// The format of an input.
enum InputFormat: String, CaseIterable, ExpressibleByArgument {
    /// One JSON array of objects, or one object whose members are the records.
    case json
    /// A JSON object a line.
    case ndjson
    /// Comma-separated values with a header.
    case csv
    /// The same with tabs.
    case tsv

    /// Infers the format from a file's name, whether or not it is compressed.
    init?(fileName: String) {
        switch InputCompression.uncompressedName(fileName).split(separator: ".").last?.lowercased() {
        case "ndjson", "jsonl": self = .ndjson
        case "csv": self = .csv
        case "tsv": self = .tsv
        default: return nil
        }
    }
}

/// The records of a file, which can be read again from the beginning.
struct RecordFile: Sendable {
    private enum Form: Sendable { case array, keyed, lines, inside([String]), delimited(UInt8) }

    let file: InputFile
    private let form: Form
    /// The delimiter that was found; nil for a comma, and for one that was given.
    private(set) var guessed: DelimiterGuess?

    init(_ file: InputFile, _ options: InputOptions) throws {
        self.file = file
        let format = options.format ?? InputFormat(fileName: file.name)
        if format == .csv, options.delimiter == nil {
            guessed = try DelimiterGuess(try InputBuffer(try file.contents()))
        }
        form = try Self.form(file, format, DelimitedOptions.byte(options.delimiter) ?? guessed?.byte, options.path)
    }

    /// The file's name for messages.
    var name: String { file.name }
    /// True if the records are members of an object, whose names may be their keys.
    var isKeyed: Bool { if case .keyed = form { true } else { false } }
    /// True if text is the format's only type.
    var isUntyped: Bool { if case .delimited = form { true } else { false } }

    /// The records from the first on.
    func records() throws -> any RecordSource {
        if let source = try delimited() { return source }
        let input = try InputBuffer(try file.contents())
        switch form {
        case .keyed: return DocumentSource(input, isKeyed: true)
        case .lines: return LineSource(input)
        case .inside(let path): return DocumentSource(input, at: path)
        case .array, .delimited: return DocumentSource(input, isKeyed: false)
        }
    }

    /// The records from the first on, if they are delimited values.
    func delimited() throws -> CSVSource? {
        guard case .delimited(let delimiter) = form else { return nil }
        return try CSVSource(try InputBuffer(try file.contents()), delimiter: delimiter)
    }

    private static func form(
        _ file: InputFile, _ format: InputFormat?, _ delimiter: UInt8?, _ path: [String]
    ) throws -> Form {
        if !path.isEmpty {
            guard format == nil || format == .json else {
                throw ToolError("--at leads to records in JSON, and \(file.name) is \(format?.rawValue ?? "").", .usage)
            }
            return .inside(path)
        }
        switch format {
        case .ndjson: return .lines
        case .csv: return .delimited(delimiter ?? UInt8(ascii: ","))
        case .tsv: return .delimited(delimiter ?? UInt8(ascii: "\t"))
        case .json, nil: break
        }
        let input = try InputBuffer(try file.contents())
        try input.skipSpace()
        switch try input.peek() {
        case UInt8(ascii: "["): return .array
        // An object of objects has records for members; any other is a record, and others may follow.
        case UInt8(ascii: "{"):
            if format == .json { return .keyed }
            return try hasObjectFirst(input) ? .keyed : .lines
        case nil: return .lines
        default:
            throw ToolError(
                "\(file.name) begins neither with [ nor with {; name its format: --format json, ndjson, csv or tsv.")
        }
    }

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
