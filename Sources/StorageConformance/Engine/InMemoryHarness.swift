public import MemoryBackend
public import StorageAPI

/// The harness of the in-memory backend, the suite's reference.
public struct InMemoryHarness: ConformanceHarness {
    /// A harness that keeps nothing itself.
    public init() {}

    /// A new object that holds a store's data.
    public func makePlace() -> InMemoryBackend.Place { InMemoryBackend.Place() }

    /// A place is an object, which lives as long as the harness has it.
    public func outlivesClosing(_ info: BackendInfo) -> Bool { true }

    /// The in-memory backend on the object.
    public func backend(at place: InMemoryBackend.Place) -> any StorageBackend { InMemoryBackend(place) }
}
