/// A store's address: `sqlite:people.db?durability=relaxed`.
///
/// The scheme names the backend, what follows the colon is the path (also with `//` in front), and the options follow a
/// question mark, joined by `&`. A `%` in the path or an option is an escape of a byte in hexadecimal: `%3F` is a
/// question mark.
public struct StorageURL: Sendable, CustomStringConvertible {
    public let scheme: String
    /// The path with its escapes resolved.
    public let path: String
    public let options: [String: String]
    public let description: String

    /// - Throws: `configuration` where the text has no scheme, an option twice, or an escape that is none.
    public init(_ text: String) throws(StorageError) {
        description = text
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex else {
            throw Self.error("\"\(text)\" has no scheme; write it as backend:path, like sqlite:people.db")
        }
        scheme = String(text[..<colon]).lowercased()
        let rest = text[text.index(after: colon)...]
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let rawPath = parts.first ?? ""
        path = try Self.unescaped(rawPath.hasPrefix("//") ? rawPath.dropFirst(2) : rawPath)
        options = try Self.options(in: parts.count > 1 ? parts[1] : "")
    }

    private static func options(in text: Substring) throws(StorageError) -> [String: String] {
        var options: [String: String] = [:]
        for option in text.split(separator: "&") {
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try unescaped(parts.first ?? "")
            guard options.updateValue(try unescaped(parts.count > 1 ? parts[1] : ""), forKey: name) == nil else {
                throw error("the option \(name) is given twice")
            }
        }
        return options
    }

    private static func unescaped(_ text: Substring) throws(StorageError) -> String {
        guard text.contains("%") else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                throw error("\"\(text)\" has a % that two hexadecimal digits must follow; a % itself is %25")
            }
            rest = rest.dropFirst(2)
            bytes.append(escaped)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("\"\(text)\" is not UTF-8 after its escapes are resolved")
        }
        return text
    }

    static func error(_ problem: String) -> StorageError {
        StorageError(.configuration, "The storage URL cannot be used: \(problem).", operation: "open")
    }
}

extension StorageURL {
    /// The options as a backend reads them: every one is taken, and what is left over is an error.
    public struct Options: ~Copyable {
        private var left: [String: String]
        private var known: [String] = []

        public init(_ url: StorageURL) { left = url.options }

        /// Takes the option's value, converted.
        ///
        /// - Parameter accepted: what the value may be, in words: `full, relaxed`.
        /// - Throws: `configuration` where `convert` gives nil.
        public mutating func take<T>(
            _ name: String, accepted: String, _ convert: (String) -> T?
        ) throws(StorageError) -> T? {
            known.append(name)
            guard let text = left.removeValue(forKey: name) else { return nil }
            guard let value = convert(text) else {
                throw StorageURL.error("\(name)=\(text) is not accepted; \(name) is one of: \(accepted)")
            }
            return value
        }

        /// Checks that no option is left.
        public consuming func finish() throws(StorageError) {
            guard let name = left.keys.min() else { return }
            let accepted = known.isEmpty ? "there are none" : known.sorted().joined(separator: ", ")
            throw StorageURL.error("the option \(name) is unknown; accepted options: \(accepted)")
        }
    }
}
