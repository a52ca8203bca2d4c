import StorageDriver

/// Writes the history of one commit while it runs: a record's entry when it is first changed, before it is. So a
/// savepoint that is undone takes its entries with it, and a large write holds none of them.
///
/// Used by one thread: the one that runs the write.
final class HistoryRecorder {
    /// What a savepoint may undo.
    struct Mark {
        fileprivate let header: Header?
        fileprivate let entries: Int
    }

    fileprivate struct Header: Equatable {
        let number: Int64
        let time: Double
        var author: String?
        var note: String?

        var row: [Value] { [.int(-number), .double(time), .value(author), .value(note)] }
    }

    private struct Entry {
        let model: String
        let key: [Value]
        let kind: ChangeKind
        let place: Int64
    }

    let kept: KeptHistory
    private let writer: any StorageWriter
    private let registry: ModelRegistry
    private let limits: BackendInfo.Limits
    /// The time in seconds since the reference date.
    private let clock: @Sendable () -> Double
    /// The commit's row, if there is one yet.
    private var header: Header?
    private var entries: [Entry] = []
    /// Which of the entries a record has, by model and key.
    private var known: [String: [[Value]: Int]] = [:]
    private var lastPlace: Int64 = 0
    /// Rows that are to be written.
    private var rows: [Value] = []
    /// Whether some record was changed more than once, so that the kind of its entry may be another at the end.
    private var hasRepeats = false
    /// The place after which the entries of all records of a model begin, which went at once.
    private var placesOfEverything: [String: Int64] = [:]
    /// What the models' records were read by.
    private var handles: [String: ModelHandle] = [:]

    init(
        _ kept: KeptHistory, _ writer: any StorageWriter, _ registry: ModelRegistry, _ limits: BackendInfo.Limits,
        clock: @escaping @Sendable () -> Double
    ) {
        self.kept = kept
        self.writer = writer
        self.registry = registry
        self.limits = limits
        self.clock = clock
    }

    /// The number of the commit, if it has changed anything that is recorded.
    var number: Int64? { header?.number }

    /// The place of the last entry; nil if there is none yet.
    var place: (commit: Int64, place: Int64)? { header.map { ($0.number, lastPlace) } }

    /// Takes notice that tables have been changed.
    func forgetTables() { handles = [:] }

    // MARK: Savepoints

    var mark: Mark { Mark(header: header, entries: entries.count) }

    func undo(to mark: Mark) {
        header = mark.header
        rows = []
        handles = [:]
        for entry in entries[mark.entries...] { known[entry.model]?[entry.key] = nil }
        entries.removeSubrange(mark.entries...)
    }

    // MARK: Entries

    /// Whether a model's changes are recorded.
    func keeps(_ model: String) -> Bool { kept.keeps(model) }

    /// The records with the keys as they are, by their keys; nil if the model's records are not kept.
    func images(of keys: ValueList, in model: String) throws(StorageError) -> [[Value]: RecordImage]? {
        guard kept.settings.model(model)?.recordsSince != nil else { return nil }
        return try RecordImage.read(keys, try handle(model), in: writer)
    }

    private func handle(_ model: String) throws(StorageError) -> ModelHandle {
        if let known = handles[model] { return known }
        let handle = try registry.whole(model, in: writer)
        handles[model] = handle
        return handle
    }

    /// Takes notice of a change that follows. ``flush(_:)`` writes it.
    func add(
        _ kind: ChangeKind, _ key: [Value], of model: String, before: RecordImage?
    ) {
        if known[model]?[key] != nil {
            hasRepeats = true
            return
        }
        known[model, default: [:]][key] = entries.count
        lastPlace += 1
        entries.append(Entry(model: model, key: key, kind: kind, place: lastPlace))
        addRow(lastPlace, model, HistoryKind(kind), key, before)
    }

    private func addRow(
        _ place: Int64, _ model: String, _ kind: HistoryKind, _ key: [Value], _ before: RecordImage?
    ) {
        rows += [
            .int(0), .int(place), .text(model), .int(kind.rawValue), .blob(RecordImage.bytes(of: key)),
            before.map { .blob($0.bytes) } ?? .null,
        ]
    }

    /// Writes what was added, and the commit's own row if there is none yet.
    func flush(_ signature: CommitSignature) throws(StorageError) {
        guard !rows.isEmpty else { return }
        let header = try begin(signature)
        for start in stride(from: 0, to: rows.count, by: 6) { rows[start] = .int(header.number) }
        let limit = limits.valueBytes
        for case .blob(let bytes) in rows where bytes.count > limit {
            throw StorageError(
                .limitExceeded,
                "The history's copy of the record has \(bytes.count) bytes, more than the limit of \(limit).")
        }
        try writer.write(rows, kept.tables.addChanges)
        rows.removeAll(keepingCapacity: true)
    }

    private func begin(_ signature: CommitSignature) throws(StorageError) -> Header {
        if let header { return header }
        try signature.check()
        let last = try HistoryReading(kept.tables, writer).last
        guard last?.number ?? 0 < Int64.max else {
            throw StorageError(.overflow, "There is no number left for a commit of the history.")
        }
        // A clock that goes back does not take the log with it.
        let now = clock()
        let header = Header(
            number: (last?.number ?? 0) + 1, time: max(now, last?.time ?? now), author: signature.author,
            note: signature.note)
        try writer.write(header.row, kept.tables.addCommit)
        self.header = header
        return header
    }

    // MARK: All records

    /// Takes notice that all records of a model go: of each that is kept its own entry, a part at a time, else one of all.
    func addEverything(of model: String, _ signature: CommitSignature) throws(StorageError) {
        guard let settings = kept.settings.model(model) else { return }
        guard settings.recordsSince != nil else {
            lastPlace += 1
            addRow(lastPlace, model, .everything, [], nil)
            return try flush(signature)
        }
        placesOfEverything[model] = lastPlace
        try forEachKey(of: model) { (keys) throws(StorageError) in
            let images = try images(of: keys, in: model) ?? [:]
            for row in 0..<keys.count {
                let key = Array(keys[row])
                if known[model]?[key] != nil { continue }
                lastPlace += 1
                addRow(lastPlace, model, .deleted, key, images[key])
            }
            try flush(signature)
        }
    }

    /// Takes notice of all records of a model, which have been copied. Where one of the same key went before, its entry
    /// becomes that of an update: the entries and the records both come in the order of keys.
    func addAllCopied(of model: String, _ signature: CommitSignature) throws(StorageError) {
        guard kept.settings.model(model)?.recordsSince != nil else { return }
        handles = [:]
        var gone = header.map {
            GoneRecords(HistoryReading(kept.tables, writer), $0.number, model, after: placesOfEverything[model])
        }
        try forEachKey(of: model) { (keys) throws(StorageError) in
            var updates: [Value] = []
            for row in 0..<keys.count {
                let key = Array(keys[row])
                // An entry of its own is corrected at the end.
                if known[model]?[key] != nil { continue }
                if let update = try gone?.update(of: key) {
                    updates += update
                } else {
                    lastPlace += 1
                    addRow(lastPlace, model, .inserted, key, nil)
                }
            }
            try writer.write(updates, kept.tables.setKinds)
            try flush(signature)
        }
    }

    /// Calls the body with all keys of a model, a part at a time.
    private func forEachKey(
        of model: String, _ body: (ValueList) throws(StorageError) -> Void
    ) throws(StorageError) {
        // A model that has no table yet has no records.
        guard try writer.tables().contains(where: { $0.isRoot(of: model) }) else { return }
        let handle = try handle(model)
        let root = handle.tables.root.schema
        let scan = handle.plan(Query(.columns(root.key)))
        var keys = ValueList(width: root.key.count, values: [])
        // Meanwhile other tables are written, and not this one.
        var cursor = try writer.rows(scan, QueryArguments())
        while try cursor.next() {
            for cell in 0..<keys.width { keys.values.append(cursor.cells[cell].value) }
            guard keys.count == Reading.partOfRecords else { continue }
            try body(keys)
            keys.values = []
        }
        if keys.count > 0 { try body(keys) }
    }

    // MARK: The end

    /// Corrects the entries to the net effect of the commit, signs it, and removes some of what is too old.
    func finish(_ changes: ChangeSet) throws(StorageError) {
        guard var header else { return }
        if hasRepeats || changes.hasEverything || changes.hasUnchanged { try correct(changes.net, header) }
        let before = header
        (header.author, header.note) = (changes.signature.author, changes.signature.note)
        if header != before { try writer.write(header.row, kept.tables.putCommit) }
        let pruning = HistoryPruning(kept, writer)
        if pruning.isDue(after: header.number, changes: lastPlace) {
            try pruning.run(last: header.number, now: header.time, changes: lastPlace)
        }
    }

    private func correct(_ net: [NetChanges], _ header: Header) throws(StorageError) {
        var correction = Correction(commit: header.number)
        let everything = net.filter(\.isEverything)
        for entry in entries where !everything.contains(where: { $0.model.isSame(as: entry.model) }) {
            let model = net.first { $0.model.isSame(as: entry.model) }
            correction.set(entry.kind, at: entry.place, to: model?.kind(of: entry.key))
        }
        for model in everything.map(\.model) { try correctEverything(of: model, &correction) }
        try writer.write(correction.kinds, kept.tables.setKinds)
        try writer.write(correction.gone, kept.tables.removeChanges)
    }

    /// Corrects the entries of a model whose records all went, or may be others. What was noted of it does not say what
    /// became of one record; the entries before, and the records of now, do.
    private func correctEverything(of model: String, _ correction: inout Correction) throws(StorageError) {
        guard let known = known[model], !known.isEmpty else { return }
        var first = known.mapValues { (place: entries[$0].place, kind: entries[$0].kind) }
        // A record that went with all and came back has two entries. The first has the record before.
        let history = HistoryReading(kept.tables, writer)
        var place: Int64 = 0
        while true {
            let part = try history.changes(of: correction.commit, after: place, of: model)
            for change in part where change.kind == .deleted {
                guard let later = first[change.key], later.place > change.place else { continue }
                correction.remove(later.place)
                first[change.key] = (change.place, .delete)
            }
            guard let last = part.last, part.count == HistoryReading.part else { break }
            place = last.place
        }
        let handle = try handle(model)
        let keys = Array(first.keys)
        for start in stride(from: 0, to: keys.count, by: HistoryReading.part) {
            let part = keys[start..<min(start + HistoryReading.part, keys.count)]
            let width = handle.tables.rootKeyCount
            let isThere = try handle.stored(among: ValueList(width: width, values: part.flatMap(\.self)), in: writer)
            for key in part {
                guard let entry = first[key] else { continue }
                let kind = ChangeKind(wasThere: entry.kind != .insert, isThere: isThere.contains(key))
                correction.set(entry.kind, at: entry.place, to: kind)
            }
        }
    }
}

/// The entries of the records of a model that went at once, in the order of keys.
private struct GoneRecords {
    private let history: HistoryReading
    private let commit: Int64
    private let model: String
    private var part: ArraySlice<HistoryReading.Change> = []
    /// Where the next part begins; nil if there is none.
    private var next: Int64?

    init(_ history: HistoryReading, _ commit: Int64, _ model: String, after place: Int64?) {
        (self.history, self.commit, self.model, next) = (history, commit, model, place)
    }

    /// The row that makes a record's entry that of an update; nil if it has no entry. Keys are asked for in their order.
    mutating func update(of key: [Value]) throws(StorageError) -> [Value]? {
        while let change = try first() {
            if change.kind == .deleted, change.key == key {
                return [.int(commit), .int(change.place), .int(HistoryKind.updated.rawValue)]
            }
            if change.kind == .deleted, key.lexicographicallyPrecedes(change.key) { return nil }
            part.removeFirst()
        }
        return nil
    }

    private mutating func first() throws(StorageError) -> HistoryReading.Change? {
        if part.isEmpty, let place = next {
            part = try history.changes(of: commit, after: place, of: model)[...]
            next = part.count == HistoryReading.part ? part.last?.place : nil
        }
        return part.first
    }
}

/// What is to be changed in the entries of a commit, as rows.
private struct Correction {
    let commit: Int64
    private(set) var kinds: [Value] = []
    private(set) var gone: [Value] = []

    init(commit: Int64) { self.commit = commit }

    /// - Parameter kind: what the entry's kind should be; nil if nothing became of the record.
    mutating func set(_ old: ChangeKind, at place: Int64, to kind: ChangeKind?) {
        guard let kind else { return remove(place) }
        if kind != old { kinds += [.int(commit), .int(place), .int(HistoryKind(kind).rawValue)] }
    }

    mutating func remove(_ place: Int64) { gone += [.int(commit), .int(place)] }
}

/// What an entry says of its record, as it is stored.
enum HistoryKind: Int64 {
    case inserted = 0
    case updated = 1
    case deleted = 2
    /// Any record of the model may have changed.
    case everything = 3

    init(_ kind: ChangeKind) {
        switch kind {
        case .insert: self = .inserted
        case .update: self = .updated
        case .delete: self = .deleted
        }
    }
}

extension Value {
    fileprivate static func value(_ text: String?) -> Value { text.map(Value.text) ?? .null }
}
