public import StorageDriver

extension Store {
    /// The results of an observed query, one after the other: first the present one, then each that differs.
    ///
    /// - Each element is the result in one snapshot, of commits that are durable as the backend is configured.
    /// - The query runs when the next element is asked for, at most once for each. Results between two that are asked for
    ///   may be skipped; the last is not, nor one between the first read and the beginning of the observation.
    /// - A commit that cannot change the result costs at most a lookup of the records that it changed. An observer watches
    ///   everything that the query reads, including owned records and every model that it goes through.
    /// - Writers never wait for observers, whatever their number. An observer holds one result, and keeps the store open.
    /// - It ends when the store is closed, at once when its task is cancelled, and after an error of the query. A server that
    ///   is away is waited for, for the backend's timeout.
    ///
    /// Each iterator is a separate observer, which ends when it is released.
    public struct Values<Element>: AsyncSequence, Sendable {
        public typealias Failure = StorageError

        let store: Store
        let reader: @Sendable () -> any LiveReader<Element>

        public func makeAsyncIterator() -> Iterator { Iterator(query: LiveQuery(store, reader())) }

        /// One observer.
        public struct Iterator: AsyncIteratorProtocol {
            let query: LiveQuery<Element>

            public mutating func next() async throws(StorageError) -> Element? { try await next(isolation: nil) }

            /// Waits for the next result. Nil when the store is closed or the task is cancelled.
            ///
            /// - Throws: errors of the query, after which the sequence has no further result.
            public mutating func next(isolation: isolated (any Actor)?) async throws(StorageError) -> Element? {
                try await query.next()
            }
        }
    }

    /// Observes everything that a closure reads, in one snapshot.
    ///
    /// ```
    /// for try await (people, pens) in store.observe({ snapshot throws(StorageError) in
    ///     (try snapshot.select(Person.self).all(), try snapshot.select(Pen.self).count())
    /// }) { show(people, pens) }
    /// ```
    ///
    /// The closure runs again when a model that it has read has changed, and its result is an element if it has read
    /// other values than before. Its result must depend only on the data that it reads. If the result is `Equatable`, it is an
    /// element only if it differs from the one before.
    public func observe<T>(
        _ body: @escaping @Sendable (inout Snapshot) throws(StorageError) -> T
    ) -> Values<T> { observe(comparing: { $0 }, body) }

    private func observe<T>(
        comparing value: @escaping @Sendable (T) -> Any?,
        _ body: @escaping @Sendable (inout Snapshot) throws(StorageError) -> T
    ) -> Values<T> {
        Values(store: self) {
            LiveResult(nil, comparing: value) { (store, session) throws(StorageError) in
                let context = TransactionContext(store.environment, reader: session)
                defer { context.end() }
                var snapshot = Snapshot(context: context, store: store)
                return try store.runningCalls.runClosure { () throws(StorageError) in try body(&snapshot) }
            }
        }
    }

    /// The same for a closure that throws errors of another type, which the sequence throws unchanged.
    @_disfavoredOverload
    public func observe<T: Sendable>(
        _ body: @escaping @Sendable (inout Snapshot) throws -> T
    ) -> some AsyncSequence<T, any Error> & Sendable {
        observe(comparing: { try? $0.get() }) { (snapshot) throws(StorageError) -> Result<T, any Error> in
            do {
                return .success(try body(&snapshot))
            } catch let error as StorageError {
                throw error
            } catch {
                return .failure(error)
            }
        }
        .map { (result) throws in try result.get() }
    }
}
