public import MemoryBackend
public import StorageAPI

/// The harness of the in-memory backend, the suite's reference.
public struct InMemoryHarness: ConformanceHarness {
    /// A harness without state.
    public init() {}

    /// A new object for a store's data.
    public func makePlace() -> InMemoryBackend.Place { InMemoryBackend.Place() }

    /// True: a place is an object, which lives as long as the harness holds it.
    public func outlivesClosing(_ info: BackendInfo) -> Bool { true }

    /// The in-memory backend on the object.
    public func backend(at place: InMemoryBackend.Place) -> any StorageBackend { InMemoryBackend(place) }
}
