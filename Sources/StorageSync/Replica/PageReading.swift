import StorageAPI
import StorageDriver

/// The reading of all records of some models, which goes on where it was interrupted: one row of the annex.
///
/// Each page is another snapshot, so that references of its records may lead nowhere and unique values may meet until the changes
/// since the first page are laid over them. Until then pages are kept as bytes.
struct PageReading: Equatable {
    /// The relations of the replica's records to the hub's.
    enum Relation: UInt8 {
        /// They are an earlier state of the hub: a record that it lacks is gone.
        case earlier = 0
        /// They never were the hub's: a record that it lacks joins, and differences are told.
        case joining = 1
        /// They are the hub's from before it was restored from a backup: its losses are given back.
        case lost = 2
    }

    /// The models with the relations of their records.
    var models: [String: Relation]
    /// The models of which pages are missing, the current one first.
    var open: [String]
    /// The place after the last page of the current model.
    var after: String?
    /// The hub's token from which on the changes of the models are known; nil before the first page.
    var token: String?
    /// The hub's token to which answers are kept for the other models; nil for the replica's.
    var others: String?
    /// The hub's token of the latest page.
    var latest: String?
    /// The number of rows that are kept.
    var rows = 0
    var records = 0
    var total = 0
    /// True if the replica has a new name, so that no patch was sent and all may be numbered again.
    var isRenamed = false

    init(_ models: [String: Relation], in order: [String]) {
        self.models = models
        open = order.filter { models[$0] != nil }
    }

    /// A reading from the first page on, of the models of an earlier one and of others.
    ///
    /// The changes since the position of the earlier one are not known any more. So the records of a restored hub count.
    init(_ models: [String: Relation], after earlier: PageReading?, in order: [String]) {
        let earlierModels = earlier?.models.mapValues { $0 == .lost ? .joining : $0 } ?? [:]
        self.init(models.merging(earlierModels) { $1 }, in: order)
        isRenamed = earlier?.isRenamed ?? false
    }

    /// The number of the hub's commit of the latest page.
    var commit: Int { Store.HistoryToken(latest ?? "")?.commit ?? 0 }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.add(count: models.count)
        for (model, relation) in models.sorted(by: { $0.key < $1.key }) {
            writer.add(text: model)
            writer.add(byte: relation.rawValue)
        }
        writer.add(count: open.count)
        for model in open { writer.add(text: model) }
        for text in [after, token, others, latest] { writer.add(optional: text) }
        for number in [rows, records, total] { writer.add(count: number) }
        writer.add(byte: isRenamed ? 1 : 0)
        return writer.bytes
    }

    init(bytes: [UInt8]) throws(StorageError) {
        var reader = ByteReader(bytes)
        models = [:]
        for _ in 0..<(try reader.count()) {
            let model = try reader.text()
            models[model] = Relation(rawValue: try reader.byte())
        }
        open = []
        for _ in 0..<(try reader.count()) { open.append(try reader.text()) }
        (after, token) = (try reader.optionalText(), try reader.optionalText())
        (others, latest) = (try reader.optionalText(), try reader.optionalText())
        (rows, records, total) = (try reader.number(), try reader.number(), try reader.number())
        isRenamed = try reader.isSet()
        try reader.requireEnd()
    }

    static func stored(in session: borrowing some ReadingVerbs & ~Copyable) throws(StorageError) -> PageReading? {
        guard let bytes = try session.annexValue(ReplicaRows.annex, key: ReplicaRows.key(.reading)) else { return nil }
        return try PageReading(bytes: bytes)
    }

    /// Keeps this position with one more message, which is the last of its ``rows``.
    func keep(_ message: [UInt8]?, in tx: borrowing Store.Transaction) throws(StorageError) {
        var rows: [(key: [UInt8], value: [UInt8]?)] = [(ReplicaRows.key(.reading), bytes)]
        if let message { rows.append((ReplicaRows.key(.page, self.rows), message)) }
        try tx.setAnnex(ReplicaRows.annex, rows: rows)
    }

    /// Opens the kept messages of a kind in their order, one at a time.
    ///
    /// - Throws: `corrupt` if one is missing or damaged.
    func forEachMessage(
        _ kind: SyncFrame.Kind, in tx: borrowing Store.Transaction, _ body: (ByteReader) throws(StorageError) -> Void
    ) throws(StorageError) {
        // Not as a list of keys: a damaged number of rows ends at the first that is missing.
        for number in 0..<rows {
            guard let message = try tx.annexValue(ReplicaRows.annex, key: ReplicaRows.key(.page, number + 1)) else {
                throw StorageError(
                    .corrupt, "A page of the hub's records is missing; call beginAgain(isJoining: true).",
                    operation: "sync")
            }
            if let content = SyncFrame.content(ofKept: message, kind) { try body(content) }
        }
    }

    /// Removes the position and all messages.
    static func remove(in tx: borrowing Store.Transaction) throws(StorageError) {
        try ReplicaRows.removeAll(of: .page, in: tx)
        try tx.setAnnex(
            ReplicaRows.annex, rows: [ReplicaRows.key(.firstReading), ReplicaRows.key(.reading)].map { ($0, nil) })
    }
}

/// Brings models to the hub's state of kept pages.
struct PageTaking {
    let models: SyncModels
    let reading: PageReading
    /// The properties that the replica had of each model at its token.
    let known: [String: Set<String>]
    /// The changes since the first page, of these models and of the others.
    private(set) var news: [RecordPlace: DynamicRecord?]
    /// The hub's records that differ from the replica's, or have a base.
    private(set) var targets: [RecordPlace: DynamicRecord?] = [:]
    /// The changes that the hub gets: records that join, and its losses.
    private(set) var own: [SyncPatch.Change] = []
    /// The values that the replica had in place of the hub's.
    private(set) var replaced: [SyncOverwrite] = []
    private var seen: Set<RecordPlace> = []
    private(set) var inserted = 0

    init(
        _ models: SyncModels, _ reading: PageReading, known: [String: Set<String>],
        news: [RecordPlace: DynamicRecord?]
    ) {
        (self.models, self.reading, self.known, self.news) = (models, reading, known, news)
    }

    /// Writes the pages of models without a record at once, and collects the differences of the others.
    ///
    /// - Parameters:
    ///   - bases: the records that waiting patches and unsent commits have changed, as they were before.
    ///   - removed: the records that these remove.
    mutating func run(
        _ bases: [RecordPlace: DynamicRecord?], removed: Set<RecordPlace>, in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        var empty: Set<String> = []
        for (model, relation) in reading.models
        where relation != .lost && !bases.keys.contains(where: { $0.model == model }) {
            if try tx.records(model).limit(1).all().isEmpty { empty.insert(model) }
        }
        try reading.forEachMessage(.pageAnswer, in: tx) { (content) throws(StorageError) in
            var content = content
            try add(try PageAnswer(&content).records(), empty: empty, bases, in: tx)
        }
        let changed = news.filter { reading.models[$0.key.model] != nil }.compactMap(\.value)
        for (model, records) in Dictionary(grouping: changed, by: \.model) {
            try add(records, isChanged: true, isEmpty: empty.contains(model), bases, in: tx)
        }
        for (model, relation) in reading.models where !empty.contains(model) {
            try addRest(of: model, relation, bases, removed: removed, in: tx)
        }
    }

    private mutating func add(
        _ records: [DynamicRecord], empty: Set<String>, _ bases: [RecordPlace: DynamicRecord?],
        in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        let news = news
        let kept = records.filter { record in
            guard reading.models[record.model] != nil else { return false }
            return news.isEmpty || models.place(of: record).map { news[$0] == nil } ?? false
        }
        for (model, records) in Dictionary(grouping: kept, by: \.model) {
            try add(records, isChanged: false, isEmpty: empty.contains(model), bases, in: tx)
        }
    }

    private mutating func add(
        _ records: [DynamicRecord], isChanged: Bool, isEmpty: Bool, _ bases: [RecordPlace: DynamicRecord?],
        in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        let records = records.map(models.known)
        if isEmpty {
            inserted += records.count
            try tx.insert(records)
            return
        }
        let places = records.compactMap(models.place)
        guard let model = places.first?.model, places.count == records.count else { return }
        for (number, stored) in try tx.records(model).find(keys: places.map(\.key)).enumerated() {
            let (place, record) = (places[number], records[number])
            seen.insert(place)
            if isChanged || bases[place] != nil || stored?.matches(record) != true { targets[place] = .some(record) }
            // A base is an earlier record of the hub. The outcomes of waiting patches tell of later differences.
            let before = bases[place] ?? stored
            switch reading.models[model] {
            case .joining: if let before { tell(place, before, after: record) }
            case .lost where isChanged: if let before { tell(place, before, after: record) }
            case .lost: giveBack(place, before.map { knownPart(of: $0) }, in: record)
            case .earlier, nil: break
            }
        }
    }

    /// The record without the properties that the replica has only since its last exchange: the hub never had them from it.
    private func knownPart(of record: DynamicRecord) -> DynamicRecord {
        guard let known = known[record.model] else { return record }
        return record.without(models.properties(of: record.model).subtracting(known).map(SyncModels.names(on:)))
    }

    private mutating func giveBack(_ place: RecordPlace, _ lost: DynamicRecord?, in stored: DynamicRecord?) {
        guard let kind = SyncPatch.Change.Kind(from: stored, to: lost, models[place.model]) else { return }
        targets[place] = .some(stored)
        own.append(SyncPatch.Change(place, kind, byRule: false))
    }

    private mutating func tell(_ place: RecordPlace, _ before: DynamicRecord, after: DynamicRecord) {
        for field in knownPart(of: before).fields where after[field.name]?.matches(field.content) == false {
            replaced.append(
                SyncOverwrite(model: place.model, key: place.key, property: field.name, lost: field.content))
        }
    }

    /// The records that the hub does not have: they are gone, or join.
    private mutating func addRest(
        of model: String, _ relation: PageReading.Relation, _ bases: [RecordPlace: DynamicRecord?],
        removed: Set<RecordPlace>, in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        var page = try tx.records(model).page(size: 1024)
        while true {
            for record in page.records {
                guard let place = models.place(of: record), !seen.contains(place) else { continue }
                add(place, bases[place] ?? record, as: relation)
            }
            guard let next = page.next else { break }
            page = try tx.records(model).page(after: next, size: 1024)
        }
        for (place, base) in bases where place.model == model && !seen.contains(place) && targets[place] == nil {
            // A record that is not stored and that no patch removes has expired. It does not come back.
            add(place, removed.contains(place) ? base : nil, as: relation)
        }
    }

    /// - Parameter record: the record that the hub lacks, without waiting patches.
    private mutating func add(_ place: RecordPlace, _ record: DynamicRecord?, as relation: PageReading.Relation) {
        targets[place] = .some(nil)
        let isGone = news[place] != nil
        switch relation {
        case .earlier: return
        case .joining: giveBack(place, record, in: nil)
        case .lost: if !isGone { giveBack(place, record, in: nil) }
        }
    }
}
