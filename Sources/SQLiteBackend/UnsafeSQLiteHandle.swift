public import StorageDriver

/// A power of the SQLite engine: access to SQLite's handle, for features that the toolkit does not offer, such as a
/// pragma or a custom query.
///
/// Use it through the store, which refuses to close or to write inside the closure:
///
/// ```swift
/// try await store.withEngine(as: (any UnsafeSQLiteHandle).self) { engine in
///     try engine.withUnsafeHandle { sqlite3_exec($0, "PRAGMA optimize", nil, nil, nil) }
/// }
/// ```
public protocol UnsafeSQLiteHandle: StorageEngine {
    /// Calls a closure with the handle of the writing connection, while no write of the store runs.
    ///
    /// It is unsafe because the store does not check the closure. Do not change the store's tables, leave a transaction
    /// open, or keep the handle beyond the closure: each breaks the store's guarantees.
    ///
    /// - Parameter body: a closure that gets the `sqlite3 *` (<https://sqlite.org/c3ref/sqlite3.html>).
    /// - Throws: the closure's error, unchanged; `closed`.
    func withUnsafeHandle<T>(_ body: (OpaquePointer) throws -> T) throws -> T
}

extension SQLiteEngine: UnsafeSQLiteHandle {
    func withUnsafeHandle<T>(_ body: (OpaquePointer) throws -> T) throws -> T {
        let result: Result<T, any Error> = try withWriter { (_, connection) throws(StorageError) in
            let result = Result { try body(connection.database) }
            // The tables may have changed.
            connection.forgetPlans()
            try readReactions(connection)
            return result
        }
        return try result.get()
    }
}
