package import StorageDriver

extension String {
    /// The text as an SQL literal, which means the same whatever `standard_conforming_strings` is.
    package var literal: String {
        let backslash = UInt8(ascii: "\\")
        guard utf8.contains(backslash) else { return quotedText }
        var bytes: [UInt8] = []
        for byte in utf8 {
            if byte == backslash { bytes.append(backslash) }
            bytes.append(byte)
        }
        return "E" + String(decoding: bytes, as: UTF8.self).quotedText
    }

    /// A hash that is the same in every process.
    var stableHash: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}

/// Names in the schema that is the store.
package struct Names: Sendable {
    /// The maximum number of bytes of a name. PostgreSQL cuts longer ones without an error.
    static let bytes = 63
    /// Every table has these columns already.
    private static let systemColumns = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"]

    /// The schema's name in SQL.
    let schema: String

    /// The number of partitions of each table that the store makes.
    let partitions: Int
    /// The size of the partitions by ranges that the tables of a model get.
    let ranges: [String: PostgreSQLBackend.KeySpan]
    /// The tables that other software made.
    let foreign = ForeignCatalog()
    /// The store's tables with partitions by ranges of the key.
    var ranged: RangedTables { foreign.ranged }
    /// The conversions of the columns among a plan's tables.
    private(set) var conversions: [String: [ForeignConversion]] = [:]
    /// The names of the numbers that the server counts for the rows of a plan's tables, by the tables' names.
    private var numbers: [String: String] = [:]

    package init(schema: String) {
        (self.schema, partitions, ranges) = (schema.quotedName, 1, [:])
    }

    init(_ configuration: PostgreSQLBackend) {
        (schema, partitions) = (configuration.schema.quotedName, configuration.partitions)
        ranges = configuration.ranges
    }

    /// The names in SQL that is compiled for some tables.
    func with(_ tables: [TableSchema]) throws(StorageError) -> Names {
        var names = self
        for table in tables where table.isForeign { names.conversions[table.name] = try foreign.conversions(of: table) }
        return names
    }

    /// The names in the SQL of a query.
    func with(_ plan: QueryPlan) throws(StorageError) -> Names {
        var names = try with(plan.tables)
        for (table, number) in plan.countedTables { names.numbers[table.name] = table.columns[number].sqlName }
        return names
    }

    /// A table in SQL. The schema is always named, so that the SQL does not depend on a connection's search path.
    func table(_ name: String) -> String { "\(schema).\(Self.fitting(name).quotedName)" }

    package func table(_ table: TableSchema) -> String { self.table(table.name) }

    /// A table's rows in SQL, without rows of tables that inherit from it, which are records of other models. A partitioned
    /// table has all of its rows in its partitions.
    func rows(of table: TableSchema) -> String {
        let particulars = foreign.particulars(of: table.name)
        let rows = particulars.isPartitioned || particulars.isView ? self.table(table) : "ONLY " + self.table(table)
        return numbers[table.name].map { "(SELECT row_number() OVER () AS \($0), * FROM \(rows))" } ?? rows
    }

    /// The qualified name of an object that belongs to the store.
    package func own(_ name: String) -> String { "\(schema).\(name.quotedName)" }

    static func column(_ name: String) -> String { fitting(name).quotedName }

    /// The name as PostgreSQL can have it: a long or taken one ends with its hash.
    private static func fitting(_ name: String) -> String {
        if name.utf8.count <= bytes, !systemColumns.contains(name) { return name }
        var start = ""
        for scalar in name.unicodeScalars {
            guard start.utf8.count + String(scalar).utf8.count <= 44 else { break }
            start.unicodeScalars.append(scalar)
        }
        return start + "~" + name.stableHash
    }

    /// The name of a column's index. Indexes and tables share their names, and no table's begins with storage_.
    package static func index(_ column: ColumnSchema, of table: TableSchema) -> String {
        index(column, of: table, isUnique: column.isUnique)
    }

    /// The name of a column's index if the program may know an older version of the table.
    static func index(_ column: ColumnSchema, of table: TableSchema, isUnique: Bool) -> String {
        let kind = isUnique ? "unique" : "index"
        return "storage_\(kind)_" + "\(table.name.utf8.count) \(table.name) \(column.name)".stableHash
    }

    /// The name of a table's primary key.
    package static func key(of table: TableSchema) -> String { "storage_key_" + table.name.stableHash }
}

extension ColumnSchema {
    /// The column's name in SQL.
    package var sqlName: String { Names.column(name) }
}

extension Value {
    /// The value as an SQL literal, for the defaults of added columns, which take no parameters.
    func literal(_ type: ColumnType) -> String {
        // A column has one collation, which its type has named.
        let cast = "::" + (type.sql.form == .text ? "text" : type.sql.declared)
        switch self {
        case .null: return "NULL"
        case .int(let value): return type == .bool ? (value == 0 ? "false" : "true") : "'\(value)'\(cast)"
        case .unsigned(let value): return "'\(value)'\(cast)"
        case .double(let value):
            let text = value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : "\(value)"
            return "'\(text)'\(cast)"
        case .text(let text):
            return (type.sql.form == .text ? EscapedText.escaped(text) : text).literal + cast
        case .blob(let bytes):
            let digits = Hexadecimal.text(of: bytes)
            return type == .uuid ? "'\(digits)'::uuid" : "decode('\(digits)', 'hex')"
        }
    }
}
