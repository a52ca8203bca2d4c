import StorageAPI
import StorageDriver
import StorageJSON

extension RecordSchema {
    /// The refusal of a search in a model without texts that are searched; says how to make some.
    func isNotSearched(in location: StoreLocation, _ store: Store) async throws -> ToolError {
        let tables = try await store.schema()
        if isReadOnly {
            return ToolError(
                "\(name) is a view of other software, or a table without a key, which has no index of its words; select --where "
                    + "'property contains[c] \"word\"' looks through its texts.")
        }
        if tables.contains(where: { $0.isForeign && $0.storedPath.first == storedName }) {
            return ToolError(
                "\(name) is a table of other software, which writes it without an index, so it cannot be searched; storage copy "
                    + "\(location.shown) sqlite:copy.db makes a store that can be.")
        }
        let texts = properties.filter {
            [.column(.string), .column(.array(of: .string))].contains($0.kind) && !$0.isKey
        }
        guard !texts.isEmpty else { return ToolError("\(name) has no text that could be searched.") }
        let names = texts.prefix(2).map { $0.name }.joined(separator: ",")
        return ToolError(
            "\(name) has no property that is searched; storage alter \(location.shown) \(name) --searchable \(names) makes an "
                + "index of its texts.")
    }

    /// True if a property of the model, or of what it owns, is searched.
    var isSearched: Bool { !SearchedTexts(self).isEmpty }
}

extension String {
    /// The parts between commas, without the blanks around them.
    var commaSeparated: [String] {
        split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
