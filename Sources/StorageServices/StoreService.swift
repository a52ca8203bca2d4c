#if ServiceLifecycle
public import ServiceLifecycle
public import StorageAPI

/// A store as a service: it is closed when the program is shut down.
///
/// Name it in a `ServiceGroup`, as `Examples/Server` does.
///
/// A group shuts its services down from the last to the first. So name the store before the services that use it: these
/// end their calls, and then the store closes. A call that comes later fails as `closed`.
public struct StoreService: Service {
    private let store: Store

    /// A service that owns nothing but the closing of the store.
    public init(_ store: Store) { self.store = store }

    /// Waits until the group is shut down, or the task is cancelled, and closes the store when its running calls have
    /// ended.
    ///
    /// - Throws: errors of closing.
    public func run() async throws {
        // A cancelled task is shut down too.
        try? await gracefulShutdown()
        try await store.close()
    }
}
#endif
