import ArgumentParser
import StorageAPI
import StorageDriver
import StorageTenants

#if PostgreSQL
import PostgreSQLBackend
#endif

/// The directory that a command works on.
struct DirectoryArgument: ParsableArguments {
    @Argument(help: "The store of the directory: backend:path, or the path of its file.")
    var directory: StoreLocation

    /// Runs a body with the directory, and closes it.
    ///
    /// - Parameter purpose: `making` for a command that may begin a directory.
    func with<T: Sendable>(
        _ purpose: StoreLocation.Purpose = .writing, _ body: (TenantDirectory) async throws -> T
    ) async throws -> T {
        try await directory.with(purpose) { store in try await body(TenantDirectory(store)) }
    }

    /// The stores of a directory's tenants, which the tool opens without models.
    static func tenants(_ directory: TenantDirectory) -> Tenants {
        Tenants(directory: directory, models: [], backend: opening())
    }

    /// Makes the backends of tenants' stores. In one PostgreSQL database they share connections.
    static func opening() -> @Sendable (TenantDirectory.Entry) throws -> any StorageBackend {
        #if PostgreSQL
        let databases = PostgreSQLDatabases()
        #endif
        return { entry in
            let url = try StorageURL(entry.address)
            #if PostgreSQL
            if url.scheme == PostgreSQLBackend.scheme { return try databases.backend(entry.address) }
            #endif
            guard let backend = StoreLocation.backends.first(where: { $0.scheme == url.scheme }) else {
                throw BackendProduct.error(url.scheme, StoreLocation.backends.map { $0.scheme })
            }
            return try backend.init(url: url)
        }
    }
}
