public import StorageDriver

extension Store {
    /// Receives the beginning and end of each call of a store, to measure or to trace them.
    ///
    /// Instruments add no cost to a store that has no instruments. With one, each row that an engine gives or takes costs
    /// another call, which counts it.
    ///
    /// ```swift
    /// struct Slow: Store.Instrument {
    ///     func begin(_ call: Store.Call) -> (@Sendable (Store.Call.End) -> Void)? {
    ///         { end in
    ///             if end.duration > .milliseconds(100) { print(call.operation, call.model ?? "", end.duration) }
    ///         }
    ///     }
    /// }
    /// let store = try await Store(SQLiteBackend(path: "people.db"), options: .init(instruments: [Slow()]))
    /// ```
    ///
    /// The product StorageServices has instruments for swift-metrics and swift-distributed-tracing.
    public protocol Instrument: Sendable {
        /// Called when a call begins, in its task.
        ///
        /// - Returns: a closure that is called when it ends, perhaps on another thread; nil if none is needed. Both
        ///   delay the call, and must not use the store.
        func begin(_ call: Call) -> (@Sendable (Call.End) -> Void)?
    }

    /// A call that is reported to instruments: a verb, a query, a stream, a block of reads or a transaction as a whole.
    public struct Call: Sendable {
        /// The verb, as errors name it: `save`, `select`, `transaction`.
        public let operation: String
        /// The stored name of the model; nil if the call is not about one.
        public let model: String?
        /// The backend's name.
        public let backend: String
        /// A Boolean value that indicates whether the call may write.
        public let isWriting: Bool
        /// The number of writes that wait for their turn, not counting this one.
        public let waitingWriters: Int

        /// The outcome of a call.
        public struct End: Sendable {
            /// From the call's beginning until its end, with all waiting.
            public var duration = Duration.zero
            /// The number of rows that the engine returned: one for each record and owned record.
            public var rowsRead = 0
            /// The number of rows that were passed to the engine to write. To delete a record takes one for each of its
            /// tables; where the engine itself finds the rows that a condition deletes, the deleted rows are counted.
            public var rowsWritten = 0
            /// The bytes of the values that were read: of texts and blobs as many as they have, of other values 8.
            public var bytesRead = 0
            /// The bytes of the values that were written.
            public var bytesWritten = 0
            /// The error with which the call failed; nil if it succeeded. A transaction fails as `cancelled` if its
            /// closure throws another error than a StorageError.
            public var error: StorageError?
        }
    }
}

/// The instruments of a store.
final class CallInstruments: CallMeasuring {
    private let instruments: [any Store.Instrument]

    init(_ instruments: [any Store.Instrument]) { self.instruments = instruments }

    func begin(_ operation: String, model: String?, isWriting: Bool, in store: Store) -> any MeasuredCall {
        let call = Store.Call(
            operation: operation, model: model, backend: store.info.name, isWriting: isWriting,
            waitingWriters: store.queue.waitingTransactions)
        return InstrumentedCall(instruments.compactMap { $0.begin(call) })
    }
}

/// A call of a store that has instruments, from its beginning to its end.
///
/// Used by one thread at a time, as the call is.
private final class InstrumentedCall: MeasuredCall {
    /// Counts the rows of the call.
    private let meter = CallMeter()
    private let ends: [@Sendable (Store.Call.End) -> Void]
    private let began = ContinuousClock.now

    init(_ ends: [@Sendable (Store.Call.End) -> Void]) { self.ends = ends }

    func measuring(_ reader: any StorageReader) -> any StorageReader { MeteredReader(reader, meter) }

    func measuring(_ writer: any StorageWriter) -> any StorageWriter {
        meter.restart()
        return MeteredWriter.metering(writer, meter)
    }

    func finish(_ error: StorageError?) {
        let counts = meter.counts
        let end = Store.Call.End(
            duration: began.duration(to: .now), rowsRead: counts.rowsRead, rowsWritten: counts.rowsWritten,
            bytesRead: counts.bytesRead, bytesWritten: counts.bytesWritten, error: error)
        for body in ends { body(end) }
    }
}
