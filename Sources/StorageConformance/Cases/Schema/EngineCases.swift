internal import StorageAPI
import StorageDriver

extension Conformance {
    /// Duties of an engine that the store relies on and seldom shows, asked of the engine itself.
    static let engineCases: [ConformanceCase] = [
        ConformanceCase(
            "engine/order-of-tables", for: [.s4: [1], .s8: [3]],
            "An engine lists its tables in the order in which they were made, whichever of them was altered since."
        ) { t in
            let made = ["First", "Second", "Third"].map(table)
            var tables = made
            tables[0].columns.append(ColumnSchema(name: "more", property: "more", type: .int64, isOptional: true))
            (tables[1].name, tables[1].path) = ("Renamed", ["Renamed"])
            let changes: [[TableChange]] = [
                made.map(TableChange.create), [.alter(from: made[0], to: tables[0], added: [.null])],
                [.alter(from: made[1], to: tables[1], added: [])],
            ]
            let (info, found) = try await asking(t) { engine in
                for changes in changes {
                    try engine.write { (writer) throws(StorageError) in
                        for change in changes { try writer.change(change) }
                    }
                }
                return (engine.info, try listed(engine))
            }
            try t.expect(found == tables, "The engine lists \(found.map(\.name)).")
            guard t.place.outlivesClosing(info) else { return }
            let again = try await asking(t, listed)
            try t.expect(again == tables, "The engine lists \(again.map(\.name)) after it was opened again.")
        },
        ConformanceCase(
            "engine/equal-values", for: [.w13: [1, 2]],
            "An engine refuses to make a column unique in which rows have equal values, and leaves the table as it was."
        ) { t in
            let plain = table("Plain")
            var unique = plain
            unique.columns[1].isUnique = true
            let (before, after) = (plain, unique)
            let (refusal, found) = try await asking(t) { engine in
                try engine.write { (writer) throws(StorageError) in
                    try writer.change(.create(before))
                    try insert(
                        [[.int(1), .text("a")], [.int(2), .text("b")], [.int(3), .text("a")]], into: before, writer)
                }
                var refusal: StorageError?
                do throws(StorageError) {
                    try engine.write { (writer) throws(StorageError) in
                        try writer.change(.alter(from: before, to: after, added: []))
                    }
                } catch {
                    refusal = error
                }
                try engine.write { (writer) throws(StorageError) in
                    try insert([[.int(4), .text("b")]], into: before, writer)
                }
                return (refusal, try listed(engine))
            }
            try t.expect(refusal?.code, equals: .constraint, "Equal values became unique, or another error was thrown.")
            try t.expect(found == [plain], "The refused change is recorded.")
        },
    ]

    /// Opens the engine of the place for the body, and closes it.
    private static func asking<T>(
        _ t: Trial, _ body: (any StorageEngine) throws -> T
    ) async throws -> T {
        t.note("let engine = try backend.open(logger: .silent)")
        let engine = try await t.place.backend().open(logger: .silent)
        let result = Result { try body(engine) }
        try engine.close()
        return try result.get()
    }

    private static func listed(_ engine: any StorageEngine) throws(StorageError) -> [TableSchema] {
        let reader = try engine.reader(.query)
        defer { reader.end() }
        return try reader.tables()
    }

    private static func insert(
        _ rows: [[Value]], into table: TableSchema, _ writer: any StorageWriter
    ) throws(StorageError) {
        let columns = Array(table.columns.indices)
        let cells = ValueCells(ValueList(width: columns.count, values: rows.flatMap(\.self)))
        let plan = WritePlan(id: 0, operation: .insert, table: table, columns: columns)
        defer { withExtendedLifetime(cells) {} }
        _ = try writer.write(RowBatch(plan: plan, count: rows.count, cells: cells.cells))
    }

    /// A table of a model with an integer as its key, and a text.
    private static func table(_ name: String) -> TableSchema {
        TableSchema(
            name: name, path: [name],
            columns: [
                ColumnSchema(name: "id", property: "id", type: .int64),
                ColumnSchema(name: "text", property: "text", type: .string),
            ], key: [0])
    }
}
