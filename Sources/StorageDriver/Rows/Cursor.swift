/// The object that backs a backend's cursor. It has the error of a failed step, and releases the cursor's resources.
public protocol CursorSource: AnyObject {
    /// The error of a step that returned -1.
    func failure() -> StorageError
    /// Called once, when the cursor is released. No step follows.
    func finish()
}

/// The rows of a query, one at a time.
///
/// A backend makes a cursor from rows of values, by `init(rows:columns:)`, or from pointers: then one C call for each
/// row fills cells in the backend's memory. In both cases the cells of a row are valid until the next step.
@frozen
public struct Cursor: ~Copyable {
    @usableFromInline let source: any CursorSource
    @usableFromInline let context: UnsafeMutableRawPointer
    @usableFromInline let step: @convention(c) (UnsafeMutableRawPointer) -> Int32
    /// The cells of the current row: as many as the query has columns.
    public let cells: UnsafePointer<Cell>

    /// A cursor over a backend's memory.
    ///
    /// - Parameters:
    ///   - source: keeps `context` and `cells` alive; its `finish()` is called when the cursor is released.
    ///   - context: the argument of `step`.
    ///   - cells: the memory that `step` fills with a row: as many cells as the query has columns.
    ///   - step: moves to the next row and returns 1, or 0 after the last, or -1 for a failure, whose error `source`
    ///     then returns. It is not called again after 0 or -1.
    @inlinable
    public init(
        source: any CursorSource, context: UnsafeMutableRawPointer, cells: UnsafePointer<Cell>,
        step: @escaping @convention(c) (UnsafeMutableRawPointer) -> Int32
    ) {
        self.source = source
        self.context = context
        self.cells = cells
        self.step = step
    }

    deinit { source.finish() }

    /// Moves to the next row; false after the last.
    @inlinable @inline(__always)
    public mutating func next() throws(StorageError) -> Bool {
        let state = step(context)
        if state < 0 { throw source.failure() }
        return state > 0
    }
}

extension Cursor {
    /// A cursor over rows of values.
    ///
    /// - Parameters:
    ///   - rows: the rows, which the cursor reads one by one as it moves.
    ///   - columns: the number of values in each row.
    public init(rows: some Sequence<[Value]>, columns: Int) {
        var iterator = rows.makeIterator()
        self.init(columns: columns) { iterator.next() }
    }

    /// A cursor over rows of values that a closure makes, one at a time.
    ///
    /// - Parameters:
    ///   - columns: the number of values in each row.
    ///   - next: returns row after row, then nil. An error ends the rows, and the step throws it.
    public init(columns: Int, next: @escaping () throws(StorageError) -> [Value]?) {
        let source = ValueRows(columns: columns, next)
        // `source` is kept alive by the cursor, so the unretained context and the cells stay valid.
        self.init(
            source: source, context: Unmanaged.passUnretained(source).toOpaque(), cells: UnsafePointer(source.cells)
        ) {
            Unmanaged<ValueRows>.fromOpaque($0).takeUnretainedValue().step()
        }
    }
}

/// Rows of values as a cursor's source: the current row's bytes are copied, so its cells can point at them.
private final class ValueRows: CursorSource {
    let cells: UnsafeMutablePointer<Cell>
    private let columns: Int
    private var arena = Arena()
    private var nextRow: () throws(StorageError) -> [Value]?
    private var error: StorageError?

    init(columns: Int, _ next: @escaping () throws(StorageError) -> [Value]?) {
        cells = .allocate(capacity: max(columns, 1))
        cells.initialize(repeating: .null, count: max(columns, 1))
        self.columns = columns
        nextRow = next
    }

    deinit { cells.deallocate() }

    func step() -> Int32 {
        do throws(StorageError) {
            guard let row = try nextRow() else { return 0 }
            guard row.count == columns else { return -1 }
            arena.reset()
            for (index, value) in row.enumerated() { cells[index] = arena.cell(for: value) }
            return 1
        } catch {
            self.error = error
            return -1
        }
    }

    func failure() -> StorageError {
        error ?? StorageError(.corrupt, "A row has another number of values than the query has columns.")
    }

    func finish() {
        nextRow = { () throws(StorageError) in nil }
    }
}

extension Arena {
    /// A cell for a value, its bytes copied into the arena.
    package mutating func cell(for value: Value) -> Cell {
        switch value {
        case .null: .null
        case .int(let value): .int(value)
        case .unsigned(let value): .unsigned(value)
        case .double(let value): .double(value)
        case .text(var value): value.withUTF8 { bytes(UnsafeRawBufferPointer($0), .text) }
        case .blob(let value): value.withUnsafeBytes { bytes($0, .blob) }
        }
    }

    private mutating func bytes(_ source: UnsafeRawBufferPointer, _ tag: Cell.Tag) -> Cell {
        // No stored value is longer than a cell can express, so no record has a key of that length.
        guard let length = UInt32(exactly: source.count) else { return .null }
        return copy(Cell(bits: UInt64(UInt(bitPattern: source.baseAddress)), length: length, tag: tag))
    }
}
