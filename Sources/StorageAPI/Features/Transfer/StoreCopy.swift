import StorageDriver

/// One copy: the source's snapshot on one side, a transaction of the target on the other.
struct StoreCopy {
    private let models: [StoredModel]
    private let reader: any StorageReader
    private let context: TransactionContext
    private let store: Store
    private let progress: @Sendable (CopyProgress) -> Void
    private let totalRows: Int
    private var records = 0
    private var rows = 0

    init(
        _ models: [StoredModel], from reader: any StorageReader, to context: TransactionContext, of store: Store,
        progress: @escaping @Sendable (CopyProgress) -> Void
    ) throws(StorageError) {
        self.models = models
        self.reader = reader
        self.context = context
        self.store = store
        self.progress = progress
        var total = 0
        for table in models.flatMap(\.tables) { total += try reader.count(table) }
        totalRows = total
    }

    mutating func run(isReplacing: Bool) throws(StorageError) -> [ModelDigest] {
        context.signature.origin = .copy
        let target = CopyTarget(context, store)
        // All tables first, so that a refusal comes before anything is copied.
        var targets: [[TableSchema]] = []
        for model in models {
            targets.append(
                try inTarget { () throws(StorageError) in try target.prepare(model, isReplacing: isReplacing) })
        }
        try inTarget { () throws(StorageError) in
            try store.registry.requireNamedModels(in: context.innerWriter())
        }
        var digests: [ModelDigest] = []
        for (model, tables) in zip(models, targets) { digests.append(try copy(model, to: tables)) }
        return digests
    }

    private mutating func copy(_ model: StoredModel, to tables: [TableSchema]) throws(StorageError) -> ModelDigest {
        var hasher = ModelHasher(model)
        for (from, to) in zip(model.tables, tables) {
            if from.assignsKeys, to.assignsKeys {
                let greatest = try reader.greatestKey(in: from)
                try inTarget { () throws(StorageError) in
                    let keys = AssignedKeys(
                        writer: try context.innerWriter(model.name), directory: store.registry.directory)
                    try keys.remember(greatest, in: to)
                }
            }
            hasher.begin(from)
            try copy(from, to: to, of: model, &hasher)
            hasher.end()
        }
        try inTarget { () throws(StorageError) in try context.capture?.didReplaceAll(of: model.name) }
        return hasher.finish()
    }

    /// Runs a step that only the target takes part in, whose errors name its engine: outside of it they are the source's.
    private func inTarget<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        do throws(StorageError) { return try body() } catch { throw inTarget(error) }
    }

    private func inTarget(_ error: StorageError) -> StorageError { error.at(backend: store.info.name) }

    private mutating func copy(
        _ from: TableSchema, to table: TableSchema, of model: StoredModel, _ hasher: inout ModelHasher
    ) throws(StorageError) {
        let scan = try TableScan(from, in: reader, numbersElements: true)
        let batch = RowCopies(table, store)
        while try scan.next() {
            hasher.add(row: scan.cells)
            do throws(StorageError) { try batch.add(scan.storedCells) } catch { throw inTarget(error) }
            if batch.isFull { try write(batch, of: model) }
        }
        try write(batch, of: model)
    }

    private mutating func write(_ batch: RowCopies, of model: StoredModel) throws(StorageError) {
        let count = try inTarget { () throws(StorageError) in
            try batch.write(try context.innerWriter(model.name))
        }
        rows += count
        if batch.table.isRoot { records += count }
        progress(CopyProgress(model: model.name.text, records: records, rows: rows, totalRows: totalRows))
    }
}

/// Rows that were copied and are to be written. Used by one thread.
final class RowCopies {
    let table: TableSchema
    private let plan: WritePlan
    private let limits: BackendInfo.Limits
    private let rows: RowBuffer
    private var arena = Arena()
    private let isKey: [Bool]

    init(_ table: TableSchema, _ store: Store) {
        self.table = table
        plan = WritePlan(
            id: store.registry.directory.nextPlan(), operation: .insert, table: table,
            columns: Array(table.columns.indices))
        limits = store.opened.limits
        rows = RowBuffer(width: table.columns.count)
        isKey = table.columns.indices.map(table.key.contains)
    }

    /// Enough to be worth a write: as many rows, or bytes, as models are written at once.
    var isFull: Bool { rows.count >= 256 || arena.size > 1 << 20 }

    /// - Throws: `limitExceeded` for a value that is larger than the target takes.
    func add(_ cells: UnsafePointer<Cell>) throws(StorageError) {
        let row = rows.row(rows.append())
        var keySize = 0
        for column in isKey.indices {
            let size = cells[column].bytes.count
            if isKey[column], cells[column].tag == .text { keySize += size }
            let limit = isKey[column] ? limits.keyBytes : limits.valueBytes
            guard size <= limit, keySize <= limits.wholeKeyBytes else {
                throw StorageError(
                    .limitExceeded,
                    size <= limit
                        ? "The texts of a key have more bytes than the limit of \(limits.wholeKeyBytes)."
                        : "A value of \(size) bytes is larger than the limit of \(limit) bytes.",
                    model: table.path.first, key: table.key.map { cells[$0].value },
                    property: table.columns[column].property)
            }
            row[column] = arena.copy(cells[column])
        }
    }

    /// Writes the rows and discards them; returns their number.
    // Not inlined, because the optimizer of Swift 6.3.1 crashes on a noncopyable value if it is.
    @inline(never)
    func write(_ writer: any StorageWriter) throws(StorageError) -> Int {
        let count = rows.count
        guard count > 0 else { return 0 }
        _ = try writer.write(RowBatch(plan: plan, count: count, cells: UnsafePointer(rows.cells)))
        rows.removeAll()
        arena.reset()
        return count
    }
}
