import Foundation
import StorageAPI
import StorageDriver

/// A session that hands queries on, but for its fault.
class MutantSession: StorageSession, WorkCountingSession {
    let session: any StorageSession
    let fault: Fault
    /// The number of queries of each table.
    private var asked: [String: Int] = [:]

    init(_ session: any StorageSession, _ fault: Fault) {
        self.session = session
        self.fault = fault
    }

    final func tables() throws(StorageError) -> [TableSchema] {
        let tables = try session.tables()
        return fault.tables?(tables) ?? tables
    }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        guard fault.transaction == .oneCursorForEachTable else { return try rows(plan, arguments, on: session) }
        let turn = asked[plan.table.name, default: 0] + 1
        asked[plan.table.name] = turn
        var left = try collect(session.rows(plan, arguments), width: plan.query.width)[...]
        return Cursor(columns: plan.query.width) { () throws(StorageError) in
            self.asked[plan.table.name] == turn ? left.popFirst() : nil
        }
    }

    /// Counted where something else is asked. Other faults receive no work.
    func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, counting work: QueryWork
    ) throws(StorageError) -> Cursor {
        guard fault.query != nil || fault.looked != nil, let counting = session as? any WorkCountingSession else {
            work.add(1)
            return try rows(plan, arguments)
        }
        work.add(fault.looked?(plan) ?? 0)
        let (asked, given) = question(plan, arguments)
        return try counting.rows(asked, given, counting: work)
    }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try session.greatestKey(in: table) }

    final func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, on session: any StorageSession
    ) throws(StorageError) -> Cursor {
        if let precedes = fault.precedes, let sort = plan.onlySortColumn {
            return try sorted(plan, arguments, on: session, by: sort, precedes)
        }
        let (asked, given) = question(plan, arguments)
        guard fault.rows != nil || fault.read != nil || fault.queryFailure != nil else {
            return try session.rows(asked, given)
        }
        var rows = try answer(asked, given, on: session)
        if case .columns(let columns) = plan.query.result, let read = fault.read {
            rows = rows.map { row in zip(row, columns).map { read($0, plan.table.columns[$1]) } }
        }
        if let change = fault.rows {
            var question = Question(query: plan.query, arguments: given, table: plan.table, tables: plan.tables)
            question.isUnplanned = plan.id == nil
            rows = change(rows, question)
        }
        return Cursor(rows: rows, columns: plan.query.width)
    }

    /// The rows, or what the fault gives in place of an error.
    private func answer(
        _ plan: QueryPlan, _ arguments: QueryArguments, on session: any StorageSession
    ) throws(StorageError) -> [[Value]] {
        do {
            return try collect(session.rows(plan, arguments), width: plan.query.width)
        } catch {
            guard let answer = fault.queryFailure else { throw error }
            return try answer(error, plan)
        }
    }

    /// Sorts a query's rows again, by the column of its sort key.
    private func sorted(
        _ plan: QueryPlan, _ arguments: QueryArguments, on session: any StorageSession, by column: Int,
        _ precedes: (ColumnSchema, Value, Value) -> Bool?
    ) throws(StorageError) -> Cursor {
        guard case .columns(let columns) = plan.query.result else { return try session.rows(plan, arguments) }
        var query = plan.query
        query.result = .columns(columns + [column])
        let asked = QueryPlan(id: nil, query: query, table: plan.table, tables: plan.tables)
        var rows = try collect(session.rows(asked, arguments), width: columns.count + 1)
        // Insertion sort: the order need not be a total one.
        for index in rows.indices.dropFirst() {
            var place = index
            while place > 0,
                precedes(plan.table.columns[column], rows[place][columns.count], rows[place - 1][columns.count])
                    == !plan.query.order[0].isDescending
            {
                rows.swapAt(place, place - 1)
                place -= 1
            }
        }
        return Cursor(rows: rows.map { $0.dropLast() }, columns: columns.count)
    }

    private func question(_ plan: QueryPlan, _ arguments: QueryArguments) -> (QueryPlan, QueryArguments) {
        var question = Question(query: plan.query, arguments: arguments, table: plan.table, tables: plan.tables)
        if let written = fault.written { question.mapKeys(written) }
        guard let change = fault.query else { return (plan, question.arguments) }
        change(&question)
        return (
            QueryPlan(id: nil, query: question.query, table: plan.table, tables: plan.tables), question.arguments
        )
    }
}

extension QueryPlan {
    /// True if it loads the records with some keys, and does not only test their presence.
    fileprivate var findsRecords: Bool {
        guard query.scope != .all, case .columns(let columns) = query.result else { return false }
        return columns.count > table.key.count
    }

    /// True if it chooses the records that a condition changes or deletes.
    fileprivate var choosesRecords: Bool {
        guard table.isRoot, query.scope == .all else { return false }
        if case .terms = query.result { return true }
        return query.result == .columns(table.key)
    }

    /// The column that the rows are sorted by, where it is one alone and the result is whole.
    fileprivate var onlySortColumn: Int? {
        guard query.order.count == 1, !query.isLimited, case .column(let column) = query.order[0].term else {
            return nil
        }
        return column
    }
}

extension Question {
    /// A key is looked for as it was written.
    fileprivate mutating func mapKeys(_ written: (Value, ColumnSchema, Bool) -> Value) {
        switch query.scope {
        case .all: break
        case .key(let columns):
            for index in 0..<columns {
                arguments.values[index] = written(arguments.values[index], table.columns[table.key[index]], true)
            }
        case .keys(let columns, let list):
            for index in arguments.lists[list].values.indices {
                let column = table.columns[table.key[index % columns]]
                arguments.lists[list].values[index] = written(
                    arguments.lists[list].values[index], column, true)
            }
        }
    }
}

final class MutantReader: MutantSession, StorageReader {
    private let reader: (any StorageReader)?
    private let ended: () -> Void

    init(
        _ session: any StorageSession, _ fault: Fault, reader: (any StorageReader)? = nil,
        ended: @escaping () -> Void = {}
    ) {
        self.reader = reader
        self.ended = ended
        super.init(session, fault)
    }

    func end() {
        reader?.end()
        ended()
    }
}

/// A reader whose long results change to the last commit's after their 256th row.
final class PartwiseReader: MutantSession, StorageReader {
    private let engine: any StorageEngine
    private let reader: any StorageReader

    init(_ engine: any StorageEngine, _ fault: Fault) throws(StorageError) {
        self.engine = engine
        reader = try engine.reader(.snapshot)
        super.init(reader, fault)
    }

    override func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        guard plan.table.isRoot, plan.query.scope == .all, !plan.query.isLimited else {
            return try session.rows(plan, arguments)
        }
        let width = plan.query.width
        var left = try collect(session.rows(plan, arguments), width: width)[...]
        var given = 0
        return Cursor(columns: width) { [engine] () throws(StorageError) in
            if given == 256 {
                let later = try engine.reader(.snapshot)
                defer { later.end() }
                left = try collect(later.rows(plan, arguments), width: width).dropFirst(given)
            }
            given += 1
            return left.popFirst()
        }
    }

    func end() { reader.end() }
}

/// A reader whose every query sees the last commit.
final class MovingReader: MutantSession, StorageReader {
    private let engine: any StorageEngine
    private var readers: [any StorageReader] = []

    init(_ engine: any StorageEngine, _ fault: Fault) throws(StorageError) {
        self.engine = engine
        let first = try engine.reader(.snapshot)
        readers = [first]
        super.init(first, fault)
    }

    override func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        // So long that a writer beside it commits in between.
        if readers.count > 1 { Thread.sleep(forTimeInterval: 0.001) }
        let reader = try engine.reader(.snapshot)
        readers.append(reader)
        return try rows(plan, arguments, on: reader)
    }

    func end() { for reader in readers { reader.end() } }
}

final class MutantWriter: MutantSession, StorageWriter {
    private let writer: any StorageWriter
    private let state: MutantState
    private let committed: any StorageEngine
    /// The contents before the last commit when this transaction began.
    private let earlier: (any StorageReader)?
    private var hasWritten = false
    private var hasMadeTable = false
    /// The rows before each write of the savepoint that runs, if they are kept.
    private var former: [(write: Write, rows: [[Value]])]?
    /// The error with which the transaction must fail although its body has not.
    private(set) var poison: StorageError?

    init(
        _ writer: any StorageWriter, _ fault: Fault, state: MutantState, committed: any StorageEngine,
        earlier: (any StorageReader)?
    ) {
        self.writer = writer
        self.state = state
        self.committed = committed
        self.earlier = earlier
        super.init(writer, fault)
    }

    override func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        switch fault.transaction {
        case .ownWritesUnseen: break
        case .looksUpEarlier where plan.findsRecords && hasWritten: break
        case .looksUpEarlier where plan.findsRecords:
            guard let rows = try? earlier.map({ try collect($0.rows(plan, arguments), width: plan.query.width) }) else {
                return try super.rows(plan, arguments)
            }
            return Cursor(rows: rows, columns: plan.query.width)
        case .choosesAll where plan.choosesRecords:
            var query = plan.query
            query.filter = nil
            return try writer.rows(
                QueryPlan(id: nil, query: query, table: plan.table, tables: plan.tables), arguments)
        default: return try super.rows(plan, arguments)
        }
        let reader = try committed.reader(.snapshot)
        defer { reader.end() }
        return Cursor(
            rows: try collect(reader.rows(plan, arguments), width: plan.query.width), columns: plan.query.width)
    }

    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        hasWritten = true
        if hasMadeTable, fault.transaction == .losesWritesOfNewTables { return batch.count }
        let isKept = former != nil
        guard
            fault.write != nil || fault.written != nil || fault.count != nil || isKept
                || fault.transaction == .uniqueStaysTaken
        else { return try writer.write(batch) }
        var write = Write(batch)
        if isKept, write.isPut { try keepFormer(write) }
        if fault.transaction == .uniqueStaysTaken { try state.refuseTaken(write) }
        if let written = fault.written { write.map(written) }
        try fault.write?(&write, writer)
        let count = try write.run(on: writer)
        return fault.count?(count, write) ?? count
    }

    override func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 {
        let key = try writer.greatestKey(in: table)
        return try fault.greatestKey?(key, table, writer, state) ?? key
    }

    /// Remembers the stored rows that a write replaces.
    private func keepFormer(_ write: Write) throws(StorageError) {
        var stored: [[Value]] = []
        for row in write.rows { if let old = try write.stored(row, writer) { stored.append(old) } }
        former?.append((write, stored))
    }

    /// Stores what each of the writes has replaced, the first one first.
    private func restoreForwards() throws(StorageError) {
        for (write, rows) in former ?? [] where !rows.isEmpty {
            var restoring = write
            (restoring.operation, restoring.rows) = (.upsert, rows)
            _ = try restoring.run(on: writer)
        }
        former = nil
    }

    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        guard fault.transaction == .savepointKeepsFailure else {
            let isOutermost = former == nil
            if fault.transaction == .savepointUndoneForwards { former = former ?? [] }
            do {
                try writer.savepoint(body)
                if isOutermost { former = nil }
                return
            } catch {
                try restoreForwards()
                if fault.transaction == .savepointFailureUndoesAll { poison = error }
                throw error
            }
        }
        try body()
    }

    func change(_ change: TableChange) throws(StorageError) {
        if case .create = change { hasMadeTable = true }
        for change in try fault.change?(change) ?? [change] {
            do throws(StorageError) {
                try writer.change(change)
            } catch {
                guard fault.acceptsEqualValues, error.code == .constraint,
                    case .alter(let old, var new, let added) = change
                else { throw error }
                for index in new.columns.indices { new.columns[index].isUnique = false }
                try writer.change(.alter(from: old, to: new, added: added))
            }
        }
    }
}

/// A writer that readers on other threads ask too, one call at a time: what they see is wrong, and their memory is not.
///
/// Unchecked: each call holds the lock, which is recursive because a savepoint's body calls again. A cursor of the in-memory
/// engine reads a copy of the tables.
final class UncommittedWriter: StorageWriter, @unchecked Sendable {
    private let writer: any StorageWriter
    private let lock = NSRecursiveLock()

    init(_ writer: any StorageWriter) { self.writer = writer }

    func tables() throws(StorageError) -> [TableSchema] {
        lock.lock()
        defer { lock.unlock() }
        return try writer.tables()
    }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        lock.lock()
        defer { lock.unlock() }
        return try writer.rows(plan, arguments)
    }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 {
        lock.lock()
        defer { lock.unlock() }
        return try writer.greatestKey(in: table)
    }

    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        lock.lock()
        defer { lock.unlock() }
        return try writer.write(batch)
    }

    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        lock.lock()
        defer { lock.unlock() }
        try writer.savepoint(body)
    }

    func change(_ change: TableChange) throws(StorageError) {
        lock.lock()
        defer { lock.unlock() }
        try writer.change(change)
    }
}
