import StorageDriver

/// The rows that a record had in one table, under the names by which they were stored.
struct ImageTable {
    /// The properties that lead from the record to the rows; empty for the record's root row.
    var path: StoredPath
    var columns: [Column]
    var rows: [[Value]]

    struct Column {
        var role: UInt8
        var property: StoredName

        init(role: UInt8, property: StoredName) {
            self.role = role
            self.property = property
        }

        /// True if it is data. The other columns identify a row's place.
        var isData: Bool { role < 2 }
    }

    /// The tables of an image.
    ///
    /// - Throws: `corrupt` for bytes that are no image.
    static func all(of image: RecordImage) throws(StorageError) -> [ImageTable] {
        var reader = ImageReader(image.bytes)
        guard (1...RecordImage.version).contains(try reader.byte()) else { throw ImageReader.damaged }
        var tables: [ImageTable] = []
        while !reader.isAtEnd {
            var path: StoredPath = []
            for _ in 0..<(try reader.count()) { path.append(StoredName(try reader.string())) }
            var columns: [Column] = []
            for _ in 0..<(try reader.count()) {
                columns.append(Column(role: try reader.byte(), property: StoredName(try reader.string())))
            }
            var rows: [[Value]] = []
            let count = try reader.count()
            // A row has at least one value.
            guard count == 0 || !columns.isEmpty else { throw ImageReader.damaged }
            for _ in 0..<count {
                var row: [Value] = []
                for _ in columns { row.append(try reader.value()) }
                rows.append(row)
            }
            tables.append(ImageTable(path: path, columns: columns, rows: rows))
        }
        return tables
    }

    /// Returns whether the rows belong to a recorded table.
    func isOf(_ schema: TableSchema) -> Bool { schema.storedPath.dropFirst().elementsEqual(path) }

    /// Returns the index of a property's values.
    func place(of property: StoredName, _ role: UInt8) -> Int? {
        columns.firstIndex { $0.role == role && $0.property == property }
    }

    /// Returns whether some row has a value in a column.
    func hasValues(_ column: Int) -> Bool { rows.contains { !$0[column].isNull } }

    mutating func remove(_ column: Int) {
        columns.remove(at: column)
        for row in rows.indices { rows[row].remove(at: column) }
    }
}
