/// The products of this package's backends. This module knows only their names, so that an error can say which one to
/// link.
package enum BackendProduct {
    package static let names = [
        "archive": "ArchiveBackend", "memory": "InMemoryBackend", "postgresql": "PostgreSQLBackend",
        "sqlite": "SQLiteBackend",
    ]

    /// Other names of schemes, by which users know them from elsewhere.
    private static let aliases = ["postgres": "postgresql"]

    /// The scheme that a word names, in lower case.
    package static func scheme(_ word: some StringProtocol) -> String {
        let word = word.lowercased()
        return aliases[word] ?? word
    }

    /// Returns whether a word is the scheme of one of this package's backends.
    package static func isScheme(_ word: String) -> Bool { names[scheme(word)] != nil }

    /// The error of a store whose scheme none of its backends has.
    package static func error(_ scheme: String, _ schemes: [String]) -> StorageError {
        if let type = names[scheme] {
            let link = scheme == "memory" ? "" : "link the product \(type) and "
            return StorageURL.error("the backend \(scheme) is not there; \(link)add \(type).self to backends:")
        }
        let known = schemes.sorted().joined(separator: ", ")
        let hint = SpellingSuggestion.hint(scheme, among: schemes + names.keys)
        return StorageURL.error(
            "no backend has the scheme \(scheme)\(hint); accepted: \(known.isEmpty ? "none, backends: is empty" : known)"
        )
    }
}
