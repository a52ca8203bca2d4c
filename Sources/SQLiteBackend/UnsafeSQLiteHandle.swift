public import StorageDriver

/// The power of the SQLite engine to lend SQLite's own handle, for what the toolkit does not offer: a pragma, a query of
/// your own.
///
/// Ask for it through the store, which then refuses to close or to write in the body:
///
/// ```swift
/// try await store.withEngine(as: (any UnsafeSQLiteHandle).self) { engine in
///     try engine.withUnsafeHandle { sqlite3_exec($0, "PRAGMA optimize", nil, nil, nil) }
/// }
/// ```
public protocol UnsafeSQLiteHandle: StorageEngine {
    /// Calls a body with the handle of the writing connection, while no write of the store runs.
    ///
    /// It is unsafe because nothing is checked: changing the tables that the store keeps, leaving a transaction open, or
    /// keeping the handle beyond the body breaks what the store promises.
    ///
    /// - Parameter body: gets the `sqlite3 *` of <https://sqlite.org/c3ref/sqlite3.html>.
    /// - Throws: the body's own error; `closed`.
    func withUnsafeHandle<T>(_ body: (OpaquePointer) throws -> T) throws -> T
}

extension SQLiteEngine: UnsafeSQLiteHandle {
    func withUnsafeHandle<T>(_ body: (OpaquePointer) throws -> T) throws -> T {
        let result: Result<T, any Error> = try withWriter { (_, connection) throws(StorageError) in
            // Tables may be other ones afterwards.
            defer { connection.forgetPlans() }
            return Result { try body(connection.database) }
        }
        return try result.get()
    }
}
