import StorageDriver

extension Cursor {
    /// The first values of each of the remaining rows.
    package consuming func rows(width: Int) throws(StorageError) -> [[Value]] {
        var rows: [[Value]] = []
        while try next() { rows.append((0..<width).map { cells[$0].value }) }
        return rows
    }

    /// The first values of the remaining rows, row after row.
    package consuming func list(width: Int) throws(StorageError) -> ValueList {
        var list = ValueList(width: width, values: [])
        while try next() {
            for cell in 0..<width { list.values.append(cells[cell].value) }
        }
        return list
    }

    /// Copies of the remaining rows.
    package consuming func buffered(width: Int) throws(StorageError) -> BufferedRows {
        let buffer = BufferedRows(width: width)
        while try next() { buffer.add(cells) }
        return buffer
    }
}
