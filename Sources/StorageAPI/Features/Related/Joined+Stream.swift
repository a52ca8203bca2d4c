public import StorageDriver

extension Select.Joined where Source == Store {
    /// The records with their related records as an asynchronous sequence, all of one snapshot. Each iteration runs the
    /// query.
    ///
    /// ```
    /// for try await (book, author) in store.select(Book.self).with(\.author).stream() { … }
    /// ```
    ///
    /// Costs the reads of each relation once per 256 records, or fewer if they are large, and memory for as many.
    public func stream() -> Stream { Stream(joined: self) }

    /// The rows of a query as an asynchronous sequence. Each iteration runs the query.
    public struct Stream: AsyncSequence, Sendable {
        public typealias Element = Row
        public typealias Failure = StorageError

        let joined: Select.Joined<Row>

        public func makeAsyncIterator() -> Store.StreamIterator<Row> {
            let (selection, make) = (joined.selection, joined.make)
            return Store.StreamIterator(
                OpenStream(store: joined.select.source, source: joined.select.model) { (reading) throws(StorageError) in
                    try JoinedStreamRows(reading, selection, make: make)
                })
        }
    }
}

/// Records with their related records, loaded for the keys of one part at a time.
private final class JoinedStreamRows<Row>: StreamRows<Row> {
    private let reading: RecordReader
    private let isKeyOrder: Bool
    private let make: any JoinedRowMaking<Row>
    private var cursor: Cursor

    init(
        _ reading: RecordReader, _ selection: Selection, make: any JoinedRowMaking<Row>
    ) throws(StorageError) {
        self.reading = reading
        self.make = make
        isKeyOrder = selection.order.isEmpty
        cursor = try reading.rows(selection, reading.root.columns)
    }

    override func read(into elements: inout [Row], limit: Int) throws(StorageError) -> Bool {
        let buffer = BufferedRows(width: reading.root.columns.count)
        let hasMore = try buffer.addPart(of: &cursor, limit: RecordReader.partOfRecords)
        guard buffer.count > 0 else { return true }
        notePart(of: buffer.count, hasMore: hasMore)
        elements += try make.rows(JoinedRows(reading, buffer, isKeyOrder: isKeyOrder))
        return !hasMore
    }
}
