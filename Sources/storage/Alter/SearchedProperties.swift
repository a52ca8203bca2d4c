import StorageAPI
import StorageDriver

extension RecordSchema {
    /// Marks properties as searched.
    ///
    /// - Parameter text: their names, joined by commas, each perhaps with a weight: `title=2,body`.
    mutating func search(_ text: String) throws {
        for part in text.commaSeparated {
            // A name may have an equals sign itself.
            let sign = part.lastIndex(of: "=")
            let isName = properties.contains { $0.storedName == StoredName(part) }
            guard let sign, !isName else {
                try edit(part) { $0.searchWeight = $0.searchWeight ?? 1 }
                continue
            }
            guard let weight = Double(part[part.index(after: sign)...]), weight.isFinite else {
                throw ToolError(
                    "--searchable \(text) is not of the form PROPERTY or PROPERTY=WEIGHT, like title=2,body.", .usage)
            }
            try edit(String(part[..<sign])) { $0.searchWeight = weight }
        }
    }
}
