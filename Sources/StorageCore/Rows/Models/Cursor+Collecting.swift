import StorageDriver

extension Cursor {
    /// The first values of each of the remaining rows.
    package consuming func rows(width: Int) throws(StorageError) -> [[Value]] {
        var rows: [[Value]] = []
        while try next() { rows.append((0..<width).map { cells[$0].value }) }
        return rows
    }

    /// The keys that the remaining rows begin with.
    package consuming func keys(width: Int) throws(StorageError) -> KeyList {
        let parts = Array(0..<width)
        var keys = KeyList(width: width)
        while try next() { keys.append(parts, of: cells) }
        return keys
    }

    /// Copies of the remaining rows.
    package consuming func buffered(width: Int) throws(StorageError) -> BufferedRows {
        let buffer = BufferedRows(width: width)
        while try next() { buffer.add(cells) }
        return buffer
    }
}
