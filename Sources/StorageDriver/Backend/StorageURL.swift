package import Logging

/// A store's address: `sqlite:people.db?durability=relaxed`.
///
/// The scheme names the backend. The path follows the colon, with or without `//`. The options follow a question mark,
/// joined by `&`. In the path and the options, `%` and two hexadecimal digits stand for a byte: `%3F` is a question
/// mark.
///
/// A backend reads its options with ``Options``, so they may also come from a program's settings.
public struct StorageURL: Sendable, CustomStringConvertible {
    /// The name of the backend, in lower case.
    public let scheme: String
    /// The path with its escapes resolved.
    public let path: String
    /// What follows the colon and `//`, up to the options, as it was written. It may have a password: show
    /// ``description`` instead.
    public let address: String
    /// The options in the URL itself. ``Options`` also has those from settings.
    public let options: [String: String]
    /// The URL without its options, any of which may be a secret, and without the password of its user.
    public let description: String
    /// The settings from which options come, if the store is configured by settings.
    package var settings: (any OptionSettings)?
    /// Logs the options in effect.
    package var logger = Logger.silent

    /// - Throws: `configuration` if the text has no scheme, repeats an option, or has an invalid escape.
    public init(_ text: String) throws(StorageError) {
        let written = text.prefix { $0 != "?" }
        description = Self.shown(String(written))
        guard let colon = written.firstIndex(of: ":"), colon > written.startIndex else {
            throw Self.error("\"\(description)\" has no scheme; write it as backend:path, like sqlite:people.db")
        }
        scheme = String(text[..<colon]).lowercased()
        let rawPath = written[written.index(after: colon)...]
        address = String(rawPath.hasPrefix("//") ? rawPath.dropFirst(2) : rawPath)
        path = try Self.unescaped(address[...])
        options = try Self.options(in: text.dropFirst(written.count + 1))
    }

    /// An address from the separate parts in settings.
    package init(scheme: String, path: String, settings: any OptionSettings) {
        self.scheme = scheme.lowercased()
        self.path = path
        self.settings = settings
        address = path.hasPrefix("//") ? String(path.dropFirst(2)) : path
        options = [:]
        description = Self.shown("\(self.scheme):\(path)")
    }

    /// A text with an address in it, without the password of `//user:password@host`.
    package static func shown(_ text: String) -> String {
        guard let slashes = text.firstRange(of: "//") else { return text }
        let authority = text[slashes.upperBound...].prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") else {
            return text
        }
        return text[...colon] + "…" + text[at...]
    }

    /// The path as it may be shown.
    package var shownPath: String { String(Self.shown("//" + path).dropFirst(2)) }

    /// Checks that there is a path.
    ///
    /// - Parameter example: a path that the error may show.
    /// - Throws: `configuration` if the path is empty.
    public func requirePath(like example: String) throws(StorageError) {
        guard path.isEmpty else { return }
        let remedy = settings?.pathRemedy(example) ?? "write \(scheme):\(example)"
        throw Self.error("\(description) names no file; \(remedy)")
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
                throw error(
                    "\"\(shown("//" + text).dropFirst(2))\" has a % that two hexadecimal digits must follow; a % itself is %25"
                )
            }
            rest = rest.dropFirst(2)
            bytes.append(escaped)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("\"\(shown("//" + text).dropFirst(2))\" is not UTF-8 after its escapes are resolved")
        }
        return text
    }

    package static func error(_ problem: String) -> StorageError {
        StorageError(.configuration, "The store cannot be opened as it is configured: \(problem).", operation: "open")
    }
}
