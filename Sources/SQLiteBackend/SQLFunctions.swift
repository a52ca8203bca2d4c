internal import CSQLite
internal import StorageDriver

/// The functions that StorageDriver defines and SQLite lacks: folding, patterns, arrays, exact arithmetic and sums.
final class SQLFunctions {
    /// The error of a function that failed. SQLite itself can only carry a text.
    private var failure: StorageError?

    private static let operations: [Arithmetic] = [.add, .subtract, .multiply, .divide, .remainder]
    private static let tests: [TextTest] = [.hasPrefix, .hasSuffix, .contains, .like]
    private static let types = ColumnType.scalars.filter { $0.row.computing != nil }
    private static let metrics: [VectorMetric] = [.cosine, .euclidean]

    // Statements name these by their index.
    static func code(_ operation: Arithmetic) -> Int { operations.firstIndex(of: operation) ?? -1 }
    static func code(_ test: TextTest) -> Int { tests.firstIndex(of: test) ?? -1 }
    static func code(_ type: ColumnType) -> Int { types.firstIndex(of: type) ?? -1 }
    static func code(_ metric: VectorMetric) -> Int { metrics.firstIndex(of: metric) ?? -1 }
    static func code(_ part: DatePart) -> Int { DatePart.allCases.firstIndex(of: part) ?? -1 }

    func takeFailure() -> StorageError? {
        defer { failure = nil }
        return failure
    }

    typealias Scalar = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// Registers the functions. The connection keeps this object as long as the database is open.
    func register(_ database: OpaquePointer) -> Int32 {
        let scalars: [(name: String, arguments: Int32, body: Scalar)] = [
            ("storage_fold", 2, { SQLCall($0, count: $1, values: $2).run(SQLCall.fold) }),
            ("storage_text", 3, { SQLCall($0, count: $1, values: $2).run(SQLCall.testText) }),
            ("storage_folded_text", 4, { SQLCall($0, count: $1, values: $2).run(SQLCall.testFoldedText) }),
            ("storage_has_element", 2, { SQLCall($0, count: $1, values: $2).run(SQLCall.hasElement) }),
            ("storage_element_count", 1, { SQLCall($0, count: $1, values: $2).run(SQLCall.countElements) }),
            ("storage_compute", 4, { SQLCall($0, count: $1, values: $2).run(SQLCall.compute) }),
            ("storage_distance", 3, { SQLCall($0, count: $1, values: $2).run(SQLCall.measure) }),
            ("storage_date_part", 3, { SQLCall($0, count: $1, values: $2).run(SQLCall.takeDatePart) }),
        ]
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let this = Unmanaged.passUnretained(self).toOpaque()
        for scalar in scalars + Self.foreign {
            let code = sqlite3_create_function_v2(
                database, scalar.name, scalar.arguments, flags, this, scalar.body, nil, nil, nil)
            guard code == SQLITE_OK else { return code }
        }
        let sum: Scalar = { SQLCall($0, count: $1, values: $2).step(.sum) }
        let average: Scalar = { SQLCall($0, count: $1, values: $2).step(.average) }
        for (name, step) in [("storage_sum", sum), ("storage_average", average)] {
            let code = sqlite3_create_function_v2(database, name, 2, flags, this, nil, step, Self.end, nil)
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    private static let end: @convention(c) (OpaquePointer?) -> Void = { SQLCall($0, count: 0, values: nil).end() }

    fileprivate static func type(_ code: Int64) -> ColumnType? { element(types, code) }
    fileprivate static func operation(_ code: Int64) -> Arithmetic? { element(operations, code) }
    fileprivate static func metric(_ code: Int64) -> VectorMetric? { element(metrics, code) }
    fileprivate static func datePart(_ code: Int64) -> DatePart? { element(DatePart.allCases, code) }
    fileprivate static func test(_ code: Int64) -> TextTest? { element(tests, code) }

    private static func element<T>(_ list: [T], _ code: Int64) -> T? {
        Int(exactly: code).flatMap { list.indices.contains($0) ? list[$0] : nil }
    }

    fileprivate func fail(_ error: StorageError) { failure = error }
}

/// The state of one aggregate.
private final class SQLAggregate {
    var state: AggregateState
    let type: ColumnType
    let isOfDecimals: Bool

    init(_ function: AggregateFunction, _ type: ColumnType) {
        self.type = type
        isOfDecimals = type == .decimal
        state = AggregateState(Query.Aggregate(function, of: TypedTerm(.null, type)))
    }
}

/// One call of a function by SQLite: its arguments and its result. Both belong to SQLite and are valid during the call.
struct SQLCall {
    private let context: OpaquePointer?
    private let arguments: UnsafeMutableBufferPointer<OpaquePointer?>

    init(_ context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.context = context
        arguments = UnsafeMutableBufferPointer(start: values, count: values == nil ? 0 : Int(count))
    }

    // MARK: Functions

    func fold() throws(StorageError) -> Value {
        guard case .text(let text) = self[1] else { return .null }
        return .text(TextFolding(rawValue: UInt8(truncatingIfNeeded: code(0))).fold(text))
    }

    func testText() throws(StorageError) -> Value {
        guard let test = SQLFunctions.test(code(0)), case .text(let text) = self[1], case .text(let pattern) = self[2]
        else { return .int(0) }
        return .int(test.holds(text, pattern) ? 1 : 0)
    }

    func testFoldedText() throws(StorageError) -> Value {
        guard let test = SQLFunctions.test(code(0)), let text = textBytes(2), let pattern = textBytes(3) else {
            return .int(0)
        }
        let folding = TextFolding(rawValue: UInt8(truncatingIfNeeded: code(1)))
        return .int(test.holds(text, folding: folding, pattern) ? 1 : 0)
    }

    func hasElement() throws(StorageError) -> Value { .int(ArrayElements.contains(self[0], self[1]) ? 1 : 0) }

    func countElements() throws(StorageError) -> Value {
        ArrayElements.count(self[0]).map { .int(Int64($0)) } ?? .null
    }

    func compute() throws(StorageError) -> Value {
        guard let operation = SQLFunctions.operation(code(0)), let type = SQLFunctions.type(code(1)) else {
            throw StorageError(.invalidQuery, "SQLite was asked for an unknown computation.")
        }
        return try operation.apply(number(2, type), number(3, type), as: type)
    }

    func measure() throws(StorageError) -> Value {
        guard let metric = SQLFunctions.metric(code(0)) else {
            throw StorageError(.invalidQuery, "SQLite was asked for an unknown distance.")
        }
        return metric.distance(self[1], self[2])
    }

    func takeDatePart() throws(StorageError) -> Value {
        guard let part = SQLFunctions.datePart(code(0)) else {
            throw StorageError(.invalidQuery, "SQLite was asked for an unknown part of a date.")
        }
        if case .text(let name) = self[2] { return try part.value(of: self[1], in: .named(name)) }
        return try part.value(of: self[1], in: .offset(Int(truncatingIfNeeded: code(2))))
    }

    func run(_ body: (SQLCall) -> () throws(StorageError) -> Value) {
        do {
            try finish(body(self)())
        } catch {
            fail(error)
        }
    }

    // MARK: Aggregates

    func step(_ function: AggregateFunction) {
        guard let place = place(size: MemoryLayout<UnsafeRawPointer?>.size) else {
            return sqlite3_result_error_nomem(context)
        }
        let aggregate: SQLAggregate
        if let known = place.pointee {
            aggregate = Unmanaged<SQLAggregate>.fromOpaque(known).takeUnretainedValue()
        } else {
            guard let type = SQLFunctions.type(code(0)) else { return sqlite3_result_error_nomem(context) }
            aggregate = SQLAggregate(function, type)
            // Held by SQLite's memory until end(), which SQLite calls once, also when the statement is abandoned.
            place.pointee = Unmanaged.passRetained(aggregate).toOpaque()
        }
        // Most decimals are small, and take longer to become a value than to be added.
        if aggregate.isOfDecimals, let text = textBytes(1), aggregate.state.add(decimal: UnsafeRawBufferPointer(text)) {
            return
        }
        do {
            try aggregate.state.add(number(1, aggregate.type))
        } catch {
            fail(error)
        }
    }

    func end() {
        guard let opaque = place(size: 0)?.pointee else { return sqlite3_result_null(context) }
        let aggregate = Unmanaged<SQLAggregate>.fromOpaque(opaque).takeRetainedValue()
        do {
            try finish(aggregate.state.result())
        } catch {
            fail(error)
        }
    }

    private func place(size: Int) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
        sqlite3_aggregate_context(context, Int32(size))?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    // MARK: Values

    private func code(_ index: Int) -> Int64 { arguments.count > index ? sqlite3_value_int64(arguments[index]) : -1 }

    /// The bytes of a text, which are SQLite's; nil for any other value.
    private func textBytes(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        guard index < arguments.count, sqlite3_value_type(arguments[index]) == SQLITE_TEXT else { return nil }
        return Self.bytes(of: arguments[index])
    }

    /// The bytes of a value that is a text; none if SQLite has no memory to end it, after which the statement fails.
    private static func bytes(of text: OpaquePointer?) -> UnsafeBufferPointer<UInt8> {
        let bytes = sqlite3_value_text(text)
        return UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_value_bytes(text)))
    }

    subscript(index: Int) -> Value {
        guard index < arguments.count else { return .null }
        let value = arguments[index]
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .int(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .double(sqlite3_value_double(value))
        case SQLITE_TEXT: return .text(String(decoding: Self.bytes(of: value), as: UTF8.self))
        case SQLITE_BLOB:
            let bytes = sqlite3_value_blob(value)
            let count = bytes == nil ? 0 : Int(sqlite3_value_bytes(value))
            return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
        default: return .null
        }
    }

    /// A number that SQLite stores as text: NaN, or an integer above Int64.max.
    private func number(_ index: Int, _ type: ColumnType) -> Value {
        let value = self[index]
        // A column of other software may store whole numbers as integers.
        if type.storage == .double, case .int(let integer) = value { return .double(Double(integer)) }
        guard type != .decimal, case .text(let text) = value else { return value }
        if text == "NaN", type.storage == .double { return .double(.nan) }
        guard text.utf8.count == Int(CSQLITE_UNSIGNED_DIGITS), let integer = UInt64(text) else { return value }
        return type.storage == .double ? .double(Double(integer)) : Value(unsigned: integer)
    }

    private func finish(_ value: Value) {
        switch value {
        case .null: sqlite3_result_null(context)
        case .int(let value): sqlite3_result_int64(context, value)
        case .double(let value) where !value.isNaN: sqlite3_result_double(context, value)
        case .double: finish(text: "NaN")
        case .unsigned(let value): finish(text: Value.digits(value))
        case .text(let text): finish(text: text)
        case .blob(let bytes):
            bytes.withUnsafeBytes { csqlite_result_blob(context, $0.baseAddress, UInt64($0.count)) }
        }
    }

    private func finish(text: String) {
        var text = text
        text.withUTF8 { csqlite_result_text(context, $0.baseAddress, UInt64($0.count)) }
    }

    private func fail(_ error: StorageError) {
        if let data = sqlite3_user_data(context) {
            // The connection holds its functions as long as the database is open.
            Unmanaged<SQLFunctions>.fromOpaque(data).takeUnretainedValue().fail(error)
        }
        sqlite3_result_error(context, error.message, -1)
    }
}
