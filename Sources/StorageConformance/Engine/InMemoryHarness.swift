public import StorageAPI

/// The harness of the in-memory backend, the suite's reference.
public struct InMemoryHarness: ConformanceHarness {
    public init() {}

    public func makePlace() -> InMemoryBackend.Place { InMemoryBackend.Place() }

    public func backend(at place: InMemoryBackend.Place) -> any StorageBackend { InMemoryBackend(place) }
}
