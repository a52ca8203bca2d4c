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
    /// The text after the colon and `//`, up to the options, as it was written. It may have a password: show
    /// ``description`` instead.
    public let address: String
    /// The options in the URL itself. ``Options`` also has the options from settings.
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
        // Redacted as a whole: a password that was typed with a question mark ends after the options' beginning.
        description = String(Redaction.redacted(text).prefix { $0 != "?" })
        guard let colon = written.firstIndex(of: ":"), colon > written.startIndex else {
            throw Self.error("\"\(description)\" has no scheme; write it as backend:path, like sqlite:people.db")
        }
        scheme = BackendProduct.scheme(text[..<colon])
        let rawPath = written[written.index(after: colon)...]
        address = String(rawPath.hasPrefix("//") ? rawPath.dropFirst(2) : rawPath)
        guard !Redaction.hidesOptions(of: text) else {
            throw Self.error(
                "\(description) has a ? that may be part of a password; write ? in a password as %3F, and @ in an option as %40"
            )
        }
        path = try Self.unescaped(address[...], of: description)
        options = try Self.options(in: text.dropFirst(written.count + 1), of: description)
    }

    /// An address from the separate parts in settings.
    package init(scheme: String, path: String, settings: any OptionSettings) {
        self.scheme = BackendProduct.scheme(scheme)
        self.path = path
        self.settings = settings
        address = path.hasPrefix("//") ? String(path.dropFirst(2)) : path
        options = [:]
        description = Redaction.redacted("\(self.scheme):\(path)")
    }

    /// The path as it may be shown.
    package var shownPath: String { String(Redaction.redacted("\(scheme):\(path)").dropFirst(scheme.count + 1)) }

    /// Checks that the URL has a path.
    ///
    /// - Parameter example: a path that the error may show.
    /// - Throws: `configuration` if the path is empty.
    public func requirePath(like example: String) throws(StorageError) {
        guard path.isEmpty else { return }
        let remedy = settings?.pathRemedy(example) ?? "write \(scheme):\(example)"
        throw Self.error("\(description) names no file; \(remedy)")
    }

    /// - Parameter url: the URL as errors show it. An option's value may be a secret.
    private static func options(in text: Substring, of url: String) throws(StorageError) -> [String: String] {
        var options: [String: String] = [:]
        for option in text.split(separator: "&") {
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try unescaped(parts.first ?? "", of: url)
            let value = try unescaped(parts.count > 1 ? parts[1] : "", of: url)
            guard options.updateValue(value, forKey: name) == nil else {
                let shown = hasSecret(options) ? "an option" : "the option \(name)"
                throw error("\(shown) is given twice")
            }
        }
        return options
    }

    /// Returns whether one of the options is a secret. Any of the others may then be the rest of it, after a `&`
    /// without its escape.
    private static func hasSecret(_ options: [String: String]) -> Bool {
        options.keys.contains(where: Redaction.isSecret)
    }

    /// A Boolean value that indicates whether errors must not show the options' names and values.
    var hidesOptions: Bool { Self.hasSecret(options) }

    private static func unescaped(_ text: Substring, of url: String) throws(StorageError) -> String {
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
                throw error("\(url) has a % that two hexadecimal digits must follow; a % itself is %25")
            }
            rest = rest.dropFirst(2)
            bytes.append(escaped)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("\(url) is not UTF-8 after its escapes are resolved")
        }
        return text
    }

    package static func error(_ problem: String) -> StorageError {
        StorageError(.configuration, "The store cannot be opened as it is configured: \(problem).", operation: "open")
    }
}
