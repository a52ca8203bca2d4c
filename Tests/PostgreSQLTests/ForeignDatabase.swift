import Foundation
import PostgreSQLBackend
import SQLiteBackend
import StorageDriver
import StorageKit

/// Chinook, as a database of SQLite that other software has made.
func chinook() throws -> SQLiteBackend {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Examples/Data/chinook/Chinook_Sqlite.sqlite")
    return try SQLiteBackend(url: StorageURL("sqlite:\(file.standardizedFileURL.path)?readonly=true"))
}

/// Tables and their rows as plain SQL, with the types that are usual in PostgreSQL.
struct PlainSQL {
    private(set) var text = ""

    init(_ store: Store, schema: String) async throws {
        let tables = try await store.schema()
        text = "SET search_path TO \"\(schema)\";\n"
        for table in tables { create(table) }
        for table in tables { try await insert(store.records(table.name).all(), into: table) }
        for table in tables { connect(table, with: tables) }
    }

    private mutating func create(_ table: TableSchema) {
        let columns = table.columns.map {
            "\"\($0.name)\" \(Self.name(of: $0.type))" + ($0.isOptional ? "" : " NOT NULL")
        }
        let key = table.key.map { "\"\(table.columns[$0].name)\"" }.joined(separator: ", ")
        text += "CREATE TABLE \"\(table.name)\" (\(columns.joined(separator: ", ")), PRIMARY KEY (\(key)));\n"
    }

    private static func name(of type: ColumnType) -> String {
        switch type {
        case .int64: "integer"
        case .date: "timestamp"
        case .decimal: "numeric(10,2)"
        default: "varchar(220)"
        }
    }

    private mutating func insert(_ records: [DynamicRecord], into table: TableSchema) {
        let rows = records.map { record in
            "(" + table.columns.map { Self.literal(record.value($0.name), $0.type) }.joined(separator: ", ") + ")"
        }
        text += "INSERT INTO \"\(table.name)\" VALUES\n\(rows.joined(separator: ",\n"));\n"
    }

    private static func literal(_ value: Value?, _ type: ColumnType) -> String {
        switch (value, type) {
        case (.int(let number), _): "\(number)"
        case (.double(let seconds), _): "timestamp '2001-01-01' + interval '\(seconds) seconds'"
        case (.text(let text), .decimal): text
        case (.text(let text), _): "'\(text.replacing("'", with: "''"))'"
        default: "NULL"
        }
    }

    private mutating func connect(_ table: TableSchema, with tables: [TableSchema]) {
        for column in table.columns {
            if column.isIndexed { text += "CREATE INDEX ON \"\(table.name)\" (\"\(column.name)\");\n" }
            guard let target = column.reference, let other = tables.first(where: { $0.name == target.model }) else {
                continue
            }
            let key = other.columns[other.key[0]].name
            text +=
                "ALTER TABLE \"\(table.name)\" ADD FOREIGN KEY (\"\(column.name)\") REFERENCES \"\(other.name)\" (\"\(key)\");\n"
        }
    }
}

extension Server {
    /// Runs a test in a schema in which other software has made tables.
    static func withForeignSchema<T>(_ sql: String..., body: (String) async throws -> T) async throws -> T {
        try await withSchema { schema in
            try await run(
                "CREATE SCHEMA \"\(schema)\"; SET search_path TO \"\(schema)\", public;\n"
                    + sql.joined(separator: ";\n"))
            return try await body(schema)
        }
    }

    /// Gives any number of statements to psql.
    static func run(_ sql: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sql")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(sql.utf8).write(to: file)
        try await psql("\\i \(file.path)")
    }
}
