/// The words of a line, quoted as in a shell: '…' as it stands, "…" with \" and \\, and \ before any other character.
enum ShellWords {
    /// - Throws: for quotes that do not end.
    static func split(_ line: String) throws(ToolError) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                // In quotes a backslash escapes nothing but what would end them, and itself.
                if quote != nil, character != "\"", character != "\\" { word = (word ?? "") + "\\" }
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil, !isEscaped else {
            throw ToolError("The line ends inside of quotes, or with a backslash; end it.", .usage)
        }
        return words + (word.map { [$0] } ?? [])
    }
}
