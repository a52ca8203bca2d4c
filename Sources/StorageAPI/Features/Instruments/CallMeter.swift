import StorageDriver

/// Counts the rows and bytes that a call reads and writes.
///
/// Used by one thread at a time, as the call is.
final class CallMeter {
    struct Counts {
        var rowsRead = 0
        var rowsWritten = 0
        var bytesRead = 0
        var bytesWritten = 0
    }

    // Exclusivity is not checked at run time: no access to it lasts beyond one statement of this class.
    @exclusivity(unchecked) private(set) var counts = Counts()

    /// Resets the counts, because the write was undone and runs again.
    func restart() { counts = Counts() }

    /// The rows of a query, which are counted as they are read.
    func counting(_ rows: consuming Cursor, width: Int) -> Cursor {
        WatchedRows(rows) { cells in
            guard let cells else { return }
            self.counts.rowsRead += 1
            self.counts.bytesRead += self.bytes(cells, count: width)
        }.cursor
    }

    func addWritten(_ batch: borrowing RowBatch) {
        counts.rowsWritten += batch.count
        counts.bytesWritten += bytes(batch.cells, count: batch.count * batch.width)
    }

    /// Counts rows that the engine has found and deleted by itself.
    func addDeleted(_ count: Int) { counts.rowsWritten += count }

    private func bytes(_ cells: UnsafePointer<Cell>, count: Int) -> Int {
        var bytes = 0
        for index in 0..<count {
            switch cells[index].tag {
            case .null: break
            case .text, .blob: bytes += cells[index].bytes.count
            default: bytes += 8
            }
        }
        return bytes
    }
}
