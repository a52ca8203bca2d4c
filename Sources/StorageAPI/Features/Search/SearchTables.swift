import StorageDriver
import StorageSearch

/// The three tables of one search index and the plans that use them. They are internal to the store, so their paths begin
/// with NUL.
final class SearchTables: Sendable {
    /// Names the index among all that the store ever had.
    let number: Int
    let rows: [TableSchema]

    let row: [QueryPlan]
    let range: [QueryPlan]
    let listed: [QueryPlan]
    let numbers: [QueryPlan]
    let firstNumbers: [QueryPlan]
    let lastNumber: [QueryPlan]
    let put: [WritePlan]
    let remove: [WritePlan]

    /// The tables of an index that a store has; nil if one of them is missing.
    convenience init?(_ number: Int, in tables: [TableSchema], _ directory: ModelDirectory) {
        let rows = SearchTable.allCases.compactMap { $0.table(of: number).find(in: tables) }
        guard rows.count == SearchTable.allCases.count else { return nil }
        self.init(number, rows: rows, directory)
    }

    private init(_ number: Int, rows: [TableSchema], _ directory: ModelDirectory) {
        (self.number, self.rows) = (number, rows)
        let isInRange = QueryTerm.and([
            .comparison(.greaterOrEqual, .column(0), .argument(0), .int64),
            .comparison(.lessOrEqual, .column(0), .argument(1), .int64),
        ])
        func read(_ columns: [Int], _ change: (inout Query) -> Void) -> [QueryPlan] {
            var query = Query(.columns(columns))
            change(&query)
            return rows.map { directory.plan(query, of: $0) }
        }
        row = read([1]) { $0.scope = .key(columns: 1) }
        range = read([0, 1]) { $0.filter = isInRange }
        listed = read([0, 1]) { $0.scope = .keys(columns: 1, list: 0) }
        numbers = read([0]) { $0.filter = isInRange }
        firstNumbers = read([0]) { ($0.filter, $0.isLimited) = (isInRange, true) }
        let lastFirst = Query.SortKey(term: .column(0), type: .int64, isDescending: true)
        lastNumber = read([0]) { ($0.order, $0.isLimited) = ([lastFirst], true) }
        put = rows.map { directory.plan(.upsert, of: $0, columns: [0, 1]) }
        remove = rows.map { directory.plan(.delete, of: $0, columns: [0]) }
    }

    /// The queries that tell whether an index is as it was last read.
    func current(hasPending: Bool) -> [QueryRequest] {
        let tables: [SearchTable] = hasPending ? [.pending] : [.pending, .segments]
        return tables.map { QueryRequest(plan: lastNumber[$0.rawValue], arguments: QueryArguments(limit: 1)) }
    }

    static func create(
        _ number: Int, in writer: any StorageWriter, _ directory: ModelDirectory
    ) throws(StorageError) -> SearchTables {
        let rows = try SearchTable.allCases.map { (table) throws(StorageError) in
            try table.table(of: number).create(in: writer)
        }
        return SearchTables(number, rows: rows, directory)
    }

    /// Drops the tables of an index, of any format.
    static func drop(_ number: Int, _ tables: [TableSchema], in writer: any StorageWriter) throws(StorageError) {
        for table in tables.reversed() where table.path.first?.hasPrefix("\u{0}search.\(number).") == true {
            try writer.change(.drop(table))
        }
    }
}

extension SearchTable {
    /// The table of an index.
    fileprivate func table(of index: Int) -> OwnTable {
        let name =
            switch self {
            case .pending: "pending"
            case .segments: "segments"
            case .blocks: "blocks"
            }
        return OwnTable(
            "search.\(index).\(name)", name: "storage_search_\(index)_\(name)",
            ["number": .int64, "bytes": .data])
    }
}

/// The tables of an index as they are in a session.
final class SearchRows: SearchStorage {
    private let tables: SearchTables
    private let session: any StorageSession
    let waitsForServer: Bool

    init(_ tables: SearchTables, in session: any StorageSession, waitsForServer: Bool) {
        (self.tables, self.session, self.waitsForServer) = (tables, session, waitsForServer)
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
        for (number, bytes) in try all(tables.range[table.rawValue], arguments(range)) { try body(number, bytes) }
    }

    func rows(_ table: SearchTable, _ numbers: [Int]) throws(SearchFailure) -> [(number: Int, bytes: [UInt8])] {
        let list = ValueList(width: 1, values: numbers.map { .int(Int64($0)) })
        return try all(tables.listed[table.rawValue], QueryArguments(lists: [list]))
    }

    private func all(
        _ plan: QueryPlan, _ arguments: QueryArguments
    ) throws(SearchFailure) -> [(number: Int, bytes: [UInt8])] {
        try doing { () throws(StorageError) in
            var rows: [(number: Int, bytes: [UInt8])] = []
            var cursor = try session.rows(plan, arguments)
            while try cursor.next() {
                guard case .blob(let bytes) = cursor.cells[1].value else { continue }
                rows.append((Int(cursor.cells[0].int), bytes))
            }
            return rows
        }
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

    func last(_ table: SearchTable) throws(SearchFailure) -> Int? {
        try doing { () throws(StorageError) in
            var cursor = try session.rows(tables.lastNumber[table.rawValue], QueryArguments(limit: 1))
            return try cursor.next() ? Int(cursor.cells[0].int) : nil
        }
    }

    func put(_ table: SearchTable, _ number: Int, bytes: [UInt8]) throws(SearchFailure) {
        try doing { () throws(StorageError) in
            try writer().write([.int(Int64(number)), .blob(bytes)], tables.put[table.rawValue])
        }
    }

    func remove(_ table: SearchTable, _ range: ClosedRange<Int>) throws(SearchFailure) {
        var found: [Value] = []
        try numbers(table, range, limit: Int.max) { found.append(.int(Int64($0))) }
        try doing { () throws(StorageError) in try writer().write(found, tables.remove[table.rawValue]) }
    }
}
