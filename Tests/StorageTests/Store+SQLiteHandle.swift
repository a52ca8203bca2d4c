import SQLiteBackend
import StorageKit

extension Store {
    /// SQLite's own handle, by which tests set what no call of the store sets.
    func withUnsafeSQLiteHandle<T>(_ body: (OpaquePointer) throws -> T) async throws -> T {
        try await withEngine(as: (any UnsafeSQLiteHandle).self) { try $0.withUnsafeHandle(body) }
    }
}
