import StorageAPI

/// Tells open pages that the store has changed, at most twice a second however fast a program writes.
///
/// The store is observed while a page listens, and not otherwise.
actor Feed {
    private static let pause = Duration.milliseconds(500)

    private let store: ShownStore
    private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    private var nextListener = 0
    private var watching: Task<Void, Never>?
    private var lastTold = ContinuousClock.now - Feed.pause
    private var isWaiting = false
    /// Rises with each change that is noticed.
    private(set) var generation = 0

    init(_ store: ShownStore) { self.store = store }

    /// An element for each time that the page should ask again. Elements that have not been awaited are merged into one.
    func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = nextListener
        nextListener += 1
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.remove(number) } }
        if watching == nil { watching = Task { [weak self] in await self?.watch() } }
        return stream
    }

    /// Tells the listeners: at once, or when the pause since the last time is over.
    func tell() {
        guard !isWaiting else { return }
        isWaiting = true
        Task {
            try? await Task.sleep(until: lastTold + Self.pause)
            lastTold = .now
            isWaiting = false
            for listener in listeners.values { listener.yield() }
        }
    }

    private func noteChange() {
        generation += 1
        tell()
    }

    private func remove(_ number: Int) {
        listeners[number] = nil
        guard listeners.isEmpty else { return }
        watching?.cancel()
        watching = nil
    }

    /// Observes the store until no page listens. A store that cannot be read, or that was replaced, is tried again.
    private func watch() async {
        while !Task.isCancelled {
            let known = try? await store.current()
            if let known {
                do { try await follow(known) } catch {}
            }
            // The page that is asked for now shows the changes that were missed meanwhile.
            noteChange()
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func follow(_ known: Store) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [weak self] in
                for try await _ in known.changes() { await self?.noteChange() }
            }
            // Replacing the file makes no commit in the open store.
            group.addTask { [store] in
                while try await store.current() === known { try await Task.sleep(for: Self.pause) }
            }
            try await group.next()
            group.cancelAll()
        }
    }
}
