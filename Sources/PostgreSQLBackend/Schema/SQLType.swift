internal import StorageDriver

/// The representation of a column type's values in PostgreSQL. It is defined only here.
struct SQLType: Sendable {
    /// The type of a column.
    let declared: String
    /// The type of a parameter.
    let parameter: String
    /// The number of the parameter's type, which arrays of it carry.
    let oid: UInt32
    /// The bytes of a value, in both directions.
    let form: WireForm

    private init(_ declared: String, _ form: WireForm, oid: UInt32, parameter: String? = nil) {
        self.declared = declared
        self.parameter = parameter ?? declared
        self.oid = oid
        self.form = form
    }

    static let boolean = SQLType("boolean", .bool, oid: 16)
    static let smallint = SQLType("smallint", .int2, oid: 21)
    static let integer = SQLType("integer", .int4, oid: 23)
    static let bigint = SQLType("bigint", .int8, oid: 20)
    /// A numeric crosses as digits.
    static let unsigned = SQLType("numeric(20)", .digits, oid: 25, parameter: "text")
    static let real = SQLType("real", .float4, oid: 700)
    static let double = SQLType("double precision", .float8, oid: 701)
    static let text = SQLType("text COLLATE \"C\"", .text, oid: 25, parameter: "text")
    static let numeric = SQLType("numeric", .plainText, oid: 25, parameter: "text")
    static let bytea = SQLType("bytea", .bytes, oid: 17)
    static let uuid = SQLType("uuid", .bytes, oid: 2950)
    /// Not jsonb, which keeps neither the text nor \u0000.
    static let json = SQLType("json", .plainText, oid: 114)
}

/// The bytes in which values cross the connection.
enum WireForm: UInt8, Sendable {
    case bool, int2, int4, int8, float4, float8
    /// Text in which ``EscapedText`` represents U+0000, which PostgreSQL's text cannot hold.
    case text
    /// Text that has no U+0000 by its grammar: JSON and decimal numbers.
    case plainText
    case bytes
    /// A UInt64 as decimal digits.
    case digits
    /// A number as its digits, if the column may have fractions and the type has none.
    case number
    /// A bigint that is read as a double if a double surely has its value. A parameter is a double.
    case whole
}

extension ColumnType {
    var sql: SQLType {
        switch self {
        case .bool: .boolean
        case .int8, .int16, .uint8: .smallint
        case .int32, .uint16: .integer
        case .int64, .uint32: .bigint
        case .uint64: .unsigned
        case .float: .real
        // A timestamp has microseconds only.
        case .double, .date: .double
        case .string, .url: .text
        case .decimal: .numeric
        case .data, .duration, .vector: .bytea
        case .uuid: .uuid
        case .array, .embedded: .json
        }
    }

    /// The bytes of a value. Tables of other software escape no text.
    func form(isForeign: Bool) -> WireForm { isForeign && sql.form == .text ? .plainText : sql.form }

    /// True if values are compared as text that the column does not store as such.
    var isJSON: Bool { sql.form == .plainText && self != .decimal }

    /// True if a parameter of text must be cast to a number.
    var isNumeric: Bool { self == .uint64 || self == .decimal }

    /// Returns the SQL of a result for an expression that ``RowScope`` or a compiler made.
    func output(_ expression: String) -> String {
        switch self {
        case .uint64: "(\(expression))::text"
        case .decimal: "trim_scale(\(expression))::text"
        default: expression
        }
    }

    /// A column in an expression. JSON is compared as text.
    func compared(_ column: String) -> String { isJSON ? "(\(column)::text COLLATE \"C\")" : column }

    /// A parameter in an expression.
    func parameter(_ number: Int) -> String {
        if isNumeric { return "($\(number)::text::numeric)" }
        if storage == .text { return "($\(number)::text COLLATE \"C\")" }
        return "$\(number)::\(sql.parameter)"
    }

    /// A parameter without a collation.
    func plainParameter(_ number: Int) -> String {
        storage == .text && !isNumeric ? "$\(number)::text" : parameter(number)
    }

    /// An expression as one of the type.
    func cast(_ expression: String) -> String {
        "(\(expression))::\(isNumeric ? "numeric" : storage == .text ? "text" : sql.parameter)"
    }

    /// A list as an array in an expression.
    func list(_ number: Int) -> String {
        if isNumeric { return "$\(number)::text[]::numeric[]" }
        return "$\(number)::\(isJSON ? "text" : sql.parameter)[]"
    }

    /// The number of the type of a list's elements.
    var listOID: UInt32 { isJSON ? SQLType.text.oid : sql.oid }

    // MARK: Indexes

    /// True if values may be longer than an index takes, which has entries of 2,704 bytes.
    var isUnbounded: Bool {
        switch self {
        case .string, .url, .data, .vector, .array, .embedded: true
        default: false
        }
    }

    /// The beginning of a value of unbounded length, for an index. It sorts like the value, up to its length.
    func beginning(_ value: String) -> String {
        storage == .blob ? "substr(\(value), 1, 2000)" : "left(\(value), 500)"
    }

    /// Returns the SQL that distinguishes a value longer than its prefix from others with the same prefix: its SHA-256.
    /// Empty for others.
    func remainder(_ value: String) -> String {
        if storage == .blob { return "CASE WHEN length(\(value)) > 2000 THEN sha256(\(value)) ELSE '' END" }
        // The bytes of a text; its conversion to bytes is no function that an index may use.
        let bytes = "decode(replace(\(value), E'\\\\', E'\\\\\\\\'), 'escape')"
        return "CASE WHEN length(\(value)) > 500 THEN sha256(\(bytes)) ELSE '' END"
    }

    /// Null in an expression whose value is of the type.
    var null: String { isNumeric ? "NULL::numeric" : "NULL::\(isJSON ? "text" : sql.parameter)" }
}
