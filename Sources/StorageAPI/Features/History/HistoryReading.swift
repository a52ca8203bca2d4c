import StorageDriver

/// Reads a store's history in one session.
struct HistoryReading {
    struct Header {
        let number: Int64
        let time: Double
        let author: String?
        let note: String?
    }

    struct Change {
        let commit: Int64
        let place: Int64
        let model: String
        let kind: HistoryKind
        let key: [Value]
        let before: RecordImage?
    }

    let tables: HistoryTables
    let session: any StorageSession

    init(_ tables: HistoryTables, _ session: any StorageSession) {
        self.tables = tables
        self.session = session
    }

    /// The number of changes that are read at a time.
    static let part = 256

    // MARK: Commits

    var last: Header? { get throws(StorageError) { try header(tables.lastCommit, QueryArguments(limit: 1)) } }

    var first: Header? { get throws(StorageError) { try header(tables.firstCommit, QueryArguments(limit: 1)) } }

    func commit(_ number: Int64) throws(StorageError) -> Header? {
        guard number > 0 else { return nil }
        return try header(tables.commit, QueryArguments([.int(-number)]))
    }

    private func header(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Header? {
        var cursor = try session.rows(plan, arguments)
        return try cursor.next() ? Self.header(cursor.cells) : nil
    }

    /// - Throws: `corrupt` for a row that is no commit's.
    static func header(_ cells: UnsafePointer<Cell>) throws(StorageError) -> Header {
        guard cells[0].tag == .int, cells[0].int < 0, cells[0].int > Int64.min, cells[1].tag == .double else {
            throw StorageError(.corrupt, "A commit of the store's history cannot be read; restore a backup.")
        }
        return Header(
            number: -cells[0].int, time: cells[1].double, author: text(cells[2]), note: text(cells[3]))
    }

    /// The commits of a range of numbers that are there, the oldest first.
    func commits(_ numbers: Range<Int64>) throws(StorageError) -> [Header] {
        let keys = ValueList(width: 1, values: numbers.map { .int(-$0) })
        var cursor = try session.rows(tables.commitsByKey, QueryArguments(lists: [keys]))
        var found: [Header] = []
        while try cursor.next() { found.append(try Self.header(cursor.cells)) }
        return found.reversed()
    }

    private static func text(_ cell: Cell) -> String? { if case .text(let text) = cell.value { text } else { nil } }

    /// - Throws: `invalidValue` for a commit that has not been.
    func requireReached(_ number: Int64) throws(StorageError) {
        let last = try last?.number ?? 0
        guard number <= last, number >= 0 else {
            throw StorageError(.invalidValue, "The store's history has no commit \(number) yet; its last is \(last).")
        }
    }

    /// - Throws: `notKept` for a commit whose changes, or those of a later one, are no longer there; `invalidValue` for
    ///   one that has not been.
    func requireKept(after number: Int64) throws(StorageError) {
        try requireReached(number)
        let first = try first?.number ?? 1
        guard number >= first - 1 else {
            throw StorageError(
                .notKept,
                "The store's history begins after commit \(first - 1), and commit \(number) is older than what is kept. "
                    + "Read the records anew.")
        }
    }

    // MARK: Changes

    /// The next changes after a place of a commit, in their order; of one model if it is named.
    ///
    /// - Throws: `corrupt` if they are not later ones, since reading on from there would never end.
    func changes(after commit: Int64, _ place: Int64, of model: String?) throws(StorageError) -> [Change] {
        var found = try changes(of: commit, after: place, of: model)
        if found.count < Self.part {
            let arguments = [.int(commit)] + (model.map { [Value.text($0)] } ?? [])
            found += try changes(
                model == nil ? tables.changesAfter : tables.modelChangesAfter,
                QueryArguments(arguments, limit: Self.part - found.count))
        }
        return try checked(found, after: (commit, place))
    }

    private func checked(
        _ changes: [Change], after position: (commit: Int64, place: Int64)
    ) throws(StorageError) -> [Change] {
        var last = position
        for change in changes {
            guard (change.commit, change.place) > last else {
                throw StorageError(.corrupt, "The entries of the store's history are not in order; restore a backup.")
            }
            last = (change.commit, change.place)
        }
        return changes
    }

    /// The next changes of one commit after a place.
    func changes(of commit: Int64, after place: Int64, of model: String? = nil) throws(StorageError) -> [Change] {
        guard place < Int64.max else { return [] }
        let arguments = [.int(commit), .int(place)] + (model.map { [Value.text($0)] } ?? [])
        let found = try changes(
            model == nil ? tables.changesOfCommit : tables.modelChangesOfCommit,
            QueryArguments(arguments, limit: Self.part))
        return try checked(found, after: (commit, place))
    }

    /// The first change of a record, or of all records of its model, after a commit.
    func firstChange(of key: [Value], in model: String, after commit: Int64) throws(StorageError) -> Change? {
        try changes(
            tables.firstChange,
            QueryArguments(
                [
                    .int(commit), .text(model), .blob(RecordImage.bytes(of: key)),
                    .int(HistoryKind.everything.rawValue),
                ], limit: 1)
        ).first
    }

    private func changes(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> [Change] {
        var found: [Change] = []
        var cursor = try session.rows(plan, arguments)
        while try cursor.next() {
            let cells = cursor.cells
            guard case .text(let model) = cells[2].value, let kind = HistoryKind(rawValue: cells[3].int),
                case .blob(let key) = cells[4].value
            else { throw StorageError(.corrupt, "An entry of the store's history cannot be read; restore a backup.") }
            var before: RecordImage?
            if case .blob(let bytes) = cells[5].value { before = RecordImage(bytes: bytes) }
            found.append(
                Change(
                    commit: cells[0].int, place: cells[1].int, model: model, kind: kind,
                    key: try RecordImage.key(of: key), before: before))
        }
        return found
    }
}

extension HistorySettings {
    /// - Throws: `configuration` if the model has no history.
    func required(_ model: String) throws(StorageError) -> Model {
        guard let known = self.model(model) else {
            throw StorageError(
                .configuration, "The store keeps no history of \(model); open it once with history: and the model.",
                model: model)
        }
        return known
    }
}
