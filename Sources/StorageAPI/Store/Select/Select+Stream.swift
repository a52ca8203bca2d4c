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

        public func makeAsyncIterator() -> Store.StreamIterator<Model> {
            let (selection, properties) = (selection, properties)
            return Store.StreamIterator(
                OpenStream(store: store, source: source) { (reading) throws(StorageError) in
                    let root = try reading.model.root(only: properties)
                    let chosen = RecordReader(handle: reading.handle, session: reading.session, root: root)
                    return try ModelStreamRows<Model>(chosen, selection)
                })
        }
    }
}

extension Store {
    /// Reads some elements ahead. A dropped iterator releases its snapshot.
    public struct StreamIterator<Element: Sendable>: AsyncIteratorProtocol {
        public typealias Failure = StorageError

        let stream: OpenStream<Element>
        /// The elements read ahead, the next one last, so that each is moved out and not copied.
        @usableFromInline var ahead: [Element] = []

        init(_ stream: OpenStream<Element>) { self.stream = stream }

        @inlinable
        public mutating func next() async throws(StorageError) -> Element? {
            try await next(isolation: nil)
        }

        /// The next element.
        ///
        /// - Throws: `closed` if the store was closed in the meantime; `cancelled`; errors of reading.
        @inlinable
        public mutating func next(isolation: isolated (any Actor)?) async throws(StorageError) -> Element? {
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
            try await stream.prepare()
            if stream.store.readsHere(#isolation) {
                try stream.read(into: &ahead)
            } else {
                // More than one at a time, since each read changes threads twice.
                ahead = try await stream.store.reads { [stream] () throws(StorageError) in
                    try stream.part(of: 256)
                }
            }
        }
    }
}

/// The rows that a stream reads, a part at a time.
class StreamRows<Element> {
    /// Adds the next elements, at most `limit` if they are read one by one. Returns whether they were the last.
    func read(into elements: inout [Element], limit: Int) throws(StorageError) -> Bool { true }

    /// The bytes of texts and blobs per element, measured on the last elements read; 0 if they are few.
    var elementBytes: Int { bytesInPart }
    private var bytesInPart = 0

    /// Notes the number of elements that were read together, which the size of the part may have limited.
    final func notePart(of count: Int, hasMore: Bool) {
        bytesInPart = hasMore && count < RecordReader.partOfRecords ? BufferedRows.partBytes / max(count, 1) : 0
    }
}

/// Records that decode together with their children, or some of which must be read before their children can be queried.
private final class ModelStreamRows<Model: Storable>: StreamRows<Model> {
    private enum Rows: ~Copyable {
        case inStep(RowCursor)
        case byChunk(Cursor)
    }

    private let reading: RecordReader
    private let isKeyOrder: Bool
    private var rows: Rows?

    init(_ reading: RecordReader, _ selection: Selection) throws(StorageError) {
        self.reading = reading
        isKeyOrder = selection.order.isEmpty
        if let inStep = try reading.singlePass(selection) {
            rows = .inStep(inStep)
        } else {
            rows = .byChunk(try reading.rows(selection, reading.root.columns))
        }
    }

    override func read(into models: inout [Model], limit: Int) throws(StorageError) -> Bool {
        switch rows.take() {
        case .inStep(var cursor):
            try Model.read(&cursor, limit: limit, into: &models)
            rows = .inStep(cursor)
            return models.count < limit
        case .byChunk(var cursor):
            let hasMore = try reading.read(
                &cursor, limit: RecordReader.partOfRecords, isKeyOrder: isKeyOrder, into: &models)
            rows = .byChunk(cursor)
            notePart(of: models.count, hasMore: hasMore)
            return !hasMore
        case nil: return true
        }
    }

    override var elementBytes: Int {
        switch rows.take() {
        case .inStep(let cursor):
            let bytes = cursor.rowBytes
            rows = .inStep(cursor)
            return bytes
        case .byChunk(let cursor):
            rows = .byChunk(cursor)
            return super.elementBytes
        case nil: return 0
        }
    }
}

/// The session and the cursor of a stream that has begun.
///
/// Unchecked: all mutable state is used under `lock` only, so one thread at a time uses its contents (a reader, a cursor),
/// and the lock orders memory. All other state is set once.
final class OpenStream<Element>: @unchecked Sendable {
    let store: Store
    private let source: ModelSource
    private let open: @Sendable (RecordReader) throws(StorageError) -> StreamRows<Element>
    private let lock = Mutex<Void>(())
    private var phase = Phase.notBegun
    private var reader: (any StorageReader)?
    /// The stream as a call, if the store has instruments.
    private var call: (any MeasuredCall)?
    private var rows: StreamRows<Element>?
    /// The bytes of the element that was read last, if the rows measure them; nil before the first.
    private var elementBytes: Int?

    private enum Phase { case notBegun, running, ended, closed }

    /// - Parameter open: begins to read in a snapshot.
    init(
        store: Store, source: ModelSource,
        open: @escaping @Sendable (RecordReader) throws(StorageError) -> StreamRows<Element>
    ) {
        self.store = store
        self.source = source
        self.open = open
    }

    deinit { end() }

    /// Prepares the model if the store does not know its tables.
    nonisolated(nonsending) func prepare() async throws(StorageError) {
        guard case .type(let type) = source, store.registry.handle(type) == nil else { return }
        try await store.prepare([type])
    }

    /// The number of elements to read at a time: few enough that the allocator reuses the memory of released records. A
    /// lock and a call for each record would cost more than that saves.
    private static var elementsAtATime: Int { 8 }

    /// The next elements: at least `count`, or fewer if they are large or the stream ends; none at the end.
    func part(of count: Int) throws(StorageError) -> [Element] {
        var (all, next, bytes) = ([Element](), [Element](), 0)
        repeat {
            next.removeAll(keepingCapacity: true)
            let size = lock.withLock { _ in elementBytes }
            // The size of the first element is unknown.
            let most = size.map { BufferedRows.partBytes / max($0, 1) } ?? 1
            try read(into: &next, limit: min(max(most, 1), Self.elementsAtATime))
            all += next
            bytes += next.count * lock.withLock { _ in noteElementBytes() }
        } while all.count < count && bytes < BufferedRows.partBytes && !next.isEmpty
        return all
    }

    private func noteElementBytes() -> Int {
        elementBytes = rows?.elementBytes
        return elementBytes ?? 0
    }

    /// Adds the next elements; none at the end.
    func read(into elements: inout [Element]) throws(StorageError) {
        try read(into: &elements, limit: Self.elementsAtATime)
    }

    private func read(into elements: inout [Element], limit: Int) throws(StorageError) {
        do {
            try store.runningCalls.begin()
            defer { store.runningCalls.end() }
            try lock.withLock { _ throws(StorageError) in try readNext(into: &elements, limit) }
        } catch {
            let error = error.at(
                operation: "stream", model: store.registry.name(of: source), backend: store.info.name)
            lock.withLock { _ in release(.ended, error) }
            throw error
        }
    }

    private func readNext(into elements: inout [Element], _ limit: Int) throws(StorageError) {
        switch phase {
        case .notBegun: try begin(into: &elements, limit)
        case .running: try readOn(into: &elements, limit)
        case .ended: return
        case .closed: throw StorageError.storeClosed
        }
    }

    private func readOn(into elements: inout [Element], _ limit: Int) throws(StorageError) {
        // A cursor must not be advanced after its last row.
        if try rows?.read(into: &elements, limit: limit) ?? true { release(.ended) }
    }

    private func begin(into elements: inout [Element], _ limit: Int) throws(StorageError) {
        try store.runningCalls.add(self) { [weak self] in self?.close() }
        var attempts = Store.readAttempts
        while true {
            do throws(StorageError) {
                try beginReading()
                return try readOn(into: &elements, limit)
            } catch {
                guard error.isOutdatedSnapshot, elements.isEmpty, attempts > 0 else { throw error }
                attempts -= 1
                call?.finish(error)
                rows = nil
                reader?.end()
                reader = nil
            }
        }
    }

    private func beginReading() throws(StorageError) {
        var reader = try store.visibleReader(.snapshot)
        if let meter = store.features.meter {
            let call = meter.begin("stream", model: store.registry.name(of: source).text, isWriting: false, in: store)
            (self.call, reader) = (call, call.measuring(reader))
        }
        self.reader = reader
        phase = .running
        rows = try open(RecordReader(handle: try store.registry.handle(source, in: reader), session: reader))
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
