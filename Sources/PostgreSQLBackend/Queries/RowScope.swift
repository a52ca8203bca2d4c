internal import StorageDriver

/// The row in scope: a table's, by its alias, or a group's.
struct RowScope {
    private let columns: [String]
    private let beginnings: [String?]
    private let key: [Int]
    /// The number of the table's alias.
    let alias: Int
    let types: [ColumnType]
    let table: String
    private let stored: [String]
    private let conversions: [ForeignConversion]?

    init(_ table: TableSchema, alias: Int, _ names: Names) {
        let stored = table.columns.map { "t\(alias)." + $0.sqlName }
        (self.stored, self.alias) = (stored, alias)
        conversions = table.isForeign ? names.conversions[table.name] : nil
        columns =
            conversions.map { zip($0, stored).map { $0.reading($1) } }
            ?? zip(table.columns, stored).map { $0.type.compared($1) }
        var beginnings: [String?] = columns.map { _ in nil }
        let indexes = table.isForeign ? [] : table.indexes
        for column in indexes.joined() where table.columns[column].type.isUnbounded {
            beginnings[column] = table.columns[column].type.beginning(self.columns[column])
        }
        self.beginnings = beginnings
        key = table.key.filter { !table.columns[$0].isOptional }
        types = table.columns.map(\.type)
        self.table = "\(names.rows(of: table)) AS t\(alias)"
    }

    init(results: [ColumnType]) {
        columns = results.indices.map { "g.c\($0)" }
        beginnings = results.map { _ in nil }
        types = results
        key = []
        (table, alias) = ("", -1)
        (stored, conversions) = ([], nil)
    }

    func column(_ index: Int) -> String { columns[index] }

    /// Returns whether a column is a part of the table's key that is never null.
    func isInKey(_ index: Int) -> Bool { key.contains(index) }

    /// Returns the SQL of a result column.
    func output(_ index: Int) -> String {
        conversions?[index].output(stored[index]) ?? types[index].output(columns[index])
    }

    /// Returns the SQL condition that a column equals a parameter.
    func equality(_ index: Int, _ type: ColumnType, parameter: Int) -> String {
        conversions?[index].equality(stored[index], type.plainParameter(parameter))
            ?? "\(columns[index]) = \(type.parameter(parameter))"
    }

    /// Returns the SQL condition that a column equals an element of a list.
    func isIn(_ index: Int, _ list: String) -> String {
        conversions?[index].equality(stored[index], list, isList: true) ?? "\(columns[index]) = ANY (\(list))"
    }

    /// The prefix of a column's value, if the column's index has only that.
    func beginning(_ index: Int) -> String? { beginnings[index] }
}
