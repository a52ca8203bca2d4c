public import StorageAPI
import StorageDriver

// Dates in the forms of other software, by way of ISO 8601: the library has one calendar.
extension Property.DateForm {
    /// From 1970 to 2001, where dates count from.
    private static let between = 978_307_200.0

    /// The seconds since 2001 of a text; nil if it is none of this form.
    package func seconds(of text: String) -> Double? {
        switch self {
        case .iso8601: DateText.seconds(text)
        case .pattern(let pattern): DatePattern(pattern).isoText(of: text).flatMap { DateText.seconds($0) }
        case .secondsSince1970, .millisecondsSince1970: nil
        }
    }

    /// The seconds since 2001 of a number; nil if the form is of texts.
    func seconds(ofNumber digits: String) -> Double? {
        guard let number = Double(digits), number.isFinite else { return nil }
        switch self {
        case .secondsSince1970: return number - Self.between
        case .millisecondsSince1970: return number / 1000 - Self.between
        case .iso8601, .pattern: return nil
        }
    }

    /// A date in this form; nil if it has none, as dates beyond the years 0 to 9999 have no text.
    func json(_ seconds: Double) -> JSONValue? {
        switch self {
        case .iso8601: return DateText.text(seconds).map(JSONValue.string)
        case .pattern(let pattern):
            return DateText.text(seconds).flatMap { DatePattern(pattern).text(ofISO: $0) }.map(JSONValue.string)
        case .secondsSince1970: return .number(Self.number(seconds + Self.between))
        case .millisecondsSince1970: return .number(Self.number((seconds + Self.between) * 1000))
        }
    }

    private static func number(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? JSONFormat.number(number)
    }
}

extension Property.DateForm: CustomStringConvertible {
    /// The form in words, for messages.
    public var description: String {
        switch self {
        case .iso8601: "ISO 8601"
        case .secondsSince1970: "seconds since 1970"
        case .millisecondsSince1970: "milliseconds since 1970"
        case .pattern(let pattern): pattern
        }
    }
}

/// The pattern of texts of dates.
private struct DatePattern {
    private enum Part {
        case field(Character, Int)
        case literal(Character)
    }

    private let parts: [Part]

    init(_ pattern: String) {
        var parts: [Part] = []
        var isQuoted = false
        var rest = pattern[...]
        while let next = rest.first {
            rest = rest.dropFirst()
            if next == "'" {
                isQuoted.toggle()
            } else if !isQuoted, "yMdHmsSZ".contains(next) {
                let more = rest.prefix { $0 == next }
                rest = rest.dropFirst(more.count)
                parts.append(.field(next, more.count + 1))
            } else {
                parts.append(.literal(next))
            }
        }
        self.parts = parts
    }

    /// The same date in ISO 8601; nil if the text is none of this pattern.
    func isoText(of text: String) -> String? {
        var fields: [Character: String] = ["M": "01", "d": "01", "H": "00", "m": "00", "s": "00"]
        var rest = text[...]
        for part in parts {
            switch part {
            case .literal(let character):
                guard rest.first == character else { return nil }
                rest = rest.dropFirst()
            case .field("Z", _):
                fields["Z"] = String(rest)
                rest = ""
            case .field(let letter, let width):
                let isFraction = letter == "S"
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                // One letter takes one digit or two: d.M.yyyy.
                let taken = isFraction ? digits : digits.prefix(max(width, letter == "y" ? 4 : 2))
                guard taken.count >= (isFraction ? 1 : width) else { return nil }
                let padding = letter == "y" || isFraction ? 0 : 2 - taken.count
                fields[letter] = String(repeating: "0", count: max(padding, 0)) + taken
                rest = rest.dropFirst(taken.count)
            }
        }
        guard rest.isEmpty, let year = fields["y"], let month = fields["M"], let day = fields["d"],
            let hour = fields["H"], let minute = fields["m"], let second = fields["s"]
        else { return nil }
        let fraction = fields["S"].map { "." + $0 } ?? ""
        return "\(year)-\(month)-\(day)T\(hour):\(minute):\(second)\(fraction)\(fields["Z"] ?? "Z")"
    }

    /// A date of ISO 8601 in UTC, as the library writes it, in this pattern.
    func text(ofISO iso: String) -> String? {
        let characters = Array(iso)
        guard characters.count >= 20 else { return nil }
        let starts: [Character: Range<Int>] = [
            "y": 0..<4, "M": 5..<7, "d": 8..<10, "H": 11..<13, "m": 14..<16, "s": 17..<19,
        ]
        let fraction = String(characters[19...].dropFirst().filter { $0 != "Z" })
        var text = ""
        for part in parts {
            switch part {
            case .literal(let character): text.append(character)
            case .field("Z", _): text += "Z"
            case .field("S", let width):
                text += fraction + String(repeating: "0", count: max(width - fraction.count, 0))
            case .field(let letter, let width):
                guard let range = starts[letter] else { return nil }
                let digits = String(characters[range])
                text += width == 1 && digits.hasPrefix("0") ? String(digits.dropFirst()) : digits
            }
        }
        return text
    }
}
