public import StorageAPI

extension Store {
    /// Calls a body with SQLite's own handle of the writing connection, while no write of the store runs.
    ///
    /// The way out for what the toolkit does not offer: a pragma, a backup, a query of one's own. It is unsafe because
    /// nothing is checked: changing the tables that the store keeps, leaving a transaction open, or keeping the handle
    /// beyond the body breaks what the store promises. Writes by the store and closing it are `busy` in the body.
    ///
    /// ```swift
    /// try await store.withUnsafeSQLiteHandle { sqlite3_exec($0, "PRAGMA optimize", nil, nil, nil) }
    /// ```
    ///
    /// - Parameter body: gets the `sqlite3 *` of <https://sqlite.org/c3ref/sqlite3.html>.
    /// - Throws: the body's own error; `unsupported` where the store is on another backend; `busy` in another body of the
    ///   store; `closed`.
    public nonisolated(nonsending) func withUnsafeSQLiteHandle<T>(_ body: (OpaquePointer) throws -> T) async throws -> T
    {
        guard let engine = engine(as: (any UnsafeSQLiteHandle).self) else {
            throw StorageError(.unsupported, "The store is not on SQLite; it is on \(info.name).")
        }
        return try lending("withUnsafeSQLiteHandle") { try engine.withUnsafeHandle(body) }
    }
}

/// The power of an engine to give SQLite's handle away.
protocol UnsafeSQLiteHandle {
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
