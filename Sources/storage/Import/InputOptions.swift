import ArgumentParser
import StorageAPI
import StorageDriver
import StorageJSON

/// The options of reading inputs, beyond what their names and beginnings show.
struct InputOptions: ParsableArguments, Sendable {
    @Option(help: "The format of the files. (default: what each one's name or beginning shows)")
    var format: InputFormat?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The separator of values in csv. (default: a comma, or the one that the first lines show, which is printed)",
            valueName: "character"))
    var delimiter: String?

    @Option(
        help: ArgumentHelp(
            "The place of the records in a JSON object: data.items. (default: the whole text is the records)",
            valueName: "path"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            """
            How dates are written: iso8601; seconds or milliseconds, which count from 1970; reference, seconds from 2001; or \
            a pattern like dd.MM.yyyy. (default: iso8601)
            """, valueName: "form"))
    var dates: String?

    func validate() throws {
        try DelimitedOptions.check(delimiter)
        if let at, at.split(separator: ".", omittingEmptySubsequences: false).contains("") {
            throw ValidationError("--at is names with points between them, like data.items.")
        }
        if let dates, !Self.forms.keys.contains(dates), !dates.contains("yyyy") {
            let hint = SpellingSuggestion.hint(dates, among: Self.forms.keys)
            throw ValidationError(
                "--dates \(dates) is no form\(hint); it is iso8601, seconds, milliseconds, reference, or a pattern with "
                    + "yyyy, like dd.MM.yyyy HH:mm.")
        }
    }

    private static let forms: [String: Property.DateForm?] = [
        "iso8601": .iso8601, "seconds": .secondsSince1970, "milliseconds": .millisecondsSince1970, "reference": nil,
    ]

    /// The names that lead to the records.
    var path: [String] { at?.split(separator: ".").map(String.init) ?? [] }

    /// The form of dates; nil for the form of exports.
    private var form: Property.DateForm? {
        guard let dates else { return nil }
        guard let known = Self.forms[dates] else { return .pattern(dates) }
        return known
    }

    /// The options of reading records.
    ///
    /// - Parameter mayLackKey: whether they replace stored records, whose keys they need not have.
    func reading(mayLackKey: Bool) -> RecordBuilder.Input {
        var input = RecordBuilder.Input()
        input.dates = form
        input.mayLackKey = mayLackKey
        if dates == nil { input.numericDateHint = "say it: --dates seconds, milliseconds or reference" }
        return input
    }

    /// The rules that tell dates from other texts.
    var inference: DateInference { DateInference(form: form ?? .iso8601) }
}

/// Finds the delimiter of comma-separated values by the first lines of a file.
struct DelimiterGuess: Sendable {
    let byte: UInt8

    private static let most = 10
    /// Those that are looked for besides the comma.
    private static let others: [UInt8] = [UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]

    /// - Returns: nil for a comma, also where nothing else is there as often in each line.
    init?(_ input: InputBuffer) throws {
        guard try input.peek() != nil else { return nil }
        var scanner = CSVScanner()
        let first = try input.length(&scanner) ?? input.available.count
        let bytes = input.available
        var (lines, start) = ([bytes[..<first]], first)
        while lines.count < Self.most, start < bytes.count {
            var scanner = CSVScanner()
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let length = scanner.end(in: rest) else { break }
            lines.append(bytes[start..<start + length])
            start += length
        }
        lines.removeAll { line in line.allSatisfy { $0 == 0x0A || $0 == 0x0D } }
        var best = (byte: UInt8(ascii: ","), count: Self.count(UInt8(ascii: ","), in: lines))
        for other in Self.others {
            let count = Self.count(other, in: lines)
            if count > best.count { best = (other, count) }
        }
        guard best.byte != UInt8(ascii: ",") else { return nil }
        byte = best.byte
    }

    /// The number of times that each line has the byte outside of quotes; 0 if the lines differ.
    private static func count(_ byte: UInt8, in lines: [Slice<UnsafeRawBufferPointer>]) -> Int {
        let counts = lines.map { line in
            var isQuoted = false
            return line.count {
                if $0 == UInt8(ascii: "\"") { isQuoted.toggle() }
                return $0 == byte && !isQuoted
            }
        }
        return Set(counts).count == 1 ? counts[0] : 0
    }

    /// `';'`, or the name of what is not seen.
    var shown: String { byte == UInt8(ascii: "\t") ? "tabs" : "'\(Unicode.Scalar(byte))'" }
}
