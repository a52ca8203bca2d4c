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
    private let interval: Duration?

    /// A service that closes the store, and removes expired records if an interval is given.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - interval: the time between two calls of `Store.removeExpired(progress:)`, more than 0; nil for no calls. The first call is
    ///     made when the service starts. A call that fails is logged and tried again, by the rules of `Store.removeExpired(every:clock:)`.
    public init(_ store: Store, removingExpiredEvery interval: Duration? = nil) {
        (self.store, self.interval) = (store, interval)
    }

    /// Waits until the group is shut down, or the task is cancelled, and closes the store when its running calls have
    /// ended. A removal of expired records that is under way ends after its commit.
    ///
    /// - Throws: errors of closing; the error of a removal that would always fail, such as `unsupported` of a store that cannot
    ///   be written, after the store is closed.
    public func run() async throws {
        let removal = await removeExpired()
        if case .success = removal {
            // A cancelled task is shut down too.
            try? await gracefulShutdown()
        }
        let closing: Result<Void, StorageError>
        do throws(StorageError) { closing = .success(try await store.close()) } catch { closing = .failure(error) }
        // The first error is thrown.
        try removal.get()
        try closing.get()
    }

    /// Removes expired records until the shutdown, if an interval is given.
    private func removeExpired() async -> Result<Void, any Error> {
        guard let interval else { return .success(()) }
        do {
            let store = store
            try await cancelWhenGracefulShutdown { try await store.removeExpired(every: interval) }
        } catch {
            // The shutdown cancels it.
            if (error as? StorageError)?.code != .cancelled { return .failure(error) }
        }
        return .success(())
    }
}
#endif
