public import Logging
public import StorageDriver

/// Stores models in an SQLite database, as plain typed tables that any SQLite tool can read.
///
/// ```swift
/// let store = try await Store(SQLiteBackend(path: "people.db"), models: Person.self)
/// ```
///
/// One connection writes while others read (write-ahead logging), and other processes may use the file. A root model is
/// a table. Each owned property is a table named after it (`Person_pens`), whose first columns are the owner's key and
/// the position. See <doc:Tables> for the types.
public struct SQLiteBackend: StorageBackend {
    public static let scheme = "sqlite"

    /// The guarantee that a commit waits for.
    public enum Durability: String, Sendable, CaseIterable {
        /// The disk: a commit survives a power cut.
        case full
        /// The operating system: a commit survives the process. A power cut may lose the last commits, never the store.
        case relaxed
    }

    /// The file's path, or `:memory:` for a database that is removed when it is closed: a file with relaxed durability
    /// in a separate temporary folder.
    public var path: String
    /// The guarantee that a commit waits for.
    public var durability: Durability
    /// The memory of the writing connection for pages, in mebibytes. Each reading connection uses up to a quarter of
    /// it.
    public var cacheMebibytes: Int
    /// The time in milliseconds that a write waits for another process before it throws `busy`.
    public var busyTimeoutMilliseconds: Int
    /// A Boolean value that indicates whether the store is read-only. The tables of models must then exist as declared.
    public var isReadOnly: Bool

    /// A database with these options. The file is opened when a store opens.
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

    /// True if the database is removed when it is closed.
    var isInMemory: Bool { path == ":memory:" }
}
