import ArgumentParser
import StorageAPI
import StorageCSV
import StorageDriver
import StorageJSON

/// The meaning of quotation marks in delimited values.
enum QuoteStyle: String, CaseIterable, ExpressibleByArgument {
    /// Two marks enclose a field.
    case double
    /// Marks are characters.
    case none
}

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
            """
            The meaning of quotation marks in csv and tsv: double for marks that enclose fields, none for characters like \
            others. (default: double; for tsv none, unless all marks in the file enclose fields)
            """))
    var quote: QuoteStyle?

    @Option(
        help: ArgumentHelp(
            "The encoding of the text. (default: utf-16 if the first bytes show it, otherwise utf-8)",
            valueName: "encoding")
    )
    var encoding: Store.TextEncoding?

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
