public import StorageDriver
import Synchronization

/// Backends for stores in schemas of several databases. The stores of one database share its connections.
///
/// ```swift
/// let directory = try await TenantDirectory(
///     url: "sqlite:tenants.db", backends: [SQLiteBackend.self])
/// let databases = PostgreSQLDatabases()
/// let tenants = Tenants(directory: directory, models: [Person.self]) { entry in
///     try databases.backend(entry.address)
/// }
/// ```
public final class PostgreSQLDatabases: Sendable {
    private let databases = Mutex<[[String]: PostgreSQLBackend]>([:])

    /// No database is known yet.
    public init() {}

    /// The backend at a URL, which shares connections with the others whose URLs differ in nothing but the option `schema`.
    ///
    /// - Throws: `configuration` for a URL that is no database's.
    public func backend(_ url: String) throws(StorageError) -> PostgreSQLBackend {
        let url = try StorageURL(url)
        guard url.scheme == PostgreSQLBackend.scheme else {
            throw BackendProduct.error(url.scheme, [PostgreSQLBackend.scheme])
        }
        let configured = try PostgreSQLBackend(url: url)
        let options = url.options.filter { $0.key != "schema" }.map { "\($0.key)=\($0.value)" }.sorted()
        var backend = databases.withLock { databases in
            let known = databases[[url.address] + options] ?? configured.sharingConnections()
            databases[[url.address] + options] = known
            return known
        }
        backend.schema = configured.schema
        return backend
    }
}
