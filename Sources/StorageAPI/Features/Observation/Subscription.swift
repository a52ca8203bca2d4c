import StorageDriver

/// One observer and its place in the order of commits. It counts as long as it lives, and keeps the store open.
///
/// One task at a time uses it.
final class Subscription {
    let store: Store
    /// The question that it asks.
    private var question: CommitFeed.Question
    private(set) var number: Int

    init(_ store: Store, _ interest: CommitFeed.Interest, question: CommitFeed.Question) {
        self.store = store
        self.question = question
        number = 0
        number = store.observers.add(ObjectIdentifier(self), interest)
    }

    deinit { store.observers.remove(ObjectIdentifier(self)) }

    /// Asks another question, about changes that commits already note for it.
    func ask(_ question: CommitFeed.Question) { self.question = question }

    /// Changes the interest that decides which changes commits note for it.
    func note(_ interest: CommitFeed.Interest) { _ = store.observers.add(ObjectIdentifier(self), interest) }

    /// Returns the events since it was last asked.
    func news() -> CommitFeed.PollResult {
        let (news, last) = store.observers.news(question, after: number)
        number = last
        return news
    }

    /// Waits until news arrives, or the task is cancelled.
    nonisolated(nonsending) func wait() async {
        await store.observers.wait(ObjectIdentifier(self), question, after: number)
    }
}
