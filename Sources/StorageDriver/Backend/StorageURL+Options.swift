internal import Logging

extension StorageURL {
    /// The options of a store, which its backend reads one by one. An option that the backend does not read is an
    /// error.
    ///
    /// ```swift
    /// enum Durability: String, CaseIterable { case full, relaxed }
    ///
    /// struct Options {
    ///     var durability = Durability.full
    ///     var cacheMebibytes = 64
    ///     var isReadOnly = false
    ///
    ///     init(url: StorageURL) throws(StorageError) {
    ///         var options = StorageURL.Options(url)
    ///         durability = try options.choice("durability", default: .full)
    ///         cacheMebibytes = try options.integer("cache", in: 1...65536, unit: "MiB", default: 64)
    ///         isReadOnly = try options.flag("readonly", default: false)
    ///         try options.finish()
    ///     }
    /// }
    /// ```
    ///
    /// In settings, the option `cache` of the backend `sqlite` is called `storage.sqlite.cache`. Every call throws
    /// `configuration` for a value that it does not accept; the message lists the accepted values.
    public struct Options: ~Copyable {
        private let url: StorageURL
        private var left: [String: String]
        private var known: [String] = []
        private var effective: Logger.Metadata

        /// The options of a URL.
        public init(_ url: StorageURL) {
            self.url = url
            left = url.options
            effective = ["backend": "\(url.scheme)", "path": "\(url.shownPath)"]
        }

        /// Reads one of the values of an enum: `durability=relaxed`.
        public mutating func choice<T: CaseIterable & RawRepresentable<String>>(
            _ name: String, default: T
        ) throws(StorageError) -> T {
            let names = T.allCases.map(\.rawValue)
            guard let text = try text(name, .text, else: `default`.rawValue) else { return `default` }
            guard let value = T(rawValue: text) else {
                throw refusal(
                    name, text, accepted: names.joined(separator: ", "),
                    hint: SpellingSuggestion.hint(text, among: names))
            }
            return value
        }

        /// Reads `true` or `false`.
        public mutating func flag(_ name: String, default: Bool) throws(StorageError) -> Bool {
            guard let text = try text(name, .flag, else: "\(`default`)") else { return `default` }
            guard let value = Bool(text) else { throw refusal(name, text, accepted: "true, false") }
            return value
        }

        /// Reads an integer.
        ///
        /// - Parameters:
        ///   - name: the option's name in a URL.
        ///   - range: the accepted values.
        ///   - unit: the unit of the number, for the error: `MiB`.
        ///   - default: the value if the option is missing.
        public mutating func integer(
            _ name: String, in range: ClosedRange<Int>, unit: String, default: Int
        ) throws(StorageError) -> Int {
            guard let text = try text(name, .integer, else: "\(`default`)") else { return `default` }
            guard let value = Int(text), range.contains(value) else {
                throw refusal(name, text, accepted: "\(range.lowerBound) to \(range.upperBound) (\(unit))")
            }
            return value
        }

        /// Reads a text that appears in no log and no error, such as a password.
        public mutating func secret(_ name: String) throws(StorageError) -> String? {
            try text(name, .secret, else: nil)
        }

        /// Reads the option's value and converts it.
        ///
        /// - Parameters:
        ///   - name: the option's name in a URL.
        ///   - accepted: the accepted values, in words: `1 to 19, with zstd`.
        ///   - convert: converts the text, or returns nil.
        /// - Throws: `configuration` if `convert` returns nil.
        public mutating func take<T>(
            _ name: String, accepted: String, _ convert: (String) -> T?
        ) throws(StorageError) -> T? {
            guard let text = try text(name, .text, else: nil) else { return nil }
            guard let value = convert(text) else { throw refusal(name, text, accepted: accepted) }
            return value
        }

        /// Throws if an option was not read, and logs the options in effect.
        public consuming func finish() throws(StorageError) {
            if let name = left.keys.min() {
                let accepted = known.isEmpty ? "there are none" : known.sorted().joined(separator: ", ")
                guard !url.hidesOptions else {
                    throw StorageURL.error(
                        "an option beside the password is unknown; write & in a password as %26; accepted options: \(accepted)"
                    )
                }
                throw StorageURL.error(
                    "the option \(name) is unknown\(SpellingSuggestion.hint(name, among: known)); accepted options: \(accepted)"
                )
            }
            try url.settings?.finish(known)
            url.logger.info("store configured", metadata: effective)
        }

        private mutating func text(
            _ name: String, _ kind: OptionKind, else fallback: String?
        ) throws(StorageError) -> String? {
            known.append(name)
            let setting = try url.settings?.text(name, kind)
            let text = left.removeValue(forKey: name) ?? setting
            if let shown = text ?? fallback { effective[name] = kind == .secret ? "<secret>" : "\(shown)" }
            return text
        }

        private func refusal(_ name: String, _ text: String, accepted: String, hint: String = "")
            -> StorageError
        {
            let place = url.settings?.name(of: name) ?? name
            let given = url.hidesOptions ? "the value of \(place)" : "\(place)=\(text)"
            return StorageURL.error("\(given) is not accepted\(hint); \(name) is one of: \(accepted)")
        }
    }
}

/// The type with which an option is read from settings.
package enum OptionKind { case text, integer, flag, secret }

/// A program's settings, as a source of a backend's options.
package protocol OptionSettings: Sendable {
    /// The option's value, or nil if it is not set.
    func text(_ option: String, _ kind: OptionKind) throws(StorageError) -> String?

    /// The option's name among the settings: `storage.sqlite.cache`.
    func name(of option: String) -> String

    /// Returns the advice for a missing path.
    func pathRemedy(_ example: String) -> String?

    /// Throws if a setting is not read by anyone, as far as this can be found.
    ///
    /// - Parameter options: the options that the backend knows.
    func finish(_ options: [String]) throws(StorageError)
}
