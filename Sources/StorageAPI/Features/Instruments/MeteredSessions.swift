import StorageDriver

/// A reading session that counts the rows of a call.
final class MeteredReader: ForwardingReader {
    private let meter: CallMeter

    init(_ reader: any StorageReader, _ meter: CallMeter) {
        self.meter = meter
        super.init(reader)
    }

    override func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        meter.counting(try super.rows(plan, arguments), width: plan.query.width)
    }
}

/// A writing session that counts the rows of a call.
class MeteredWriter: ForwardingWriter {
    fileprivate let meter: CallMeter

    fileprivate init(_ writer: any StorageWriter, _ meter: CallMeter) {
        self.meter = meter
        super.init(writer)
    }

    /// The metered session, which deletes by query if the engine's session does.
    static func metering(_ writer: any StorageWriter, _ meter: CallMeter) -> MeteredWriter {
        (writer as? any QueryDeletingWriter).map { MeteredChoosingWriter(choosing: $0, meter) }
            ?? MeteredWriter(writer, meter)
    }

    override final func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        meter.counting(try super.rows(plan, arguments), width: plan.query.width)
    }

    override final func later(_ query: QueryRequest) throws(StorageError) -> (any DeferredAnswer)? {
        try super.later(query).map { MeteredAnswer($0, width: query.plan.query.width, meter) }
    }

    override final func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        meter.addWritten(batch)
        return try super.write(batch)
    }
}

private final class MeteredChoosingWriter: MeteredWriter, QueryDeletingWriter {
    private let choosing: any QueryDeletingWriter

    init(choosing writer: any QueryDeletingWriter, _ meter: CallMeter) {
        choosing = writer
        super.init(writer, meter)
    }

    func delete(
        _ plan: WritePlan, keysOf keys: QueryPlan, _ arguments: QueryArguments
    ) throws(StorageError) -> Int {
        let count = try choosing.delete(plan, keysOf: keys, arguments)
        meter.addDeleted(count)
        return count
    }
}

/// An answer that counts its rows.
private final class MeteredAnswer: DeferredAnswer {
    private let answer: any DeferredAnswer
    private let width: Int
    private let meter: CallMeter

    init(_ answer: any DeferredAnswer, width: Int, _ meter: CallMeter) {
        (self.answer, self.width, self.meter) = (answer, width, meter)
    }

    var bytes: Int { answer.bytes }

    func rows() throws(StorageError) -> Cursor { meter.counting(try answer.rows(), width: width) }
}
