public import StorageDriver
import Synchronization

extension Select where Source == Store {
    /// The records of a query as an asynchronous sequence. Each iteration runs the query.
    public struct Stream: AsyncSequence, Sendable {
        public typealias Element = Model
        public typealias Failure = StorageError

        let store: Store
        let selection: Selection
        let source: ModelSource
        /// The stored names of the properties that are read; nil for all.
        var properties: [String]?

        public func makeAsyncIterator() -> Iterator {
            Iterator(
                stream: OpenStream(store: store, selection: selection, source: source, properties: properties))
        }

        /// Reads some records ahead. A dropped iterator releases its snapshot.
        public struct Iterator: AsyncIteratorProtocol {
            let stream: OpenStream<Model>
            /// The records read ahead, the next one last, so that each is moved out and not copied.
            @usableFromInline var ahead: [Model] = []

            init(stream: OpenStream<Model>) { self.stream = stream }

            @inlinable
            public mutating func next() async throws(StorageError) -> Model? {
                try await next(isolation: nil)
            }

            /// The next record.
            ///
            /// - Throws: `closed` if the store was closed meanwhile; `cancelled`; errors of reading.
            @inlinable
            public mutating func next(isolation: isolated (any Actor)?) async throws(StorageError) -> Model? {
                if ahead.isEmpty {
                    try await readAhead()
                    ahead.reverse()
                }
                return ahead.popLast()
            }

            @usableFromInline
            nonisolated(nonsending) mutating func readAhead() async throws(StorageError) {
                if Task.isCancelled {
                    stream.end()
                    throw StorageError(.cancelled, "The task was cancelled.", operation: "stream")
                }
                if stream.needsPreparation { try await stream.store.prepare([Model.self]) }
                if stream.store.readsHere(#isolation) {
                    try stream.read(into: &ahead)
                } else {
                    // More at a time, since each time changes threads twice.
                    ahead = try await stream.store.reads { [stream] () throws(StorageError) in
                        try stream.part(of: 256)
                    }
                }
            }
        }
    }
}

/// The session and the cursor of a stream that has begun.
///
/// Unchecked: everything that changes is used under `lock` only, so one thread at a time uses what it holds (a reader,
/// a cursor), and the lock orders memory. The rest is set once.
final class OpenStream<Model: Storable>: @unchecked Sendable {
    let store: Store
    private let selection: Selection
    private let source: ModelSource
    private let properties: [String]?
    private let lock = Mutex<Void>(())
    private var phase = Phase.notBegun
    private var reader: (any StorageReader)?
    /// The stream as a call, if the store has instruments.
    private var call: MeteredCall?
    private var rows: Rows?

    private enum Phase { case notBegun, running, ended, closed }

    /// Decodes together with its children, or must read some rows before it can query their children.
    private enum Rows: ~Copyable {
        case inStep(RowCursor)
        case byChunk(Cursor, Reading)
    }

    /// So few that the allocator reuses the memory of released records. A lock and a call for each record would cost
    /// more than that saves.
    private static var recordsInStep: Int { 8 }

    init(store: Store, selection: Selection, source: ModelSource, properties: [String]?) {
        self.store = store
        self.selection = selection
        self.source = source
        self.properties = properties
    }

    deinit { end() }

    var needsPreparation: Bool {
        if case .type(let type) = source { store.registry.handle(type) == nil } else { false }
    }

    /// The next records, as many at least if there are as many; none at the end.
    func part(of count: Int) throws(StorageError) -> [Model] {
        var (all, next) = ([Model](), [Model]())
        repeat {
            next.removeAll(keepingCapacity: true)
            try read(into: &next)
            all += next
        } while all.count < count && !next.isEmpty
        return all
    }

    /// Adds the next records; none at the end.
    func read(into models: inout [Model]) throws(StorageError) {
        do {
            try store.runningCalls.begin()
            defer { store.runningCalls.end() }
            try lock.withLock { _ throws(StorageError) in try readNext(into: &models) }
        } catch {
            let error = error.at(
                operation: "stream", model: store.registry.name(of: source), backend: store.info.name)
            lock.withLock { _ in release(.ended, error) }
            throw error
        }
    }

    private func readNext(into models: inout [Model]) throws(StorageError) {
        switch phase {
        case .notBegun: try begin()
        case .running: break
        case .ended: return
        case .closed: throw RunningCalls.closed
        }
        // A cursor must not be advanced after its last row.
        if try readRows(into: &models) { release(.ended) }
    }

    private func begin() throws(StorageError) {
        try store.runningCalls.add(self) { [weak self] in self?.close() }
        var reader = try store.engine.reader(.snapshot)
        if !store.instruments.isEmpty {
            let call = MeteredCall(store, "stream", store.registry.name(of: source), isWriting: false)
            (self.call, reader) = (call, MeteredReader(reader, call))
        }
        self.reader = reader
        phase = .running
        let handle = try store.registry.handle(source, in: reader)
        let reading = Reading(handle: handle, session: reader, root: try handle.tables.root(only: properties))
        if let inStep = try reading.singlePass(selection) {
            rows = .inStep(inStep)
        } else {
            let (plan, arguments) = try handle.plan(selection, .columns(reading.root.columns))
            rows = .byChunk(try reader.rows(plan, arguments), reading)
        }
    }

    /// Whether the rows have ended.
    private func readRows(into models: inout [Model]) throws(StorageError) -> Bool {
        let limit: Int
        switch rows.take() {
        case .inStep(var cursor):
            limit = Self.recordsInStep
            try Model.read(&cursor, limit: limit, into: &models)
            rows = .inStep(cursor)
        case .byChunk(var cursor, let reading):
            limit = Reading.partOfRecords
            try reading.read(&cursor, limit: limit, isKeyOrder: selection.order.isEmpty, into: &models)
            rows = .byChunk(cursor, reading)
        case nil: return true
        }
        return models.count < limit
    }

    /// Releases everything; later chunks are empty.
    func end() { lock.withLock { _ in release(.ended) } }

    /// Releases everything because the store closes; later chunks throw.
    private func close() { lock.withLock { _ in release(.closed) } }

    private func release(_ next: Phase, _ error: StorageError? = nil) {
        guard phase == .notBegun || phase == .running else { return }
        phase = next
        call?.finish(error)
        rows = nil
        reader?.end()
        reader = nil
        store.runningCalls.remove(ObjectIdentifier(self))
    }
}
