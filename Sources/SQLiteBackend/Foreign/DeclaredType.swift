internal import StorageDriver

/// The declared type of a column in a table of other software, and so the type of its values.
struct DeclaredType {
    /// The conversion that SQLite applies to a stored value, by the rules of <https://sqlite.org/datatype3.html>,
    /// section 3.1.
    enum Affinity {
        case integer, text, none, real, numeric
    }

    /// The type's name without its arguments, in upper case: `NVARCHAR` of `NVarchar(160)`.
    private let name: String
    let affinity: Affinity

    init(_ declaration: String, isStrict: Bool) {
        let upper = String(decoding: declaration.utf8.map { $0 >= 0x61 && $0 <= 0x7A ? $0 & 0xDF : $0 }, as: UTF8.self)
        let base = upper.prefix { $0 != "(" }
        name = base.split(separator: " ").joined(separator: " ")
        affinity = isStrict && name == "ANY" ? .none : Self.affinity(of: upper)
    }

    private static func affinity(of declaration: String) -> Affinity {
        func has(_ word: String) -> Bool { declaration.contains(word) }
        if has("INT") { return .integer }
        if has("CHAR") || has("CLOB") || has("TEXT") { return .text }
        if has("BLOB") || declaration.isEmpty { return .none }
        if has("REAL") || has("FLOA") || has("DOUB") { return .real }
        return .numeric
    }

    /// The type of a column, unless a model declares another. An unknown name means text, which can also represent
    /// numbers.
    var type: ColumnType {
        switch affinity {
        case .integer: return .int64
        case .text: return .string
        case .real: return .double
        case .none: return name == "BLOB" ? .data : .string
        case .numeric: return Self.named.first { $0.names.contains(where: isNamed) }?.type ?? .string
        }
    }

    /// A first word, so that `TIMESTAMP WITH TIME ZONE` is a timestamp.
    private func isNamed(_ word: String) -> Bool {
        name == word || name.hasPrefix(word + " ")
    }

    private static let named = ColumnType.scalars.map { (type: $0, names: $0.row.declared) }
}
