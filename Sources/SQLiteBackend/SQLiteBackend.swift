public import Logging
public import StorageDriver

/// Stores models in an SQLite database, as plain typed tables that any SQLite tool can read.
///
/// ```swift
/// let store = try await Store(SQLiteBackend(path: "people.db"), models: Person.self)
/// ```
///
/// One connection writes and others read beside it (write-ahead logging); other processes may use the file at the same
/// time. A root model is a table; each owned property is a table named after it (`Person_pens`), with the owner's key and
/// the position in front. See <doc:Tables> for the types.
public struct SQLiteBackend: StorageBackend {
    public static let scheme = "sqlite"

    /// What a commit waits for.
    public enum Durability: String, Sendable, CaseIterable {
        /// The disk: what was committed survives a power cut.
        case full
        /// The operating system: it survives the process; a power cut may lose the last commits, never the store.
        case relaxed
    }

    /// The file's path, or `:memory:` for a database that is gone when it is closed. It is then a file with
    /// relaxed durability, in a temporary folder of its own.
    public var path: String
    /// What a commit waits for.
    public var durability: Durability
    /// Memory for pages: of the writing connection, in mebibytes. Each reading one takes up to a quarter of it.
    public var cacheMebibytes: Int
    /// How long a write waits for another process to finish, in milliseconds, before it throws `busy`.
    public var busyTimeoutMilliseconds: Int
    /// Whether nothing is ever written. Models' tables must then be there as declared.
    public var isReadOnly: Bool

    /// A database with these options; nothing is opened before a store is.
    public init(
        path: String, durability: Durability = .full, cacheMebibytes: Int = 64, busyTimeoutMilliseconds: Int = 5000,
        isReadOnly: Bool = false
    ) {
        self.path = path
        self.durability = durability
        self.cacheMebibytes = cacheMebibytes
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        self.isReadOnly = isReadOnly
    }

    /// `sqlite:people.db?durability=relaxed&cache=64&timeout=5000&readonly=true`
    public init(url: StorageURL) throws(StorageError) {
        try url.requirePath(like: "people.db")
        self.init(path: url.path)
        var options = StorageURL.Options(url)
        durability = try options.choice("durability", default: .full)
        cacheMebibytes = try options.integer("cache", in: 1...65536, unit: "MiB", default: 64)
        busyTimeoutMilliseconds = try options.integer("timeout", in: 0...86_400_000, unit: "ms", default: 5000)
        isReadOnly = try options.flag("readonly", default: false)
        try options.finish()
    }

    public func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StorageError(.configuration, "The path is empty or has a NUL; name a file, or :memory:.")
        }
        return try SQLiteEngine(self, logger: logger)
    }

    /// Whether the database is gone when it is closed.
    var isInMemory: Bool { path == ":memory:" }
}
