internal import CSQLite
internal import Logging
internal import StorageDriver

/// A prepared statement with the memory for its current row; the source of a cursor.
final class Statement: CursorSource {
    private let connection: Connection
    private let handle: OpaquePointer
    private let state: UnsafeMutablePointer<csqlite_cursor>
    private let cells: UnsafeMutablePointer<csqlite_cell>
    private let kinds: UnsafeMutablePointer<UInt8>
    // Exclusivity is not checked at run time: a statement is its connection's, which one thread at a time uses, and no
    // access to this lasts beyond one statement of this class.
    @exclusivity(unchecked) private var lists: [BoundList] = []
    private var began: ContinuousClock.Instant?
    let sql: String
    /// The arguments for which it also takes the end of a prefix.
    let prefixEnds: [Int]
    /// The tables of the plan that the statement was made for, which another process may change; empty where that is
    /// found in another way.
    private let planned: [TableSchema]
    /// The tables that triggers and foreign keys may write when it runs; nil if the database has no triggers and no
    /// foreign keys with actions.
    private let reach: Reactions.Reach?
    /// The error that the current tables are not the ones that were planned for. Unchecked as the lists are.
    @exclusivity(unchecked) private var misfit: StorageError?
    /// True if a cursor uses the statement. Unchecked, like the lists.
    @exclusivity(unchecked) private(set) var isInUse = false

    /// A list of values that a running statement reads.
    private struct BoundList {
        let values: ValueCells
        let pointer: UnsafeMutablePointer<csqlite_list>
    }

    /// - Parameters:
    ///   - kinds: the kind of value to read from each result column; columns beyond the list may have any kind.
    ///   - planned: the tables of the plan that the statement is made for.
    /// - Throws: `schemaMismatch` if these are not stored any more as they were.
    init(
        _ connection: Connection, _ sql: String, kinds wanted: [UInt8] = [], prefixEnds: [Int] = [],
        planned: [TableSchema] = []
    ) throws(StorageError) {
        self.connection = connection
        self.sql = sql
        self.prefixEnds = prefixEnds
        self.planned = planned
        var prepared: OpaquePointer?
        func compile() -> Int32 {
            sqlite3_prepare_v3(connection.database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        }
        let code: Int32
        if connection.reacts {
            let compiled = connection.reactions.reach(of: compile)
            code = compiled.code
            reach = compiled.reach
        } else {
            code = compile()
            reach = nil
        }
        guard code == SQLITE_OK, let prepared else {
            let error = connection.failure(code, doing: "prepare \(sql)", isCompiling: true)
            if code == SQLITE_ERROR { try connection.requireStored(planned) }
            throw error
        }
        handle = prepared
        let count = Int(sqlite3_column_count(prepared))
        cells = .allocate(capacity: max(count, 1))
        cells.initialize(repeating: csqlite_cell(), count: max(count, 1))
        kinds = .allocate(capacity: max(count, 1))
        kinds.initialize(repeating: UInt8(CSQLITE_READ_ANY), count: max(count, 1))
        for (index, kind) in wanted.prefix(count).enumerated() { kinds[index] = kind }
        state = .allocate(capacity: 1)
        state.initialize(
            to: csqlite_cursor(
                statement: prepared, cells: cells, kinds: kinds, count: Int32(count), code: 0, watches: 0,
                compilations: 0, recompiled: Self.recompiled, owner: nil))
        // Only the statement has the state, and releases it when the statement is released.
        state.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
        // Check after SQLite has read the schema, because SQLite recompiles a statement that was compiled for an older
        // schema.
        try connection.requireStored(planned)
    }

    deinit {
        sqlite3_finalize(handle)
        releaseLists()
        state.deallocate()
        cells.deallocate()
        kinds.deallocate()
    }

    /// The number of values in a row of the result.
    var columnCount: Int { Int(state.pointee.count) }

    /// The number of instructions of SQLite's virtual machine that it has run since it was prepared.
    var steps: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    // MARK: Binding

    /// The greatest number of a parameter that the statement names.
    var lastParameter: Int { Int(sqlite3_bind_parameter_count(handle)) }

    /// Binds cells whose bytes stay valid until the statement is reset.
    func bind(_ cells: UnsafePointer<Cell>, count: Int, at first: Int = 1) throws(StorageError) {
        // Cell and csqlite_cell have one layout: two words, which a test of both modules compares.
        let cells = UnsafeRawPointer(cells).assumingMemoryBound(to: csqlite_cell.self)
        try check(csqlite_bind(handle, Int32(first), cells, Int32(count)))
    }

    /// Binds a value, which is copied.
    func bind(_ value: Value, at index: Int) throws(StorageError) {
        let code: Int32
        switch value {
        case .null: code = csqlite_bind_copy(handle, Int32(index), csqlite_cell())
        case .int(let value): code = sqlite3_bind_int64(handle, Int32(index), value)
        case .unsigned(let value): code = bindCopy(value, tag: CSQLITE_UNSIGNED, at: index)
        case .double(let value): code = bindCopy(value.bitPattern, tag: CSQLITE_DOUBLE, at: index)
        case .text(var text):
            code = text.withUTF8 { bindCopy(UnsafeRawBufferPointer($0), tag: CSQLITE_TEXT, at: index) }
        case .blob(let bytes): code = bytes.withUnsafeBytes { bindCopy($0, tag: CSQLITE_BLOB, at: index) }
        }
        try check(code)
    }

    /// Binds a value of the current row of another statement, which is copied as it is.
    func bind(column: Int, of row: Statement, at index: Int) throws(StorageError) {
        let value = sqlite3_column_value(row.handle, Int32(column))
        try check(sqlite3_bind_value(handle, Int32(index), value))
    }

    private func bindCopy(_ bits: UInt64, tag: some BinaryInteger, at index: Int, length: Int = 0) -> Int32 {
        let cell = csqlite_cell(bits: bits, length: UInt32(truncatingIfNeeded: length), tag: UInt32(tag))
        return csqlite_bind_copy(handle, Int32(index), cell)
    }

    private func bindCopy(_ bytes: UnsafeRawBufferPointer, tag: some BinaryInteger, at index: Int) -> Int32 {
        // A cell says the length of its bytes in 32 bits; SQLite's limit is lower.
        guard bytes.count <= Int(UInt32.max) else { return SQLITE_TOOBIG }
        return bindCopy(UInt64(UInt(bitPattern: bytes.baseAddress)), tag: tag, at: index, length: bytes.count)
    }

    /// Binds the least text that is greater than every text with the prefix: its last byte plus one, since 0xFF is not
    /// a byte of UTF-8. For the empty prefix it is an empty blob, which SQLite sorts after all text.
    func bindEnd(ofPrefix prefix: Value, at index: Int) throws(StorageError) {
        guard case .text(let text) = prefix, let last = text.utf8.last else { return try bind(.blob([]), at: index) }
        let end = Array(text.utf8.dropLast()) + [last + 1]
        let code = end.withUnsafeBytes { bindCopy($0, tag: CSQLITE_TEXT, at: index) }
        try check(code)
    }

    /// Binds a list, and retains it until the statement is reset.
    func bind(_ list: ValueList, at index: Int) throws(StorageError) {
        let values = ValueCells(list)
        try bind(values.cells, rows: values.count, width: values.width, at: index, keeping: values)
    }

    /// Binds rows of cells as a list.
    func bind(
        _ cells: UnsafePointer<Cell>, rows: Int, width: Int, at index: Int, keeping values: ValueCells? = nil
    ) throws(StorageError) {
        let pointer = UnsafeMutablePointer<csqlite_list>.allocate(capacity: 1)
        let cells = UnsafeRawPointer(cells).assumingMemoryBound(to: csqlite_cell.self)
        pointer.initialize(to: csqlite_list(cells: cells, count: Int64(rows), width: Int32(width)))
        lists.append(BoundList(values: values ?? ValueCells(ValueList(width: 1, values: [])), pointer: pointer))
        try check(csqlite_bind_list(handle, Int32(index), pointer))
    }

    private func check(_ code: Int32) throws(StorageError) {
        try connection.check(code, doing: "bind a value")
    }

    // MARK: Running

    /// Runs to the end and returns the number of changed rows.
    @discardableResult
    func run() throws(StorageError) -> Int {
        defer { finish() }
        try begin()
        if let reach { connection.reactions.willRun(reach, connection.database) }
        while csqlite_step(state) == 1 {}
        guard state.pointee.code == SQLITE_DONE else { throw failure() }
        let changed = Int(sqlite3_changes(connection.database))
        if let reach { connection.reactions.didRun(reach, changed: changed, connection.database) }
        return changed
    }

    /// The text in the first column of the first row.
    func text() throws(StorageError) -> String? {
        var cursor = try cursor()
        guard try cursor.next(), case .text(let text) = cursor.cells[0].value else { return nil }
        return text
    }

    /// The integer in the first column of the first row.
    func integer() throws(StorageError) -> Int64? {
        var cursor = try cursor()
        return try cursor.next() && cursor.cells[0].tag == .int ? cursor.cells[0].int : nil
    }

    /// The rows. The statement is reset when the cursor is released.
    func cursor() throws(StorageError) -> Cursor {
        try begin()
        isInUse = true
        let cells = UnsafeRawPointer(cells).assumingMemoryBound(to: Cell.self)
        return Cursor(source: self, context: UnsafeMutableRawPointer(state), cells: cells, step: Self.step)
    }

    // A constant, because the 6.3 compiler crashes if the C function is an argument.
    private static let step: @convention(c) (UnsafeMutableRawPointer) -> Int32 = { csqlite_step($0) }

    // As the step.
    private static let recompiled: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { owner in
        guard let owner else { return 0 }
        return Unmanaged<Statement>.fromOpaque(owner).takeUnretainedValue().isRefused ? 1 : 0
    }

    /// True if the current tables differ from the planned ones, after SQLite has recompiled the statement.
    private var isRefused: Bool {
        do throws(StorageError) {
            try connection.requireStored(planned)
            return false
        } catch {
            misfit = error
            return true
        }
    }

    private func begin() throws(StorageError) {
        if connection.hasLostTransaction { try connection.checkTransaction() }
        state.pointee.watches = planned.isEmpty ? 0 : 1
        if connection.logsStatements { began = .now }
    }

    func failure() -> StorageError {
        defer { misfit = nil }
        if let misfit { return misfit }
        let error = connection.failure(state.pointee.code, doing: "run \(sql)")
        // A column that SQLite does not find any more.
        return state.pointee.code == SQLITE_ERROR && isRefused ? misfit ?? error : error
    }

    func finish() {
        sqlite3_reset(handle)
        if !lists.isEmpty { releaseLists() }
        isInUse = false
        if connection.logsStatements, let began {
            connection.logger.trace("\(sql)", metadata: ["duration": "\(ContinuousClock.now - began)"])
        }
    }

    private func releaseLists() {
        for list in lists { list.pointer.deallocate() }
        lists = []
    }
}
