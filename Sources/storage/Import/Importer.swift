import StorageAPI
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
    private(set) var bad: BadRecords
    /// The number of stored records.
    private(set) var count = 0
    /// The repeated keys, whose first occurrences are searched for when everything is read.
    private var repeated: [(place: RecordPlace, key: [Value])] = []

    /// Records that are stored by one call, and their bytes after which there are enough.
    private static let batchRecords = 512
    private static let batchBytes = 4 << 20

    init(
        _ files: [RecordFile], _ schema: RecordSchema, _ mapping: InputMapping, _ bad: BadRecords, replaces: Bool,
        match: [String]
    ) {
        self.files = files
        self.schema = schema
        self.mapping = mapping
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
        var pending = Pending()
        for (index, file) in files.enumerated() {
            var reader = try RecordReader(file, schema, mapping)
            while let next = try reader.next() {
                switch next.record {
                case .failure(let problem): try bad.add(problem, of: index, Array(next.bytes))
                case .success(let record):
                    pending.records.append(record)
                    pending.places.append(RecordPlace(file: index, line: next.line))
                    if bad.areSkipped { pending.bytes.append(Array(next.bytes)) }
                    pending.size += next.bytes.count
                }
                if pending.records.count >= Self.batchRecords || pending.size >= Self.batchBytes {
                    try store(pending, &transaction)
                    pending = Pending()
                    progress(count, files.fraction(at: index, reader.fraction))
                }
            }
        }
        try store(pending, &transaction)
        try tellRepeated()
    }

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
                try refuse(error, pending.places[place], bad.areSkipped ? pending.bytes[place] : [])
            }
        }
    }

    private func put(_ records: [DynamicRecord], _ transaction: inout Store.Transaction) throws(StorageError) {
        guard match.isEmpty else { return _ = try transaction.save(records, matching: match) }
        if replaces { try transaction.save(records) } else { try transaction.insert(records) }
    }

    private mutating func refuse(_ error: StorageError, _ place: RecordPlace, _ bytes: [UInt8]) throws(ToolError) {
        if error.code == .duplicateKey, let key = error.key, bad.count < BadRecords.mostTold {
            repeated.append((place, key))
        }
        try bad.add(BadRecord(line: place.line, message: error.message), of: place.file, bytes)
    }

    // MARK: Repeated keys

    /// Reads the inputs again for the records that had the keys first.
    private mutating func tellRepeated() throws {
        guard !repeated.isEmpty else { return }
        let wanted = Set(repeated.map(\.key))
        var firsts: [[Value]: RecordPlace] = [:]
        for (index, file) in files.enumerated() {
            var reader = try RecordReader(file, schema, mapping)
            while firsts.count < wanted.count, let next = try reader.next() {
                guard case .success(let record) = next.record else { continue }
                let key = schema.keyProperties.map { record.value($0.name) ?? .null }
                if wanted.contains(key), firsts[key] == nil { firsts[key] = RecordPlace(file: index, line: next.line) }
            }
        }
        for (place, key) in repeated {
            let text = key.map(\.shown).joined(separator: ", ")
            bad.tell("The key \(text) is there already, in \(name(firsts[key], before: place)).", at: place)
        }
    }

    private func name(_ first: RecordPlace?, before place: RecordPlace) -> String {
        guard let first, first < place else { return "the store" }
        return first.file == place.file ? "line \(first.line)" : "line \(first.line) of \(files[first.file].name)"
    }
}

extension StorageError {
    /// True if a record is at fault, and not the store.
    fileprivate var isOfRecord: Bool {
        switch code {
        case .duplicateKey, .missingKey, .typeMismatch, .invalidValue, .constraint, .limitExceeded: true
        default: false
        }
    }
}
