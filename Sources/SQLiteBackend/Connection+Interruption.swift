internal import CSQLite
internal import StorageDriver

extension Connection {
    /// Ends a reader's statements when their task is cancelled.
    ///
    /// Checked on the reading thread, once in some thousand instructions of a statement. Not for a writer: another task may wait
    /// on its thread, and an interrupted write ends the transaction of all who wait.
    func watchCancellation() {
        if isWriter {
            sqlite3_progress_handler(database, 0, nil, nil)
        } else {
            sqlite3_progress_handler(database, 10_000, { _ in Task.isCancelled ? 1 : 0 }, nil)
        }
    }

    /// Runs a body whose statements end with `cancelled` after about so many instructions of SQLite's virtual machine each.
    func limiting(instructions: Int32, _ body: () throws(StorageError) -> Void) throws(StorageError) {
        sqlite3_progress_handler(database, instructions, { _ in 1 }, nil)
        defer { watchCancellation() }
        try body()
    }
}
