import StorageDriver

/// The rows of a query, each of which is shown to a closure before it is given, and then their end as nil.
package final class WatchedRows: CursorSource {
    // Exclusivity is not checked at run time: no access to it lasts beyond one statement of this class.
    @exclusivity(unchecked) private var rows: Cursor
    private let show: (UnsafePointer<Cell>?) -> Void
    private var error: StorageError?

    package init(_ rows: consuming Cursor, _ show: @escaping (UnsafePointer<Cell>?) -> Void) {
        self.rows = rows
        self.show = show
    }

    /// The rows as a cursor. It keeps this object alive, and with it the inner cursor and its cells, so the unretained
    /// context stays valid.
    package var cursor: Cursor {
        Cursor(source: self, context: Unmanaged.passUnretained(self).toOpaque(), cells: rows.cells) {
            Unmanaged<WatchedRows>.fromOpaque($0).takeUnretainedValue().step()
        }
    }

    private func step() -> Int32 {
        do throws(StorageError) {
            let isRow = try rows.next()
            show(isRow ? rows.cells : nil)
            return isRow ? 1 : 0
        } catch {
            self.error = error
            return -1
        }
    }

    package func failure() -> StorageError { error ?? StorageError(.io, "The row could not be read.") }

    package func finish() {}
}
