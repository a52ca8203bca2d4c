import StorageDriver

/// One observer and its place in the order of commits. It counts as long as it lives, and keeps the store open.
///
/// One task at a time uses it.
final class Subscription {
    let store: Store
    /// What commits note for it.
    private let interest: Observers.Interest
    /// Which models' commits it is told of; nil for all.
    var models: [String]?
    private(set) var number = 0

    init(_ store: Store, _ interest: Observers.Interest) {
        self.store = store
        self.interest = interest
        models = interest.models
        number = store.observers.add(ObjectIdentifier(self), interest)
    }

    deinit { store.observers.remove(ObjectIdentifier(self)) }

    private var question: Observers.Interest { Observers.Interest(models: models, detail: interest.detail) }

    /// What has happened since it was last asked.
    func news() -> Observers.News {
        let (news, last) = store.observers.news(question, after: number)
        number = last
        return news
    }

    /// Waits until there is news, or the task is cancelled.
    nonisolated(nonsending) func wait() async {
        await store.observers.wait(ObjectIdentifier(self), question, after: number)
    }
}
