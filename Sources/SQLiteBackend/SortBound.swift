internal import CSQLite
internal import StorageDriver

/// The bound of the sort of one prepared plan: the statements that find it in a sample of the rows, and then the rows up to it.
final class SortBound {
    /// Nil for a plan that needs none: its rows come in their order from an index, are few, or have another form.
    private let sql: QueryCompiler.BoundedSelect?
    private let tables: [TableSchema]
    private let kinds: [UInt8]
    // Exclusivity is not checked at run time, as of the prepared plan.
    @exclusivity(unchecked) private var extent: Statement?
    @exclusivity(unchecked) private var distance: Statement?
    @exclusivity(unchecked) private var sample: Statement?
    @exclusivity(unchecked) private var scan: Statement?
    @exclusivity(unchecked) private var select: Statement?

    init(_ sql: QueryCompiler.BoundedSelect?, tables: [TableSchema], kinds: [UInt8]) {
        self.sql = sql
        self.tables = tables
        self.kinds = kinds
    }

    /// The number of places of a sample. It is far greater than the number of places that hold the best rows of a table
    /// in the opposite order.
    private static let places = 512
    /// The most rows of the result, with the skipped rows, for which a bound is worth its sample.
    private static let maximumRows = 1024
    /// A table has so many times the rows of a sample at least.
    private static let minimumShare = 12

    /// The limit and the offset of a query as one number of rows; nil without a limit, for zero rows, or for too many.
    static func rows(_ arguments: QueryArguments) -> Int? {
        guard let limit = arguments.limit, limit > 0, limit <= maximumRows, arguments.offset <= maximumRows - limit
        else {
            return nil
        }
        return limit + arguments.offset
    }

    /// The places of a sample.
    struct Sample {
        let start: Int64
        let step: Int64
        let last: Int64
        /// The rows of a place have numbers up to this much above the number of the place.
        let width: Int64
    }

    /// Returns the places of a sample of the table from which so many rows are wanted; nil if the table is small, or has
    /// most of its rows in a small part of its row numbers.
    func sample(for rows: Int, _ connection: Connection) throws(StorageError) -> Sample? {
        guard let sql else { return nil }
        let perPlace = 16 * ((rows + 127) / 128)
        let minimumRows = Int64(Self.places * perPlace * Self.minimumShare)
        guard let (low, high) = try limits(sql, connection) else { return nil }
        let (range, isWide) = high.subtractingReportingOverflow(low)
        guard !isWide, range >= minimumRows else { return nil }
        // The rows around the middle say how far the numbers are from each other.
        let middle = low + range / 2
        guard let end = try number(perPlace - 1, after: middle, in: sql, on: connection) else { return nil }
        let width = end - middle
        guard range / (width + 1) >= minimumRows / Int64(perPlace) else { return nil }
        let step = range / Int64(Self.places)
        return Sample(start: low, step: step, last: high - step, width: width)
    }

    private func limits(
        _ sql: QueryCompiler.BoundedSelect, _ connection: Connection
    ) throws(StorageError) -> (Int64, Int64)? {
        let statement = try Self.statement(&extent) { () throws(StorageError) in
            try Statement(connection, sql.extent, planned: tables)
        }
        var cursor = try statement.cursor()
        guard try cursor.next(), cursor.cells[0].tag == .int, cursor.cells[1].tag == .int else { return nil }
        return (cursor.cells[0].int, cursor.cells[1].int)
    }

    private func number(
        _ count: Int, after number: Int64, in sql: QueryCompiler.BoundedSelect, on connection: Connection
    ) throws(StorageError) -> Int64? {
        let statement = try Self.statement(&distance) { () throws(StorageError) in
            try Statement(connection, sql.distance, planned: tables)
        }
        try statement.bind(.int(number), at: 1)
        try statement.bind(.int(Int64(count)), at: 2)
        return try statement.integer()
    }

    /// Returns the numbers of the query's rows, and of the rows that it skips first; nil if too few rows of the sample
    /// meet the conditions.
    ///
    /// - Parameter bind: binds the query's arguments.
    func numbers(
        _ places: Sample, rows: Int, _ connection: Connection, counting work: QueryWork?,
        bind: (Statement) throws(StorageError) -> Void
    ) throws(StorageError) -> [Int64]? {
        guard let sql, select?.isInUse != true else { return nil }
        let sample = try Self.statement(&self.sample) { () throws(StorageError) in
            try Statement(connection, sql.sample, prefixEnds: sql.prefixEnds, planned: tables)
        }
        let scan = try Self.statement(&self.scan) { () throws(StorageError) in
            try Statement(connection, sql.scan, prefixEnds: sql.prefixEnds, planned: tables)
        }
        let before = sample.steps + scan.steps
        defer {
            work?.add(sample.steps + scan.steps - before)
            sample.finish()
            scan.finish()
        }
        try bind(sample)
        let names = sql.parameters
        try sample.bind(.int(places.start), at: names.start)
        try sample.bind(.int(places.step), at: names.step)
        try sample.bind(.int(places.last), at: names.last)
        try sample.bind(.int(places.width), at: names.width)
        try sample.bind(.int(Int64(rows - 1)), at: names.offset)
        var bound = try sample.cursor()
        // No value compares with null, so a row without a value is no bound.
        guard try bound.next(), bound.cells[0].tag != .null else { return nil }
        try bind(scan)
        try scan.bind(column: 0, of: sample, at: names.value)
        try scan.bind(column: 1, of: sample, at: names.key)
        try scan.bind(.int(Int64(rows)), at: names.rows)
        var cursor = try scan.cursor()
        var numbers: [Int64] = []
        while try cursor.next() { numbers.append(cursor.cells[0].int) }
        return numbers
    }

    /// Returns the query of the rows with some numbers, to which they are bound as the arguments are; nil if a cursor uses it.
    ///
    /// - Parameter bind: binds the query's arguments.
    func select(
        _ numbers: [Int64], _ connection: Connection, bind: (Statement) throws(StorageError) -> Void
    ) throws(StorageError) -> Statement? {
        guard let sql, select?.isInUse != true else { return nil }
        let select = try Self.statement(&self.select) { () throws(StorageError) in
            try Statement(connection, sql.select, kinds: kinds, prefixEnds: sql.prefixEnds, planned: tables)
        }
        do {
            try bind(select)
            try select.bind(ValueList(width: 1, values: numbers.map { .int($0) }), at: sql.parameters.numbers)
        } catch {
            select.finish()
            throw error
        }
        return select
    }

    private static func statement(
        _ known: inout Statement?, _ make: () throws(StorageError) -> Statement
    ) throws(StorageError) -> Statement {
        if let known { return known }
        let made = try make()
        known = made
        return made
    }
}

extension SQLiteSession {
    /// Returns the rows of a query that sorts all rows of a large table for the first few, by a statement that leaves most of
    /// them out; nil for other queries.
    func bounded(
        _ plan: QueryPlan, _ arguments: QueryArguments, counting work: QueryWork? = nil
    ) throws(StorageError) -> Cursor? {
        guard let rows = SortBound.rows(arguments), let id = plan.id else { return nil }
        let prepared = connection.prepared(id, for: plan)
        let bound: SortBound
        if let known = prepared.bound {
            bound = known
        } else {
            bound = try sortBound(plan, arguments, prepared: prepared)
        }
        func bind(_ statement: Statement) throws(StorageError) { try self.bind(arguments, of: plan, to: statement) }
        guard let sample = try bound.sample(for: rows, connection) else { return nil }
        // The bound is true of the rows that it was found in.
        try holdSnapshot()
        guard let numbers = try bound.numbers(sample, rows: rows, connection, counting: work, bind: bind),
            let statement = try bound.select(numbers, connection, bind: bind)
        else { return nil }
        work?.add(stepsOf: statement)
        do {
            return try statement.cursor()
        } catch {
            statement.finish()
            throw error
        }
    }

    private func sortBound(
        _ plan: QueryPlan, _ arguments: QueryArguments, prepared: PreparedPlan
    ) throws(StorageError) -> SortBound {
        var compiler = QueryCompiler(plan, arguments, conversions: try conversions(plan))
        let rowNumber = try rowNumber(of: plan.table)
        var sql = rowNumber.flatMap { compiler.bounded(rowNumber: $0) }
        if sql != nil, let plain = prepared.query?.sql {
            let steps = try steps(of: plain)
            let scans = steps.first(where: Self.isRoot)?.hasPrefix("SCAN") ?? false
            if !scans || !steps.contains("USE TEMP B-TREE FOR ORDER BY") { sql = nil }
        }
        let bound = SortBound(sql, tables: plan.tables, kinds: Self.kinds(plan))
        prepared.bound = bound
        return bound
    }

    /// The name of SQLite's row number; nil in a table without one.
    private func rowNumber(of table: TableSchema) throws(StorageError) -> String? {
        guard table.isForeign else {
            return SchemaCompiler.hasRowID(table) ? table.columns[table.key[0]].name : nil
        }
        let foreign = try connection.foreign.table(table, connection)
        return foreign.hasRowID ? foreign.rowID : nil
    }
}
