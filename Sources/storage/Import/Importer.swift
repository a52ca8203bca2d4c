import StorageAPI
import StorageCSV
import StorageDriver
import StorageJSON

/// Stores the records of inputs in one transaction.
struct Importer {
    let files: [RecordFile]
    let schema: RecordSchema
    let mapping: InputMapping
    /// True if a record replaces the stored one with its key.
    let replaces: Bool
    /// The properties by which a record is found that it replaces; empty for the key.
    let match: [String]
    /// The options of reading records.
    let reading: RecordBuilder.Input
    private(set) var bad: BadRecords
    /// The number of stored records.
    private(set) var count = 0
    /// The repeated keys, whose first occurrences are searched for when everything is read.
    private var repeated: [(place: RecordPlace, key: [Value])] = []

    /// Records that are stored by one call, and their bytes after which there are enough.
    private static let batchRecords = 512
    private static let batchBytes = 4 << 20

    init(
        _ files: [RecordFile], schema: RecordSchema, mapping: InputMapping, reading: RecordBuilder.Input,
        bad: BadRecords, replaces: Bool, match: [String]
    ) {
        self.files = files
        self.schema = schema
        self.mapping = mapping
        self.reading = reading
        self.bad = bad
        self.replaces = replaces
        self.match = match
    }

    private struct Pending {
        var records: [DynamicRecord] = []
        var places: [RecordPlace] = []
        /// The records as in the input, if bad records are kept.
        var bytes: [[UInt8]] = []
        var size = 0
    }

    /// Creates the model if it does not exist, and stores all records.
    ///
    /// - Parameter progress: called with the number of records so far and the part of the input that is read, after
    ///   each batch.
    /// - Throws: errors of the store. If there are bad records that must not be skipped, the caller undoes the
    ///   transaction.
    mutating func run(
        in transaction: inout Store.Transaction, _ progress: (_ records: Int, _ fraction: Double) -> Void
    ) throws {
        try transaction.prepare([schema])
        let flat = match.isEmpty && mapping.isEmpty ? try transaction.flatColumns(of: schema.storedName) : nil
        for (index, file) in files.enumerated() {
            let files = files
            func show(_ records: Int, _ fraction: Double) { progress(records, files.fraction(at: index, fraction)) }
            if let flat, let source = try file.delimited(),
                let rows = CSVRows(flat, header: source.header, rules: reading.of(file).rules)
            {
                try store(source, rows: rows, index: index, in: &transaction, show)
            } else if let flat, !file.isUntyped, !file.isKeyed {
                let rows = JSONFlatRows(flat, rules: reading.of(file).rules)
                try store(try file.records(), rows: rows, index: index, in: &transaction, show)
            } else {
                try store(file, index: index, in: &transaction, show)
            }
        }
        try tellRepeated()
    }

    private mutating func store(
        _ file: RecordFile, index: Int, in transaction: inout Store.Transaction,
        _ progress: (_ records: Int, _ fraction: Double) -> Void
    ) throws {
        var pending = Pending()
        var reader = try RecordReader(file, schema: schema, mapping: mapping, reading: reading)
        while let next = try reader.next() {
            try add(next, index, to: &pending)
            if pending.records.count >= Self.batchRecords || pending.size >= Self.batchBytes {
                try store(pending, &transaction)
                pending = Pending()
                progress(count, reader.fraction)
            }
        }
        try store(pending, &transaction)
    }

    private mutating func add(_ next: RecordReader.Result, _ index: Int, to pending: inout Pending) throws(ToolError) {
        switch next.record {
        case .failure(let problem): try bad.add(problem, of: index, Array(next.bytes))
        case .success(let record):
            pending.records.append(record)
            pending.places.append(RecordPlace(file: index, line: next.line))
            if bad.areSkipped { pending.bytes.append(Array(next.bytes)) }
            pending.size += next.bytes.count
        }
    }

    // MARK: Rows

    /// Stores delimited values as rows. A part of them that has a record to be looked at is read again, as records.
    private mutating func store(
        _ source: CSVSource, rows: CSVRows, index: Int, in transaction: inout Store.Transaction,
        _ progress: (_ records: Int, _ fraction: Double) -> Void
    ) throws {
        var source = source
        let reader = RecordReader(files[index], schema: schema, reading: reading)
        var batch = CSVBatch()
        while try batch.fill(from: &source, Self.batchRecords) {
            if try put(batch, source: source, rows: rows, in: &transaction) {
                count += batch.records.count
            } else {
                var pending = Pending()
                for (place, record) in batch.records.enumerated() {
                    try add(reader.read(source.record(record, batch.fields(at: place))), index, to: &pending)
                }
                try store(pending, &transaction)
            }
            progress(count, source.fraction)
        }
    }

    /// Stores records as rows; false if nothing is stored, because one of them has to be looked at.
    private func put(
        _ batch: CSVBatch, source: CSVSource, rows: CSVRows, in transaction: inout Store.Transaction
    ) throws(StorageError) -> Bool {
        let width = source.header.count
        guard batch.records.indices.allSatisfy({ batch.isWhole(at: $0, width: width) }) else { return false }
        let reader = source.reader
        do throws(StorageError) {
            try transaction.put(
                batch.records.count, rowsOf: schema.storedName, replacing: replaces, assigningKeys: rows.assignsKeys
            ) { (index, key, row) throws(StorageError) in
                try rows.write(
                    batch.fields(at: index), of: reader,
                    isASCII: String.isASCII(reader.bytes(of: batch.records[index])), key: key, to: &row)
            }
            return true
        } catch {
            guard error.isOfRecord else { throw error }
            return false
        }
    }

    /// Stores JSON objects as rows. A part of them that has a record to be looked at is read again, as records.
    private mutating func store(
        _ source: any RecordSource, rows: JSONFlatRows, index: Int, in transaction: inout Store.Transaction,
        _ progress: (_ records: Int, _ fraction: Double) -> Void
    ) throws {
        var source = source
        let reader = RecordReader(files[index], schema: schema, reading: reading)
        var batch = JSONBatch()
        while try batch.fill(from: &source, Self.batchRecords, bytes: Self.batchBytes) {
            if try put(batch, rows: rows, in: &transaction) {
                count += batch.count
            } else {
                var pending = Pending()
                for place in 0..<batch.count {
                    try batch.withRecord(at: place) { try add(reader.read($0), index, to: &pending) }
                }
                try store(pending, &transaction)
            }
            progress(count, source.fraction)
        }
    }

    /// Stores records as rows; false if nothing is stored, because one of them has to be looked at.
    private func put(
        _ batch: JSONBatch, rows: JSONFlatRows, in transaction: inout Store.Transaction
    ) throws(StorageError) -> Bool {
        do throws(StorageError) {
            try transaction.put(
                batch.count, rowsOf: schema.storedName, replacing: replaces, assigningKeys: false
            ) { (index, _, row) throws(StorageError) in
                try batch.withBytes(at: index) { (bytes) throws(StorageError) in try rows.write(bytes, to: &row) }
            }
            return true
        } catch {
            guard error.isOfRecord else { throw error }
            return false
        }
    }

    // MARK: Records

    /// Stores records, except those that the store refuses.
    private mutating func store(_ pending: Pending, _ transaction: inout Store.Transaction) throws {
        do throws(StorageError) {
            try put(pending.records, &transaction)
            count += pending.records.count
            return
        } catch {
            guard error.isOfRecord else { throw error }
        }
        // One by one, to find the bad ones; the failed call has stored nothing.
        for (place, record) in pending.records.enumerated() {
            do throws(StorageError) {
                try put([record], &transaction)
                count += 1
            } catch {
                guard error.isOfRecord else { throw error }
                try refuse(error, pending.places[place], bytes: bad.areSkipped ? pending.bytes[place] : [])
            }
        }
    }

    private func put(_ records: [DynamicRecord], _ transaction: inout Store.Transaction) throws(StorageError) {
        guard match.isEmpty else { return _ = try transaction.save(records, matching: match) }
        if replaces { try transaction.save(records) } else { try transaction.insert(records) }
    }

    private mutating func refuse(_ error: StorageError, _ place: RecordPlace, bytes: [UInt8]) throws(ToolError) {
        if error.code == .duplicateKey, let key = error.key, bad.count < BadRecords.maximumTold {
            repeated.append((place, key))
        }
        var message = error.message
        if error.code == .missingKey, !match.isEmpty {
            let keys = schema.keyProperties.map(\.name).joined(separator: ", ")
            message =
                "No stored record has the same \(match.joined(separator: " and ")), and a new one needs its key: \(keys)."
        }
        try bad.add(BadRecord(line: place.line, message: message), of: place.file, bytes)
    }

    // MARK: Repeated keys

    /// Reads the inputs again for the records that had the keys first.
    private mutating func tellRepeated() throws {
        guard !repeated.isEmpty else { return }
        let wanted = Set(repeated.map(\.key))
        var firsts: [[Value]: RecordPlace] = [:]
        for (index, file) in files.enumerated() {
            var reader = try RecordReader(file, schema: schema, mapping: mapping, reading: reading)
            while firsts.count < wanted.count, let next = try reader.next() {
                guard case .success(let record) = next.record else { continue }
                let key = schema.keyProperties.map { record.value($0.name) ?? .null }
                if wanted.contains(key), firsts[key] == nil { firsts[key] = RecordPlace(file: index, line: next.line) }
            }
        }
        for (place, key) in repeated {
            let text = key.keyText
            bad.tell("The key \(text) is there already, in \(name(firsts[key], before: place)).", at: place)
        }
    }

    private func name(_ first: RecordPlace?, before place: RecordPlace) -> String {
        guard let first, first < place else { return "the store" }
        return first.file == place.file ? "line \(first.line)" : "line \(first.line) of \(files[first.file].name)"
    }
}

extension RecordBuilder.Input {
    /// The same for a file that may have no types.
    func of(_ file: RecordFile) -> Self {
        var input = self
        input.isUntyped = file.isUntyped
        return input
    }
}
