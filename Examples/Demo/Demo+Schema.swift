import StorageAPI
import StorageDriver
import TerminalOutput

extension Demo {
    /// Shows the tables as the store itself records them, which any program can read without knowing the models.
    func showSchema() throws {
        report.section(
            "The schema of each table, as the store records it",
            """
            let reader = try store.engine(as: (any StorageEngine).self)?.reader(.query)
            let tables = try reader?.tables()
            """)
        for table in try recordedTables() {
            report.say("\(table.name), one row for each \(table.isRoot ? "" : "owned ")record")
            report.blank()
            report.table(Self.columns(of: table))
            report.blank()
        }
        report.say("What a record owns is found by the record's key, in the order of the places.")
    }

    private func recordedTables() throws -> [TableSchema] {
        let reader = try store.engine(as: (any StorageEngine).self)?.reader(.query)
        defer { reader?.end() }
        return try reader?.tables() ?? []
    }

    private static func columns(of schema: TableSchema) -> TextTable {
        var table = TextTable("column", "type", "nil", "what it is")
        for (index, column) in schema.columns.enumerated() {
            let isKey = schema.key.contains(index)
            table.add(
                column.name, column.type.description, column.isOptional ? "yes" : "no",
                column.meaning(isKey: isKey))
        }
        return table
    }
}

extension ColumnSchema {
    fileprivate func meaning(isKey: Bool) -> String {
        let marks = [(isKey, "key"), (isIndexed, "indexed"), (isUnique, "unique"), (isRemoved, "no longer declared")]
        let names = marks.filter(\.0).map(\.1) + [roleName].compactMap { $0 }
        return names.joined(separator: ", ")
    }

    /// The role of a column that holds no property; nil for a property's column, as most are.
    private var roleName: String? {
        switch role {
        case .property: nil
        case .presence: "whether the array is there"
        case .owner: "the owner's \(property)"
        case .position: "place in \(property)"
        case .node: "number within the root"
        case .parent: "number of the owner"
        }
    }
}
