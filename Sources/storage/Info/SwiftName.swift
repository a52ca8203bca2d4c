import StorageDriver

/// Names and literals of Swift.
enum SwiftName {
    /// The types that a declaration uses, whose names no struct can have.
    static let types: Set<String> = [
        "Bool", "Int", "Int8", "Int16", "Int32", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float", "Double",
        "String", "Data",
        "Date", "UUID", "URL", "Decimal", "Duration", "Vector", "Ref", "Store", "Storable", "Value", "Key", "Columns",
        "Type",
        "Self", "Any", "Protocol", "Optional", "Array",
    ]

    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
        "internal", "let", "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows", "static",
        "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do",
        "else",
        "fallthrough", "for", "guard", "if", "in", "repeat", "return", "switch", "throw", "where", "while", "as",
        "await",
        "false", "is", "nil", "self", "super", "throws", "true", "try", "key", "schema",
    ]

    /// The name of a struct: `order lines` is `OrderLines`.
    static func type(_ name: String) -> String {
        let words = words(name)
        let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return joined.first?.isLetter == true ? joined : "Model" + joined
    }

    /// The name of a property: `AlbumId` is `albumId`, `order no.` is `orderNo`.
    static func member(_ name: String) -> String {
        let words = words(name)
        guard let first = words.first else { return "property" }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        // An acronym at the beginning is lower case as a whole, but for the letter that begins the next word.
        let capitals = first.prefix { $0.isUppercase }.count
        let lowered =
            capitals > 1 && capitals < first.count && first.dropFirst(capitals).first?.isLowercase == true
            ? capitals - 1 : capitals
        let joined = first.prefix(lowered).lowercased() + first.dropFirst(lowered) + rest
        let named = joined.first?.isNumber == true ? "_" + joined : joined
        // A struct has members of these names already.
        return ["schema", "key"].contains(named) ? named + "_" : named
    }

    /// The parts of a name that letters and digits can spell.
    private static func words(_ name: String) -> [String] {
        name.split { !($0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_") }.map(String.init)
    }

    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A text in quotes.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": literal += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || scalar.properties.generalCategory == .format || scalar.value == 0x7F:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// A text that cannot end a comment's line.
    static func comment(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}

extension ColumnType {
    /// The type as Swift names it; nil for an embedded value, whose type is not known.
    var swiftName: String? {
        switch self {
        case .bool: "Bool"
        case .int8: "Int8"
        case .int16: "Int16"
        case .int32: "Int32"
        case .int64: "Int"
        case .uint8: "UInt8"
        case .uint16: "UInt16"
        case .uint32: "UInt32"
        case .uint64: "UInt64"
        case .float: "Float"
        case .double: "Double"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .uuid: "UUID"
        case .url: "URL"
        case .decimal: "Decimal"
        case .duration: "Duration"
        case .vector: "Vector"
        case .array(let element): element.swiftName.map { "[\($0)]" }
        case .embedded: nil
        }
    }
}
