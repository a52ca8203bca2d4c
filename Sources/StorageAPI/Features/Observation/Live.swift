#if canImport(Observation)
public import Observation
public import StorageDriver

/// The latest result of an observed query, for views. Readers of ``value`` are notified when it changes.
///
/// ```
/// @State var people = Live([], store.select(Person.self).order { $0.name }.values())
/// var body: some View { List(people.value, id: \.id) { Text($0.name) } }
/// ```
///
/// It observes as long as it lives, and keeps the store open. The query runs off the main actor.
@MainActor
public final class Live<Value: Sendable>: Observable {
    private let registrar = ObservationRegistrar()
    private var latest: Value
    private var failure: StorageError?
    private var task: Task<Void, Never>?

    /// Begins to observe.
    ///
    /// - Parameters:
    ///   - value: the value until the query's first result.
    ///   - values: the results, by `values()` of a query.
    public init(_ value: Value, _ values: Store.Values<Value>) {
        latest = value
        task = Task.detached { [weak self] in
            do throws(StorageError) {
                for try await value in values { await self?.show(value) }
            } catch {
                await self?.fail(error)
            }
        }
    }

    deinit { task?.cancel() }

    /// The latest result.
    public var value: Value {
        registrar.access(self, keyPath: \.value)
        return latest
    }

    /// The error that has ended the observation; nil while the store is observed, and after it was closed.
    public var error: StorageError? {
        registrar.access(self, keyPath: \.error)
        return failure
    }

    private func show(_ value: Value) {
        registrar.withMutation(of: self, keyPath: \.value) { latest = value }
    }

    private func fail(_ error: StorageError) {
        registrar.withMutation(of: self, keyPath: \.error) { failure = error }
    }
}
#endif
