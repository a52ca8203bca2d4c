internal import StorageDriver

/// Converts the values of a column that other software made to the store's representation when they are read, and back
/// when they are written.
///
/// A value that the model's type does not have passes unchanged, and decoding it throws `typeMismatch`. A value that
/// the column would change without an error is refused when it is written; values that the server refuses itself are
/// not checked.
struct ForeignConversion: Sendable {
    /// The types of columns, as far as they are read and written in different ways.
    enum Kind: Sendable {
        case bool, integer, real, double, money, char, uuid, bytes
        case text(length: Int?)
        case numeric(scale: Int?)
        /// The number of digits of a second; nil for a day.
        case moment(digits: Int?, hasZone: Bool)
        /// A type, by its name, that is read and written as the server's text of it.
        case other(String)

        init(_ column: ForeignTable.Column) {
            let modifier = column.modifier
            switch column.base {
            case "bool": self = .bool
            case "int2", "int4", "int8": self = .integer
            case "float4": self = .real
            case "float8": self = .double
            case "numeric":
                // The scale has 11 bits and a sign.
                let scale = ((modifier - 4) & 0x7ff ^ 1024) - 1024
                self = .numeric(scale: modifier < 4 ? nil : scale)
            case "money": self = .money
            case "text", "varchar": self = .text(length: modifier < 4 ? nil : modifier - 4)
            case "bpchar": self = .char
            case "uuid": self = .uuid
            case "bytea": self = .bytes
            case "date": self = .moment(digits: nil, hasZone: false)
            case "timestamp": self = .moment(digits: modifier < 0 ? 6 : modifier, hasZone: false)
            case "timestamptz": self = .moment(digits: modifier < 0 ? 6 : modifier, hasZone: true)
            default: self = .other(column.cast)
            }
        }

        /// The type of a column, unless a model declares another.
        var type: ColumnType {
            switch self {
            case .bool: .bool
            case .integer: .int64
            case .real, .double: .double
            case .numeric, .money: .decimal
            case .text, .char, .other: .string
            case .uuid: .uuid
            case .bytes: .data
            case .moment: .date
            }
        }
    }

    let kind: Kind
    let type: ColumnType
    /// The bytes of a value in a result.
    let form: WireForm
    // The column or the value stands at the @.
    private let read: String
    private let result: String
    private let write: String

    private init(
        _ kind: Kind, _ type: ColumnType, read: String, result: String? = nil, form: WireForm, write: String = "@"
    ) {
        (self.kind, self.type, self.form) = (kind, type, form)
        (self.read, self.result, self.write) = (read, result ?? read, write)
    }

    /// The column's value in an expression.
    func reading(_ column: String) -> String { Self.fill(read, column) }

    /// The column's value in a result.
    func output(_ column: String) -> String { Self.fill(result, column) }

    /// A value in the column's representation.
    func writing(_ value: String) -> String { Self.fill(write, value) }

    private static func fill(_ template: String, _ expression: String) -> String {
        template.split(separator: "@", omittingEmptySubsequences: false).joined(separator: expression)
    }

    /// The condition that a column has a value, in a form that an index can serve. Equal text has equal bytes in the order of
    /// the table, except for trailing spaces in a `char`.
    func equality(_ column: String, _ value: String, isList: Bool = false) -> String {
        func test(_ side: String, _ cast: String) -> String {
            isList ? "\(side) = ANY (\(value)::\(cast)[])" : "\(side) = \(value)::\(cast)"
        }
        switch kind {
        case .text: return "(\(test(column, "text")) AND \(test(reading(column), "text")))"
        case .char: return "(\(test(column, "bpchar")) AND \(test(reading(column), "text")))"
        default: return isList ? "(\(reading(column)) = ANY (\(value)))" : "(\(reading(column)) = \(value))"
        }
    }
}

// MARK: - The conversions

extension ForeignConversion {
    /// Seconds from 1970 to 2001.
    private static let reference = "978307200"

    private static let isInfinite = "@ IN ('Infinity', '-Infinity')"
    private static let day =
        "(CASE WHEN \(isInfinite) THEN @::text::date ELSE date '2001-01-01' + (@ / 86400)::integer END)"
    /// The latest moment is read as the beginning of the next second, which the server does not have.
    private static let moment = """
        (CASE WHEN \(isInfinite) THEN @::text::timestamptz
          WHEN @ = 9223339708800 THEN timestamptz '294276-12-31 23:59:59.999999+00'
          ELSE timestamptz '2001-01-01 00:00:00+00' + make_interval(secs => @) END)
        """

    /// Nil if no conversion understands every value of the column.
    init?(_ column: ForeignTable.Column, as type: ColumnType) {
        let kind = Kind(column)
        let text = "(@::text COLLATE \"C\")"
        switch (kind, type) {
        case (.bool, .bool): self.init(kind, type, read: "@", form: .bool)
        case (.bool, _) where type.storage == .integer:
            self.init(kind, type, read: "@::integer::bigint", form: .int8, write: "(@ <> 0)")
        case (.integer, .bool):
            self.init(kind, type, read: "(@ <> 0)", result: "@::bigint", form: .int8, write: "@::integer")
        case (.integer, _) where type.storage == .integer:
            self.init(kind, type, read: "@", result: "@::bigint", form: .int8)
        case (.integer, .double), (.integer, .float):
            self.init(kind, type, read: "@::float8", result: "@::bigint", form: .whole, write: "@::bigint")
        case (.integer, .decimal): self.init(kind, type, read: "@::numeric", result: "@::text", form: .plainText)
        case (.integer, .date):
            let write = "(@ + \(Self.reference))::bigint"
            self.init(kind, type, read: "(@::float8 - \(Self.reference))", form: .float8, write: write)
        case (.real, .float): self.init(kind, type, read: "@", form: .float4)
        // The fewest digits that give it back, so that 0.1 is 0.1.
        case (.real, .double): self.init(kind, type, read: "@::text::float8", form: .float8, write: "@::real")
        case (.double, .double), (.double, .float):
            self.init(kind, type, read: "@", result: "@::float8", form: .float8, write: "@::float8")
        case (.real, .decimal), (.double, .decimal):
            self.init(
                kind, type, read: "@::text::numeric", result: "trim_scale(@::text::numeric)::text", form: .plainText,
                write: "@::text::float8")
        case (.double, .date):
            self.init(kind, type, read: "(@ - \(Self.reference))", form: .float8, write: "(@ + \(Self.reference))")
        case (.numeric, .decimal): self.init(kind, type, read: "@", result: "trim_scale(@)::text", form: .plainText)
        case (.numeric, .double), (.numeric, .float):
            self.init(kind, type, read: "@::float8", form: .float8, write: "@::text::numeric")
        case (.numeric, .bool):
            self.init(kind, type, read: "(@ <> 0)", result: "trim_scale(@)::text", form: .number, write: "@::integer")
        case (.numeric, _) where type.storage == .integer:
            self.init(kind, type, read: "@", result: "trim_scale(@)::text", form: .number)
        case (.money, .decimal):
            let result = "trim_scale(@::numeric)::text"
            self.init(kind, type, read: "@::numeric", result: result, form: .plainText, write: "@::money")
        case (.text, _) where Self.isText(type):
            self.init(kind, type, read: "(@ COLLATE \"C\")", result: "@::text", form: .plainText, write: "@::text")
        case (.char, _) where Self.isText(type):
            self.init(kind, type, read: text, result: "@::text", form: .plainText, write: "@::text")
        case (.other, _) where Self.isText(type), (.uuid, .string), (.moment, .string):
            self.init(kind, type, read: text, result: "@::text", form: .plainText, write: Self.parsing(column, kind))
        case (.moment(let digits, let hasZone), .date):
            let write = digits == nil ? Self.day : hasZone ? Self.moment : "(\(Self.moment) AT TIME ZONE 'UTC')"
            self.init(
                kind, type, read: "(extract(epoch FROM @) - \(Self.reference))::float8", form: .float8, write: write)
        case (.uuid, .uuid), (.bytes, .data), (.bytes, .vector): self.init(kind, type, read: "@", form: .bytes)
        case (.bytes, .uuid):
            let read = "(CASE WHEN length(@) = 16 THEN encode(@, 'hex')::uuid END)"
            self.init(kind, type, read: read, result: "@", form: .bytes, write: "uuid_send(@)")
        default: return nil
        }
    }

    /// A text in a column of another type. If the column would keep another value (`time(0)` rounds), or the text is a UUID or
    /// a moment that the server writes in another way (capitals, `yesterday`), a sentence that says so is parsed instead, and
    /// the failure shows it.
    private static func parsing(_ column: ForeignTable.Column, _ kind: Kind) -> String {
        let plain = "@::text::\(column.cast)"
        var given = "@::text"
        if case .other = kind {
            // Without arguments of its type, a column keeps the parsed value.
            guard column.modifier >= 0 else { return plain }
            given = plain + "::text"
        }
        let kept = "@::text::\(column.full)::text"
        let sentence = "'the server writes ' || \(kept) || ', not ' || @::text"
        return "(CASE WHEN \(kept) = \(given) THEN @::text ELSE \(sentence) END)::\(column.cast)"
    }

    private static func isText(_ type: ColumnType) -> Bool { type.storage == .text && type != .decimal }
}

// MARK: - Values that a column would change

extension ForeignConversion {
    /// Returns the reason why the column cannot hold a value; nil if it can, or if the server itself reports it.
    func refusal(_ value: Value) -> String? {
        switch (kind, value) {
        case (_, .null): nil
        case (.bool, .int(let number)): number == 0 || number == 1 ? nil : "a boolean has no \(number)"
        case (.integer, .double(let number)):
            number.rounded() == number ? nil : "a column of integers has no fraction"
        case (.integer, .text(let digits)): Self.fraction(digits) == 0 ? nil : "a column of integers has no fraction"
        case (.real, .double(let number)) where type != .float:
            Double(Float(number).description) == number || number.isNaN ? nil : "\(number) has more digits than a real"
        case (.real, .text(let digits)):
            Self.isSame(digits, Float(digits).map { $0.description }) ? nil : "\(digits) has more digits than a real"
        case (.double, .text(let digits)):
            Self.isSame(digits, Double(digits)?.description) ? nil : "\(digits) has more digits than a double precision"
        case (.numeric(let scale?), .text(let digits)): Self.tooFine(digits, scale)
        case (.numeric(let scale?), .double(let number)):
            DecimalText.plain(number.description).flatMap { Self.tooFine($0, scale) }
        case (.money, .text(let digits)): Self.tooFine(digits, 2)
        case (.moment(let digits, _), .double(let seconds)): Self.tooFine(seconds, digits)
        case (_, .text(let text)): refusal(text)
        default: nil
        }
    }

    private func refusal(_ text: String) -> String? {
        if text.utf8.contains(0) { return "PostgreSQL's text has no U+0000" }
        if case .char = kind, text.hasSuffix(" ") { return "a char keeps no spaces at the end" }
        // The server cuts spaces without an error.
        if case .text(let length?) = kind, text.unicodeScalars.count > length {
            return "the column holds \(length) characters"
        }
        if case .other(let name) = kind, let bytes = Self.cut[name], text.utf8.count > bytes {
            return "the column holds \(bytes) bytes"
        }
        return nil
    }

    /// Types that keep the first bytes of a longer text.
    private static let cut = ["pg_catalog.name": 63, "pg_catalog.\"char\"": 1]

    private static func fraction(_ digits: String) -> Int {
        digits.utf8.firstIndex(of: UInt8(ascii: ".")).map {
            digits.utf8.distance(from: $0, to: digits.utf8.endIndex) - 1
        }
            ?? 0
    }

    private static func tooFine(_ digits: String, _ scale: Int) -> String? {
        fraction(digits) <= max(scale, 0)
            ? nil : "\(digits) has more digits than the \(max(scale, 0)) after the column's point"
    }

    /// A moment is kept to the millisecond at least.
    private static func tooFine(_ seconds: Double, _ digits: Int?) -> String? {
        if seconds.isInfinite { return nil }
        guard let digits else {
            return seconds.remainder(dividingBy: 86_400) == 0 ? nil : "a date has no time of day"
        }
        var unit = 1.0
        for _ in 0..<max(digits, 0) { unit /= 10 }
        return seconds.remainder(dividingBy: unit).magnitude < 0.0005 || digits >= 3
            ? nil : "the column keeps \(digits) digits of a second"
    }

    private static func isSame(_ digits: String, _ other: String?) -> Bool {
        other.flatMap(DecimalText.plain) == digits
    }
}
