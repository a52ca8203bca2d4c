import StorageDriver

/// The indexes that are made outside the transaction that declares them: for each, `storage_info` has a row with its name.
///
/// A plain index gets its row in the transaction that records it, and loses it when the index is complete. A unique one gets
/// the row before it is made, and loses it in the transaction that records it. So an unfinished index is found by
/// its row: if a table's definition has it, it is made, otherwise dropped.
package enum UnbuiltIndexes {
    private static let prefix = "index "

    /// A condition that is true if an index has a row.
    static func exist(_ names: Names) -> String {
        "EXISTS (SELECT FROM \(names.own("storage_info")) WHERE key LIKE '\(prefix)%')"
    }

    /// The names of the indexes.
    package static func list(_ names: Names) -> Statement {
        Statement(
            "SELECT substr(key, \(prefix.utf8.count + 1)) FROM \(names.own("storage_info")) "
                + "WHERE key LIKE '\(prefix)%' ORDER BY key")
    }

    /// - Parameter table: the name of the table, for people.
    static func add(_ index: String, of table: String, _ names: Names) -> String {
        "INSERT INTO \(names.own("storage_info")) VALUES (\((prefix + index).literal), \(table.literal)) "
            + "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    }

    static func remove(_ index: String, _ names: Names) -> String {
        "DELETE FROM \(names.own("storage_info")) WHERE key = \((prefix + index).literal)"
    }

    static func rename(_ index: String, to new: String, _ names: Names) -> String {
        "UPDATE \(names.own("storage_info")) SET key = \((prefix + new).literal) WHERE key = \((prefix + index).literal)"
    }
}

/// An index of a column, perhaps under the name that the column's index has after a change.
struct ColumnIndex {
    let table: TableSchema
    let column: Int
    /// The name, without quotes and without the schema.
    let name: String

    init(_ column: Int, of table: TableSchema, name: String? = nil) {
        (self.table, self.column) = (table, column)
        self.name = name ?? Names.index(table.columns[column], of: table)
    }

    var property: String { table.columns[column].property }

    var model: String { table.path.first ?? table.name }

    /// The index of this name that a definition records; nil if none does.
    static func recorded(_ name: String, in tables: [TableSchema]) -> ColumnIndex? {
        for table in tables {
            for column in table.indexedColumns where Names.index(table.columns[column], of: table) == name {
                return ColumnIndex(column, of: table)
            }
        }
        return nil
    }
}

/// The making of the indexes that a change of a table adds.
struct IndexMaking {
    /// The columns whose index is complete.
    var existing: Set<Int> = []
    /// The columns whose index is made after the transaction.
    var later: Set<Int> = []
}
