internal import StorageDriver

/// A `like` pattern of the contract, as the server takes it.
struct TextPattern {
    private enum Part {
        case scalar(Unicode.Scalar)
        case any, one
    }

    private var parts: [Part] = []

    init(_ value: Value) {
        guard case .text(let pattern) = value else { return }
        var scalars = pattern.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case "*": parts.append(.any)
            case "?": parts.append(.one)
            // At the end the backslash is plain.
            case "\\": parts.append(.scalar(scalars.next() ?? scalar))
            default: parts.append(.scalar(scalar))
            }
        }
    }

    /// For LIKE, not escaped yet. It holds for texts without escapes, in which a scalar is one character.
    var like: String {
        var text = String.UnicodeScalarView()
        for part in parts {
            switch part {
            case .any: text.append("%")
            case .one: text.append("_")
            case .scalar(let scalar):
                if ["%", "_", "\\"].contains(scalar) { text.append("\\") }
                text.append(scalar)
            }
        }
        return String(text)
    }

    /// For the operator ~, about texts with escapes, in which a scalar may be two characters.
    var regularExpression: String {
        var text = "^(?:"
        for part in parts {
            switch part {
            case .any: text += "(?:.|\\n)*"
            case .one: text += "(?:[\u{1}\u{2}].|[^\u{1}\u{2}])"
            case .scalar(let scalar):
                let isPlain = !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                text += scalar.value > 2 && scalar.isASCII && !isPlain ? "\\" : ""
                text += EscapedText.escaped(String(scalar))
            }
        }
        return text + ")$"
    }
}
