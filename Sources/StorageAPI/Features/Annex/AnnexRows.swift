import StorageDriver

/// The rows of all annexes, as one session reads and writes them.
///
/// They are in one table of the store's own, so no list of models, copy, digest or feature of the store has them. The move of a
/// whole store takes them along, as a backup does.
struct AnnexRows {
    private static let table = OwnTable(
        "annex", name: "storage_annex", keyCount: 2, ["annex": .string, "key": .data, "value": .data])
    /// The number of rows that are read by their keys, or written, at a time.
    private static let part = 256

    private let name: String
    private let directory: ModelDirectory

    /// - Throws: `invalidValue` for a name that no annex can have.
    init(_ name: String, in store: Store) throws(StorageError) {
        guard !name.isEmpty, name.utf8.count <= Store.annexNameLimit else {
            throw StorageError(
                .invalidValue, "The name of an annex has 1 to \(Store.annexNameLimit) bytes of UTF-8.")
        }
        self.name = name
        directory = store.registry.directory
    }

    // MARK: Reading

    /// Rows are looked up by the beginning of the table's key.
    func value(of key: [UInt8], in session: any StorageSession) throws(StorageError) -> [UInt8]? {
        try Self.check(key)
        guard let table = Self.table.find(in: try session.tables()) else { return nil }
        let query = Query(.columns([2]), scope: .key(columns: 2))
        var cursor = try session.rows(
            directory.ownPlan(query, of: table), QueryArguments([.text(name), .blob(key)]))
        return try cursor.next() ? try Self.bytes(cursor.cells[0]) : nil
    }

    /// The values of some keys, in their order; nil where no row has the key.
    func values(of keys: [[UInt8]], in session: any StorageSession) throws(StorageError) -> [[UInt8]?] {
        for key in keys { try Self.check(key) }
        guard !keys.isEmpty, let table = Self.table.find(in: try session.tables()) else {
            return Array(repeating: nil, count: keys.count)
        }
        let plan = directory.ownPlan(Query(.columns([1, 2]), scope: .keys(columns: 2, list: 0)), of: table)
        var found: [[UInt8]: [UInt8]] = [:]
        for start in stride(from: 0, to: keys.count, by: Self.part) {
            let part = keys[start..<min(start + Self.part, keys.count)]
            let list = ValueList(width: 2, values: part.flatMap { [.text(name), .blob($0)] })
            var cursor = try session.rows(plan, QueryArguments(lists: [list]))
            while try cursor.next() { found[try Self.bytes(cursor.cells[0])] = try Self.bytes(cursor.cells[1]) }
        }
        return keys.map { found[$0] }
    }

    func rows(
        after key: [UInt8]?, before end: [UInt8]?, limit: Int, in session: any StorageSession
    ) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        guard limit > 0 else {
            throw StorageError(.invalidQuery, "A limit of \(limit) reads no row of an annex; give 1 or more.")
        }
        for key in [key, end].compactMap(\.self) { try Self.check(key) }
        guard let table = Self.table.find(in: try session.tables()) else { return [] }
        var query = Query(.columns([1, 2]), scope: .key(columns: 1))
        query.isLimited = true
        var (terms, arguments): ([QueryTerm], [Value]) = ([], [.text(name)])
        for (bound, comparison) in [(key, Comparison.greater), (end, .less)] {
            guard let bound else { continue }
            terms.append(.comparison(comparison, .column(1), .argument(arguments.count), .data))
            arguments.append(.blob(bound))
        }
        query.filter = terms.count > 1 ? .and(terms) : terms.first
        var found: [(key: [UInt8], value: [UInt8])] = []
        var cursor = try session.rows(
            directory.ownPlan(query, of: table), QueryArguments(arguments, limit: limit))
        while try cursor.next() { found.append((try Self.bytes(cursor.cells[0]), try Self.bytes(cursor.cells[1]))) }
        return found
    }

    private static func bytes(_ cell: Cell) throws(StorageError) -> [UInt8] {
        guard case .blob(let bytes) = cell.value else {
            throw StorageError(.corrupt, "A row of an annex is not made of bytes; restore a backup.")
        }
        return bytes
    }

    // MARK: Writing

    /// - Parameter limit: the number of bytes that the engine takes as one value.
    func set(
        _ rows: [(key: [UInt8], value: [UInt8]?)], limit: Int, in writer: any StorageWriter
    ) throws(StorageError) {
        var last: [[UInt8]: [UInt8]?] = [:]
        for (key, value) in rows {
            try Self.check(key)
            let size = value?.count ?? 0
            guard size <= limit else {
                throw StorageError(
                    .limitExceeded, "A value of \(size) bytes is larger than the limit of \(limit) bytes.")
            }
            last[key] = .some(value)
        }
        let gone = last.filter { $0.value == nil }.map(\.key)
        let kept = last.compactMap { key, value in value.map { (key, $0) } }
        let known = Self.table.find(in: try writer.tables())
        // Removing rows from a store that has no annex makes no table.
        guard !kept.isEmpty || known != nil else { return }
        let table = if let known { known } else { try Self.table.create(in: writer) }
        try remove(gone, from: table, in: writer)
        let put = directory.ownPlan(.upsert, of: table)
        for start in stride(from: 0, to: kept.count, by: Self.part) {
            let part = kept[start..<min(start + Self.part, kept.count)]
            try writer.write(part.flatMap { [.text(name), .blob($0), .blob($1)] }, put)
        }
    }

    func removeAll(in writer: any StorageWriter) throws(StorageError) {
        guard let table = Self.table.find(in: try writer.tables()) else { return }
        let query = Query(.columns([1]), scope: .key(columns: 1))
        var keys: [[UInt8]] = []
        // No cursor is open while rows are written.
        do {
            var cursor = try writer.rows(directory.ownPlan(query, of: table), QueryArguments([.text(name)]))
            while try cursor.next() { keys.append(try Self.bytes(cursor.cells[0])) }
        }
        try remove(keys, from: table, in: writer)
    }

    private func remove(
        _ keys: [[UInt8]], from table: TableSchema, in writer: any StorageWriter
    ) throws(StorageError) {
        let plan = directory.ownPlan(.delete, of: table, columns: table.key)
        for start in stride(from: 0, to: keys.count, by: Self.part) {
            let part = keys[start..<min(start + Self.part, keys.count)]
            try writer.write(part.flatMap { [.text(name), .blob($0)] }, plan)
        }
    }

    private static func check(_ key: [UInt8]) throws(StorageError) {
        guard key.count <= Store.annexKeyLimit else {
            throw StorageError(
                .limitExceeded,
                "A key of \(key.count) bytes is longer than the limit of \(Store.annexKeyLimit) bytes for rows of an annex."
            )
        }
    }
}
