import StorageAPI
import StorageDriver
import StorageJSON

// The text form of queries, made of names and values of a store. Names are in backticks and escaped, and values are
// arguments where a query is run; only a condition that a person will see has them as literals.

extension String {
    /// The name of a property as it stands in a query.
    var queryName: String { quoted("`") }

    /// The text as a literal of a query.
    var queryLiteral: String { quoted("\"") }

    /// The test as a condition of its own, or in addition to another one.
    func added(to condition: String?) -> String {
        guard let condition else { return self }
        // Only an alternative has to be kept together.
        let words = condition.lowercased().split { !$0.isLetter && $0 != "|" }
        let isWhole = words.contains("or") || words.contains("||")
        return (isWhole ? "(\(condition))" : condition) + " and " + self
    }

    fileprivate func quoted(_ mark: Character) -> String {
        var text = String(mark)
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0": text += "\\0"
            case _ where Character(scalar) == mark: text += "\\\(mark)"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + String(mark)
    }

    /// The name as a person would write it: without backticks where it needs none.
    var shownQueryName: String {
        let isWord = unicodeScalars.allSatisfy {
            $0 == "_" || $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
        }
        let startsWell = unicodeScalars.first.map { $0 == "_" || $0.properties.isAlphabetic } ?? false
        return isWord && startsWell && !Self.keywords.contains(lowercased()) ? self : queryName
    }

    static let keywords: Set<String> = [
        "and", "or", "not", "any", "some", "all", "none", "truepredicate", "falsepredicate", "beginswith", "endswith",
        "contains", "like", "is", "nil", "null", "between", "in", "true", "false", "yes", "no", "count", "where",
        "distance", "matches", "relevance", "asc", "ascending", "desc", "descending", "nils", "nulls",
    ]
}

extension Value {
    /// The value as a literal of a condition.
    func literal(_ type: ColumnType) -> String {
        switch (self, type) {
        case (.null, _): return "nil"
        case (.int(let value), .bool): return value == 0 ? "false" : "true"
        case (.int(let value), _): return String(value)
        case (.unsigned(let value), _): return String(value)
        default:
            let text = text(as: type) ?? ""
            let isNumber = [.decimal, .double, .float].contains(type) && Double(text)?.isFinite == true
            return isNumber ? text : text.queryLiteral
        }
    }
}
