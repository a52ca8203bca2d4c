import StorageDriver
import StorageSearch

/// The four tables of one search index and the plans that use them. They are the store's own, so their paths begin with NUL.
final class SearchTables: Sendable {
    /// Names the index among all that the store ever had.
    let number: Int
    let documents: TableSchema
    let rows: [TableSchema]

    let documentOfKey: QueryPlan
    let keyOfDocument: QueryPlan
    let keysOfDocuments: QueryPlan
    let addDocuments: WritePlan
    let removeDocument: WritePlan
    let row: [QueryPlan]
    let range: [QueryPlan]
    let numbers: [QueryPlan]
    let firstNumbers: [QueryPlan]
    let put: [WritePlan]
    let remove: [WritePlan]

    /// The tables of an index that a store has; nil if one of them is missing.
    convenience init?(_ number: Int, in tables: [TableSchema], _ directory: ModelDirectory) {
        func table(_ name: String) -> TableSchema? {
            tables.first { $0.path == ["\u{0}search.\(number).\(name)"] }
        }
        let rows = SearchTable.allCases.compactMap { table($0.tableName) }
        guard let documents = table("documents"), rows.count == SearchTable.allCases.count else { return nil }
        self.init(number, documents, rows, directory)
    }

    private init(_ number: Int, _ documents: TableSchema, _ rows: [TableSchema], _ directory: ModelDirectory) {
        (self.number, self.documents, self.rows) = (number, documents, rows)
        func read(_ table: TableSchema, _ query: Query) -> QueryPlan {
            QueryPlan(id: directory.nextPlan(), query: query, table: table, tables: [table])
        }
        func write(_ table: TableSchema, _ operation: WriteOperation, _ columns: [Int]) -> WritePlan {
            WritePlan(id: directory.nextPlan(), operation: operation, table: table, columns: columns)
        }
        documentOfKey = read(
            documents, Query(.columns([0]), filter: .comparison(.equal, .column(1), .argument(0), .data)))
        keyOfDocument = read(documents, Query(.columns([1]), scope: .key(columns: 1)))
        keysOfDocuments = read(documents, Query(.columns([0, 1]), scope: .keys(columns: 1, list: 0)))
        addDocuments = write(documents, .insert, [0, 1])
        removeDocument = write(documents, .delete, [0])
        let isInRange = QueryTerm.and([
            .comparison(.greaterOrEqual, .column(0), .argument(0), .int64),
            .comparison(.lessOrEqual, .column(0), .argument(1), .int64),
        ])
        row = rows.map { read($0, Query(.columns([1]), scope: .key(columns: 1))) }
        range = rows.map { read($0, Query(.columns([0, 1]), filter: isInRange)) }
        numbers = rows.map { read($0, Query(.columns([0]), filter: isInRange)) }
        firstNumbers = rows.map {
            var query = Query(.columns([0]), filter: isInRange)
            query.isLimited = true
            return read($0, query)
        }
        put = rows.map { write($0, .upsert, [0, 1]) }
        remove = rows.map { write($0, .delete, [0]) }
    }

    static func make(
        _ number: Int, in writer: any StorageWriter, _ directory: ModelDirectory
    ) throws(StorageError) -> SearchTables {
        var names = NameAllocator(used: try writer.tables().map(\.name), reservedPrefixes: [])
        func make(_ name: String, _ columns: [ColumnSchema]) throws(StorageError) -> TableSchema {
            let table = TableSchema(
                name: names.allocate("storage_search_\(number)_\(name)"), path: ["\u{0}search.\(number).\(name)"],
                columns: columns, key: [0])
            try writer.change(.create(table))
            return table
        }
        func column(_ name: String, _ type: ColumnType, isUnique: Bool = false) -> ColumnSchema {
            ColumnSchema(name: name, property: name, type: type, isUnique: isUnique)
        }
        let documents = try make("documents", [column("number", .int64), column("key", .data, isUnique: true)])
        var rows: [TableSchema] = []
        for table in SearchTable.allCases {
            rows.append(try make(table.tableName, [column("number", .int64), column("bytes", .data)]))
        }
        return SearchTables(number, documents, rows, directory)
    }

    func drop(in writer: any StorageWriter) throws(StorageError) {
        for table in rows.reversed() { try writer.change(.drop(table)) }
        try writer.change(.drop(documents))
    }
}

extension SearchTable {
    fileprivate var tableName: String {
        switch self {
        case .pending: "pending"
        case .segments: "segments"
        case .blocks: "blocks"
        }
    }
}

/// The tables of an index as they are in a session.
final class SearchRows: SearchStorage {
    private let tables: SearchTables
    private let session: any StorageSession
    /// Documents that are added and not written yet, so that many are one batch.
    private var added: [Value] = []

    init(_ tables: SearchTables, in session: any StorageSession) { (self.tables, self.session) = (tables, session) }

    /// Writes the documents that were added. Must be called after the last.
    func flush() throws(StorageError) {
        guard !added.isEmpty else { return }
        try writer().write(added, tables.addDocuments)
        added.removeAll(keepingCapacity: true)
    }

    private func writer() throws(StorageError) -> any StorageWriter {
        guard let writer = session as? any StorageWriter else {
            throw StorageError(.unsupported, "A read block cannot write; use transaction.")
        }
        return writer
    }

    private func doing<T>(_ body: () throws(StorageError) -> T) throws(SearchFailure) -> T {
        do throws(StorageError) { return try body() } catch { throw .storage(error) }
    }

    func document(of key: [UInt8]) throws(SearchFailure) -> Int? {
        try doing { () throws(StorageError) in
            var cursor = try session.rows(tables.documentOfKey, QueryArguments([.blob(key)]))
            return try cursor.next() ? Int(cursor.cells[0].int) : nil
        }
    }

    func key(of document: Int) throws(SearchFailure) -> [UInt8]? {
        try doing { () throws(StorageError) in
            var cursor = try session.rows(tables.keyOfDocument, QueryArguments([.int(Int64(document))]))
            guard try cursor.next(), case .blob(let key) = cursor.cells[0].value else { return nil }
            return key
        }
    }

    /// The key of the record of a document, if the index has it.
    func keyIfAny(of document: Int) throws(StorageError) -> [Value]? {
        do throws(SearchFailure) {
            return try key(of: document).map { (bytes) throws(SearchFailure) in
                try doing { () throws(StorageError) in try OrderedKey.key(of: bytes) }
            }
        } catch {
            throw error.error(of: "")
        }
    }

    /// The keys of documents, in the order of these.
    func keys(of documents: [Int]) throws(StorageError) -> [[Value]] {
        let list = ValueList(width: 1, values: documents.map { .int(Int64($0)) })
        var keys: [Int64: [Value]] = [:]
        var cursor = try session.rows(tables.keysOfDocuments, QueryArguments(lists: [list]))
        while try cursor.next() {
            guard case .blob(let key) = cursor.cells[1].value else { continue }
            keys[cursor.cells[0].int] = try OrderedKey.key(of: key)
        }
        return try documents.map { (document) throws(StorageError) in
            guard let key = keys[Int64(document)] else {
                throw StorageError(
                    .corrupt, "The search index lacks the key of a record; make it anew with rebuildSearch(of:).")
            }
            return key
        }
    }

    func add(document: Int, key: [UInt8]) throws(SearchFailure) {
        added += [.int(Int64(document)), .blob(key)]
        if added.count >= 2048 { try doing { () throws(StorageError) in try flush() } }
    }

    func remove(document: Int) throws(SearchFailure) {
        try doing { () throws(StorageError) in
            try flush()
            try writer().write([.int(Int64(document))], tables.removeDocument)
        }
    }

    func row(_ table: SearchTable, _ number: Int) throws(SearchFailure) -> [UInt8]? {
        try doing { () throws(StorageError) in
            var cursor = try session.rows(tables.row[table.rawValue], QueryArguments([.int(Int64(number))]))
            guard try cursor.next(), case .blob(let bytes) = cursor.cells[0].value else { return nil }
            return bytes
        }
    }

    private func arguments(_ range: ClosedRange<Int>, limit: Int? = nil) -> QueryArguments {
        QueryArguments([.int(Int64(range.lowerBound)), .int(Int64(range.upperBound))], limit: limit)
    }

    func rows(
        _ table: SearchTable, _ range: ClosedRange<Int>, _ body: (Int, [UInt8]) throws(SearchFailure) -> Void
    ) throws(SearchFailure) {
        // The body may read other rows, for which some engines must have no open cursor.
        let rows = try doing { () throws(StorageError) in
            var rows: [(Int, [UInt8])] = []
            var cursor = try session.rows(tables.range[table.rawValue], arguments(range))
            while try cursor.next() {
                guard case .blob(let bytes) = cursor.cells[1].value else { continue }
                rows.append((Int(cursor.cells[0].int), bytes))
            }
            return rows
        }
        for (number, bytes) in rows { try body(number, bytes) }
    }

    func numbers(
        _ table: SearchTable, _ range: ClosedRange<Int>, limit: Int, _ body: (Int) -> Void
    ) throws(SearchFailure) {
        try doing { () throws(StorageError) in
            let isAll = limit == Int.max
            let plan = (isAll ? tables.numbers : tables.firstNumbers)[table.rawValue]
            var cursor = try session.rows(plan, arguments(range, limit: isAll ? nil : limit))
            while try cursor.next() { body(Int(cursor.cells[0].int)) }
        }
    }

    func put(_ table: SearchTable, _ number: Int, _ bytes: [UInt8]) throws(SearchFailure) {
        try doing { () throws(StorageError) in
            try writer().write([.int(Int64(number)), .blob(bytes)], tables.put[table.rawValue])
        }
    }

    func remove(_ table: SearchTable, _ range: ClosedRange<Int>) throws(SearchFailure) {
        var found: [Value] = []
        try numbers(table, range, limit: Int.max) { found.append(.int(Int64($0))) }
        try doing { () throws(StorageError) in try writer().write(found, tables.remove[table.rawValue]) }
    }

    func removeAllDocuments(_ directory: ModelDirectory) throws(StorageError) {
        added = []
        _ = try writer().truncate(tables.documents, directory)
    }
}
