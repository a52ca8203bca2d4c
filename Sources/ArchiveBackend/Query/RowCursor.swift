internal import StorageDriver

/// A cursor's source over rows where they lie: a row's columns become cells that point at its bytes.
///
/// Used by one thread at a time.
final class RowCursor: CursorSource {
    private let cells: UnsafeMutablePointer<Cell>
    private let columns: UnsafeMutablePointer<Int>
    private let width: Int
    private let format: RowFormat
    // Exclusivity is not checked at run time: no access to this lasts beyond one call of it, which does not reach it again.
    @exclusivity(unchecked) private var next: () throws(StorageError) -> UnsafeRawPointer?
    private var error: StorageError?

    /// - Parameter next: gives row after row, and keeps their pages alive.
    init(_ columns: [Int], _ format: RowFormat, _ next: @escaping () throws(StorageError) -> UnsafeRawPointer?) {
        width = columns.count
        cells = .allocate(capacity: max(width, 1))
        cells.initialize(repeating: .null, count: max(width, 1))
        self.columns = .allocate(capacity: max(width, 1))
        for (index, column) in columns.enumerated() { (self.columns + index).initialize(to: column) }
        self.format = format
        self.next = next
    }

    deinit {
        cells.deallocate()
        columns.deallocate()
    }

    /// The cursor keeps the source alive, so the unretained context and the cells stay valid.
    var cursor: Cursor {
        Cursor(source: self, context: Unmanaged.passUnretained(self).toOpaque(), cells: UnsafePointer(cells)) {
            Unmanaged<RowCursor>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.step() }
        }
    }

    private func step() -> Int32 {
        let found: UnsafeRawPointer?
        do throws(StorageError) {
            found = try next()
        } catch {
            self.error = error
            return -1
        }
        guard let row = found else { return 0 }
        var index = 0
        while index < width {
            cells[index] = format.cell(columns[index], of: row)
            index += 1
        }
        return 1
    }

    func failure() -> StorageError { error ?? StorageError(.io, "The rows cannot be read.") }

    func finish() { next = { nil } }
}
