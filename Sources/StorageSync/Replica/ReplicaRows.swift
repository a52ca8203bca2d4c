import StorageAPI
import StorageDigest
import StorageDriver

/// The rows that a replica keeps in an annex of its store.
enum ReplicaRows {
    static let annex = "StorageSync.replica"

    /// The kinds of row, which are the first byte of their keys.
    enum Kind: UInt8 {
        case state = 0
        /// A patch without an outcome, by its number.
        case patch = 1
        /// A record that patches without an outcome have changed, as the hub has it.
        case base = 2
        /// An outcome for the program, by its number.
        case outcome = 3
        /// The reason why a patch without an outcome does not fit the hub's state.
        case aside = 4
        /// A page of the hub's records that are not laid over yet.
        case page = 5
        /// The position of reading pages as the first version kept it, which does not know the token of the latest page. Its pages are
        /// read again.
        case firstReading = 6
        /// The position of reading pages.
        case reading = 7
    }

    static func key(_ kind: Kind, _ number: Int = 0) -> [UInt8] {
        var writer = ByteWriter()
        writer.add(byte: kind.rawValue)
        writer.add(fixed: UInt64(max(number, 0)))
        return writer.bytes
    }

    private static func key(of place: RecordPlace) -> [UInt8] {
        var writer = ByteWriter()
        writer.add(place)
        // The keys of rows have a limit, and the keys of records have none.
        return [Kind.base.rawValue] + SHA256.hash(writer.bytes).prefix(20)
    }

    /// Calls the body with the rows of a kind in the order of their keys, some at a time.
    private static func forEachPart(
        of kind: Kind, after number: Int = 0, limit: Int = .max, in session: borrowing some ReadingVerbs & ~Copyable,
        _ body: ([(key: [UInt8], value: [UInt8])]) throws(StorageError) -> Void
    ) throws(StorageError) {
        var (left, portion) = (limit, Portion(most: 1000, bytes: 1 << 20))
        var last = number > 0 ? key(kind, number) : key(before: kind)
        while left > 0 {
            let count = min(portion.count, left)
            let rows = try session.annexRows(annex, after: last, before: [kind.rawValue + 1], limit: count)
            if !rows.isEmpty { try body(rows) }
            guard let end = rows.last?.key, rows.count == count else { return }
            (last, left) = (end, left - count)
            portion.adapt(to: rows.reduce(0) { $0 + $1.value.count })
        }
    }

    /// The rows of a kind in the order of their keys.
    static func all(
        _ kind: Kind, after number: Int = 0, limit: Int = .max, in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        var found: [(key: [UInt8], value: [UInt8])] = []
        try forEachPart(of: kind, after: number, limit: limit, in: session) { found += $0 }
        return found
    }

    /// The keys of all rows of a kind.
    static func keys(
        of kind: Kind, in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        try forEachPart(of: kind, in: session) { found += $0.map(\.key) }
        return found
    }

    /// Removes all rows of a kind, some at a time: an engine may keep removed rows in memory until the call has ended.
    static func removeAll(of kind: Kind, in tx: borrowing Store.Transaction) throws(StorageError) {
        try forEachPart(of: kind, in: tx) { (rows) throws(StorageError) in
            try tx.setAnnex(annex, rows: rows.map { ($0.key, nil) })
        }
    }

    /// The key after which the rows of a kind begin: no row has it.
    private static func key(before kind: Kind) -> [UInt8] { [kind.rawValue] }

    static func number(of key: [UInt8]) -> Int {
        key.dropFirst().prefix(8).reduce(0) { ($0 & 0x7F_FFFF_FFFF_FFFF) << 8 | Int($1) }
    }

    // MARK: State

    static func state(
        in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> ReplicaState? {
        guard let bytes = try session.annexValue(annex, key: key(.state)) else { return nil }
        return try ReplicaState(bytes: bytes)
    }

    // MARK: Bases

    /// A record that patches without an outcome have changed, as the hub has it; nil if the hub has none.
    struct Base {
        let place: RecordPlace
        let record: DynamicRecord?
    }

    static func bases(
        in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> [RecordPlace: DynamicRecord?] {
        var found: [RecordPlace: DynamicRecord?] = [:]
        for row in try all(.base, in: session) {
            let base = try base(row.value)
            found[base.place] = .some(base.record)
        }
        return found
    }

    /// The base of a record; nil if no waiting patch has changed it.
    static func base(
        of place: RecordPlace, in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> Base? {
        guard let bytes = try session.annexValue(annex, key: key(of: place)) else { return nil }
        return try base(bytes)
    }

    private static func base(_ bytes: [UInt8]) throws(StorageError) -> Base {
        var reader = ByteReader(bytes)
        let place = try reader.recordPlace()
        return Base(place: place, record: try reader.isSet() ? try DynamicRecord(bytes: try reader.data()) : nil)
    }

    static func row(_ place: RecordPlace, _ record: DynamicRecord?) -> (key: [UInt8], value: [UInt8]?) {
        var writer = ByteWriter()
        writer.add(place)
        writer.add(byte: record == nil ? 0 : 1)
        if let record { writer.add(data: record.bytes) }
        return (key(of: place), writer.bytes)
    }

    static func hasBase(
        of place: RecordPlace, in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> Bool {
        try session.annexValue(annex, key: key(of: place)) != nil
    }

    static func removal(of place: RecordPlace) -> (key: [UInt8], value: [UInt8]?) { (key(of: place), nil) }

    // MARK: Patches and outcomes

    static func waiting(
        in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> [SyncPatch] {
        try all(.patch, in: session).map { (row) throws(StorageError) in try SyncPatch(bytes: row.value) }
    }

    static func row(_ outcome: SyncOutcome) -> (key: [UInt8], value: [UInt8]?) {
        var writer = ByteWriter()
        outcome.result.write(to: &writer)
        writer.add(byte: outcome.patch == nil ? 0 : 1)
        if let patch = outcome.patch { writer.add(data: patch.bytes) }
        return (key(.outcome, outcome.id), writer.bytes)
    }

    static func outcomes(
        after last: Int, limit: Int, in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> [SyncOutcome] {
        try all(.outcome, after: last, limit: limit, in: session).map { (row) throws(StorageError) in
            var reader = ByteReader(row.value)
            let result = try SyncOutcome.Result(&reader)
            let patch = try reader.isSet() ? try SyncPatch(bytes: try reader.data()) : nil
            return SyncOutcome(id: number(of: row.key), patch: patch, result: result)
        }
    }
}
