#if Configuration
internal import Configuration
import StorageDriver
import StorageAPI

/// A program's settings for its store.
struct StorageSettings: OptionSettings {
    private let reader: ConfigSnapshotReader
    private let names: [String]
    private let schemes: [String]
    /// The backend's scheme, and whether a URL names it, which then also has the options.
    private var scheme = ""
    private var isByURL = false

    init(_ reader: ConfigReader, names: [String], backends: [any StorageBackend.Type]) {
        self.reader = reader.snapshot()
        self.names = names
        schemes = backends.map { $0.scheme }
    }

    /// The store's address, with these settings as the source of its options.
    ///
    /// - Throws: `configuration` if none exists, or more than one.
    consuming func url() throws(StorageError) -> StorageURL {
        // A URL may have a password in it.
        let text = try value("storage.url", .secret)
        let backend = try value("storage.backend", .text)
        let path = try value("storage.path", .text)
        if let text {
            guard backend == nil, path == nil else {
                throw StorageURL.error(
                    "storage.url and \(backend == nil ? "storage.path" : "storage.backend") are both given; remove one")
            }
            var url = try StorageURL(text)
            (scheme, isByURL) = (url.scheme, true)
            url.settings = self
            return url
        }
        guard let backend else { throw StorageURL.error(missingBackend(hasPath: path != nil)) }
        scheme = backend.lowercased()
        return StorageURL(scheme: backend, path: path ?? "", settings: self)
    }

    private func missingBackend(hasPath: Bool) -> String {
        let accepted = schemes.sorted().joined(separator: ", ")
        if hasPath { return "storage.path is given without storage.backend, which is one of: \(accepted)" }
        return """
            no store is named; set storage.url (in the environment STORAGE_URL) to backend:path, or storage.backend and \
            storage.path. The backends are: \(accepted)
            """
    }

    func name(of option: String) -> String { isByURL ? option : "storage.\(scheme).\(option)" }

    func pathRemedy(_ example: String) -> String? { isByURL ? nil : "set storage.path, to \(example) for instance" }

    func text(_ option: String, _ kind: OptionKind) throws(StorageError) -> String? {
        let key = "storage.\(scheme).\(option)"
        let text = try value(key, kind)
        guard !isByURL || text == nil else {
            throw StorageURL.error(
                "storage.url and \(key) are both given; write the option into the URL, as ?\(option)=")
        }
        return text
    }

    func finish(_ options: [String]) throws(StorageError) {
        for option in options where try value("storage.\(option)", .secret) != nil {
            throw StorageURL.error("storage.\(option) is unknown (did you mean storage.\(scheme).\(option)?)")
        }
        let known = ["storage.url", "storage.backend", "storage.path"] + options.map { "storage.\(scheme).\($0)" }
        for name in names.sorted() where isUnknown(name, known) {
            let hint = SpellingSuggestion.nearest(Self.key(name), among: known).map {
                " (did you mean \(Self.spelled($0, like: name))?)"
            }
            throw StorageURL.error("\(name) is unknown\(hint ?? ""); accepted: \(known.joined(separator: ", "))")
        }
    }

    /// Returns whether a name is below `storage`, and neither one of the known ones nor an option of another backend.
    private func isUnknown(_ name: String, _ known: [String]) -> Bool {
        let key = Self.key(name)
        // The tool `storage` reads STORAGE_HISTORY, which a user may set for all programs.
        let read = known + ["storage.history"]
        guard key.hasPrefix("storage."), !read.contains(where: { Self.key($0) == key }) else { return false }
        let others = Set(schemes + BackendProduct.names.keys).subtracting([scheme])
        return !others.contains { key.hasPrefix("storage.\($0).") }
    }

    /// `storage.sqlite.cache`, however a provider spells it: `STORAGE_SQLITE_CACHE`, `--storage-sqlite-cache=8`.
    private static func key(_ name: String) -> String {
        name.prefix { $0 != "=" }.lowercased().split { "._-".contains($0) }.joined(separator: ".")
    }

    /// A key in the spelling of a name that is given, which it can be put in the place of.
    private static func spelled(_ key: String, like name: String) -> String {
        if name.hasPrefix("--") { return "--" + key.replacing(".", with: "-") }
        return name.contains("_") ? key.replacing(".", with: "_").uppercased() : key
    }

    /// A setting's value as text, whatever its type. The reader returns nil both if a setting is missing and if it has
    /// another type, so this tries the other types in turn.
    private func value(_ key: String, _ kind: OptionKind) throws(StorageError) -> String? {
        let key = ConfigKey(key)
        let isSecret = kind == .secret
        switch kind {
        case .integer: if let value = reader.int(forKey: key) { return "\(value)" }
        case .flag: if let value = reader.bool(forKey: key) { return "\(value)" }
        case .text, .secret: break
        }
        if let value = reader.string(forKey: key, isSecret: isSecret) { return value }
        if let value = reader.int(forKey: key, isSecret: isSecret) { return "\(value)" }
        if let value = reader.double(forKey: key, isSecret: isSecret) { return "\(value)" }
        if let value = reader.bool(forKey: key, isSecret: isSecret) { return "\(value)" }
        let strings = reader.stringArray(forKey: key, isSecret: isSecret)
        guard strings == nil, reader.doubleArray(forKey: key, isSecret: isSecret) == nil else {
            throw StorageURL.error("\(key) is a list; give one value")
        }
        return nil
    }
}
#endif
