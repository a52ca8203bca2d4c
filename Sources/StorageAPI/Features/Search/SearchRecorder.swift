import StorageDriver
import StorageSearch

/// Writes a transaction's changes into the search indexes: at its end, and before a query that searches. The transactions that
/// share a commit have one recorder, which writes at the end of the last one.
///
/// Only the thread that runs the write uses it.
final class SearchRecorder: ChangeSubscriber, CommitGroupPart {
    /// The changed records of a model, in their order.
    private struct Log {
        var changes: [Change] = []
        /// The number of them that the indexes have.
        var indexed = 0
    }

    fileprivate enum Change {
        case record([Value], isNew: Bool)
        /// All records may be others.
        case everything
    }

    private let search: StoreSearch
    private let writer: any StorageWriter
    private let isShared: Bool
    private var logs: [StoredName: Log] = [:]
    private var savepoints: [[StoredName: (count: Int, indexed: Int)]] = []
    private var indexes: [StoredName: [OpenIndex]] = [:]
    /// The names of the searched columns of each table, as the store has recorded them; nil until they are needed.
    private var searchedColumns: [String: Set<String>]?

    /// - Parameter isShared: whether several transactions have the recorder.
    init(_ search: StoreSearch, _ writer: any StorageWriter, isShared: Bool = false) {
        (self.search, self.writer, self.isShared) = (search, writer, isShared)
    }

    // MARK: Changes

    func follows(_ model: StoredName) -> Bool { search.follows(model) }

    /// An update of columns that are not searched leaves the index as it is. The store's tables tell which are: the plan's table is
    /// as the program knows it, which may have been open before a property was marked.
    func follows(_ plan: WritePlan) -> Bool {
        guard plan.operation == .patch, let searched = searchedColumns ?? (try? Self.searchedColumns(in: writer)) else {
            return true
        }
        searchedColumns = searched
        return plan.columns.contains { searched[plan.table.name]?.contains(plan.table.columns[$0].name) == true }
    }

    private static func searchedColumns(
        in session: any StorageSession
    ) throws(StorageError) -> [String: Set<String>] {
        var columns: [String: Set<String>] = [:]
        for table in try session.tables() {
            let searched = table.columns.filter { $0.searchWeight != nil }
            if !searched.isEmpty { columns[table.name] = Set(searched.map(\.name)) }
        }
        return columns
    }

    func needsRecords(of model: StoredName) -> Bool { false }

    var canWait: Bool { true }
    var isToldEarly: Bool { true }

    func willChange(_ kind: ChangeKind, _ key: [Value], of model: StoredName, before: RecordImage?) {
        logs[model, default: Log()].changes.append(.record(key, isNew: kind == .insert))
    }

    func willWrite() {}

    func willReplaceAll(of model: StoredName) {
        if follows(model) { logs[model, default: Log()].changes.append(.everything) }
    }

    func didReplaceAll(of model: StoredName) { willReplaceAll(of: model) }

    func didReact(in model: StoredName) { willReplaceAll(of: model) }

    func didChangeTables() { (indexes, searchedColumns) = ([:], nil) }

    func beginSavepoint() { savepoints.append(logs.mapValues { ($0.changes.count, $0.indexed) }) }

    func endSavepoint(isUndone: Bool) {
        guard let marks = savepoints.popLast(), isUndone else { return }
        // The undone part may have changed the cached indexes and tables.
        didChangeTables()
        for model in logs.keys {
            let mark = marks[model] ?? (0, 0)
            logs[model]?.changes.removeSubrange(mark.count...)
            logs[model]?.indexed = mark.indexed
        }
    }

    func willCommit(_ changes: ChangeSet) throws(StorageError) {
        if !isShared { try indexAll() }
    }

    /// Keeps the parts of the indexes that the transaction has read.
    var afterCommit: (() -> Void)? {
        if isShared || indexes.isEmpty { return nil }
        let caches = indexes.values.joined().map { ($0.number, $0.index.cache) }
        return { [search] in for (number, cache) in caches { search.keep(cache, number) } }
    }

    // MARK: Transactions that share a commit

    func willFinish() throws(StorageError) {
        if search.directory.waitsForServer { readAhead() }
        try indexAll()
    }

    func didCommit() {
        for index in indexes.values.joined() { search.keep(index.index.cache, index.number) }
    }

    private func indexAll() throws(StorageError) {
        for model in logs.keys.sorted() { _ = try index(model) }
    }

    /// Tells the session of the queries with which the indexes begin, so that it sends them together.
    private func readAhead() {
        var queries: [QueryRequest] = []
        for (model, log) in logs where log.indexed < log.changes.count {
            let records = Self.records(of: log.changes[log.indexed...]) ?? []
            queries += search.firstQueries(of: model, records.prefix(OpenIndex.part).map(\.key))
        }
        writer.forwardPrefetch(queries)
    }

    // MARK: Indexes

    /// The indexes of a model with all that the transaction has changed; the first one answers queries, if it is complete.
    func index(_ model: StoredName) throws(StorageError) -> [OpenIndex] {
        let open = try self.open(model)
        guard let log = logs[model], log.indexed < log.changes.count else { return open }
        let records = Self.records(of: log.changes[log.indexed...])
        for index in open {
            if let records {
                try index.update(records)
            } else {
                try index.makeAnew(search.directory, in: writer)
            }
        }
        logs[model]?.indexed = log.changes.count
        return open
    }

    /// The changed records, each with its first change; nil where all may be others.
    private static func records(of changes: ArraySlice<Change>) -> [ChangedRecord]? {
        var records: [ChangedRecord] = []
        var seen: Set<[Value]> = []
        for change in changes {
            guard case .record(let key, let isNew) = change else { return nil }
            if seen.insert(key).inserted { records.append(ChangedRecord(key: key, isNew: isNew)) }
        }
        return records
    }

    private func open(_ name: StoredName) throws(StorageError) -> [OpenIndex] {
        if let known = indexes[name] { return known }
        let tables = try writer.tables()
        guard let settings = try search.recorded(in: writer)?.model(name), SearchedModel(name, in: tables) != nil
        else { return [] }
        try StoreSearch.check(settings)
        guard let model = settings.searched(in: tables) else { return [] }
        var open: [OpenIndex] = []
        for number in settings.indexes { open.append(try OpenIndex(number, of: model, search, in: writer)) }
        indexes[name] = open
        return open
    }
}

/// A record to index again.
struct ChangedRecord {
    var key: [Value]
    /// True if the record was not stored before, so the index has no document of it.
    var isNew: Bool
}

extension OpenIndex {
    /// The number of records whose texts are read at a time.
    fileprivate static var part: Int { 512 }

    /// Indexes records as they are now.
    func update(_ records: [ChangedRecord]) throws(StorageError) {
        let width = model.root.key.count
        var at = 0
        try run { (index) throws(SearchFailure) in
            try index.write { () throws(SearchFailure) in
                guard at < records.count else { return nil }
                let part = records[at..<min(at + Self.part, records.count)]
                at += part.count
                do throws(StorageError) {
                    let found = try documents.read(KeyList(width: width, part.lazy.map(\.key)))
                    return part.map { record in
                        if let document = found[record.key] { return .add(document, isNew: record.isNew) }
                        return .remove(OrderedKey.bytes(of: record.key))
                    }
                } catch {
                    throw .storage(error)
                }
            }
        }
    }

    /// Indexes all records again.
    func makeAnew(_ directory: ModelDirectory, in session: any StorageSession) throws(StorageError) {
        try run { (index) throws(SearchFailure) in try index.removeAll() }
        let keys = RecordKeys(model, in: session, directory)
        var last: [Value]?
        while true {
            let part = try keys.part(after: last, 8192)
            guard !part.isEmpty else { return }
            try update(part.map { ChangedRecord(key: $0, isNew: true) })
            last = part.last
        }
    }
}

/// The keys of a model's records, a part at a time.
struct RecordKeys {
    private let session: any StorageSession
    private let first: QueryPlan
    private let next: QueryPlan

    init(_ model: SearchedModel, in session: any StorageSession, _ directory: ModelDirectory) {
        self.session = session
        let root = model.root
        func plan(_ filter: QueryTerm?) -> QueryPlan {
            var query = Query(.columns(root.key), filter: filter)
            query.isLimited = true
            return directory.plan(query, of: root)
        }
        first = plan(nil)
        next = plan(root.isAfterKey(argument: 0))
    }

    func part(after last: [Value]?, _ limit: Int) throws(StorageError) -> [[Value]] {
        try session.rows(last == nil ? first : next, QueryArguments(last ?? [], limit: limit))
            .rows(width: first.query.width)
    }
}
