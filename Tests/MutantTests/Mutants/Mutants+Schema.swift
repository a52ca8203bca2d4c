import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// S: schema.
    static let schema: [Mutant] = [
        changes("new-default-not-applied", breaking: [.s2], "Records read nil for a new property that has a default.") {
            change in
            guard case .alter(let old, let new, let added) = change else { return [change] }
            let nulls = zip(added, new.columns.suffix(added.count)).map { value, column in
                column.isOptional || column.type.storage != .integer ? Value.null : value.isNull ? .null : .int(0)
            }
            return [.alter(from: old, to: new, added: nulls)]
        },
        changes("new-optional-is-zero", breaking: [.s2], "Records read 0 or empty text for a new Optional property.") {
            change in
            guard case .alter(let old, let new, let added) = change else { return [change] }
            let zeros = zip(added, new.columns.suffix(added.count)).map { value, column -> Value in
                guard value.isNull, column.isOptional else { return value }
                switch column.type.storage {
                case .integer: return .int(0)
                case .double: return .double(0)
                case .text: return .text("")
                case .blob: return .blob([])
                }
            }
            return [.alter(from: old, to: new, added: zeros)]
        },
        changes("rename-loses-data", breaking: [.s3], "A renamed property is a new one.") { change in
            guard case .alter(let old, let new, _) = change,
                zip(old.columns, new.columns).contains(where: { $0.property != $1.property && !$1.isRemoved })
            else { return [change] }
            return [.drop(old), .create(new)]
        },
        Mutant(
            "passed-names-forgotten", breaking: [.s9], "The names that properties have passed on are not recorded.",
            on: .sqlite
        ) {
            $0.tables = { tables in
                tables.map { table in
                    var table = table
                    table.settledNames = nil
                    for index in table.columns.indices { table.columns[index].settledNames = nil }
                    return table
                }
            }
        },
        changes("renamed-in-turn", breaking: [.s9], "Where properties exchange their names, one loses its values.") {
            change in
            guard case .alter(let old, let new, let added) = change,
                zip(old.columns, new.columns).contains(where: { column, renamed in
                    column.property != renamed.property && old.columns.contains { $0.property == renamed.property }
                })
            else { return [change] }
            return [.drop(old), .create(new)]
        },
        changes("alter-loses-rows", breaking: [.s2], "A changed table is made again, without its records.") { change in
            guard case .alter(let old, let new, _) = change else { return [change] }
            return [.drop(old), .create(new)]
        },
        Mutant("schema-forgotten", breaking: [.s1, .s4], "One of the recorded models is forgotten.", on: .sqlite) {
            $0.tables = { tables in tables.filter { $0.path.first != "Account" } }
        },
        Mutant("reopening-empties", breaking: [.s1, .w8], "Opening a store for the sixth time empties it.") { fault in
            fault.info = { $0.lacking[.durability] = nil }
            fault.opening = .forgets
        },
        Mutant(
            "owned-table-forgotten", breaking: [.s7, .s8, .s9], "The recorded table of owned tags is forgotten.",
            on: .sqlite
        ) {
            $0.tables = { tables in tables.filter { $0.path.last != "tags" } }
        },
        Mutant(
            "removal-forgotten", breaking: [.s2, .s8, .s9], "What was removed is recorded as if it was not.",
            on: .sqlite
        ) {
            $0.tables = { tables in
                tables.map { table in
                    var table = table
                    table.isRemoved = false
                    for index in table.columns.indices { table.columns[index].isRemoved = false }
                    return table
                }
            }
        },
        Mutant(
            "secret-dropped", breaking: [.s7, .s11], "A property called secret is not stored in what is replaced.",
            on: .sqlite
        ) {
            $0.written = { value, column, _ in column.property == "secret" ? .null : value }
        },
        Mutant(
            "something-seems-stored", breaking: [.s9], "Where it is asked whether a property holds anything, it does.",
            on: .sqlite
        ) {
            $0.rows = { rows, question in
                guard case .exists = question.query.result, case .not(.isNull)? = question.query.filter else {
                    return rows
                }
                return [[.int(1)]]
            }
        },
        Mutant(
            "conversion-loses-last", breaking: [.s3], "Where a table is converted its last record is left out.",
            on: .sqlite
        ) {
            $0.rows = { rows, question in
                let all = Query.Result.columns(Array(question.table.columns.indices))
                return question.isUnplanned && question.query == Query(all) ? rows.dropLast() : rows
            }
        },
        unrecorded("last-integer", "The last property of a table is not recorded if it is an integer.") { column, _ in
            column.type == .int64
        },
        unrecorded("last-double", "The last property of a table is not recorded if it is a Double.") { column, _ in
            column.type == .double
        },
        unrecorded(
            "last-optional-text", "A last property that is an Optional text, and not unique, is not recorded."
        ) { column, _ in column.type == .string && column.isOptional && !column.isUnique },
        unrecorded("only-text", "The only property beside the key is not recorded if it is a text.") { column, table in
            column.type == .string && !column.isOptional && table.isRoot && table.columns.count == table.key.count + 1
        },
        Mutant("mismatch-is-io", breaking: [.s3], "schemaMismatch is thrown as io.", on: .sqlite) {
            $0.error = { error in
                error.code == .schemaMismatch
                    ? StorageError(.io, error.message, model: error.model, property: error.property) : error
            }
        },
        Mutant(
            "own-tables-recorded", breaking: [.s4, .h1], "The store's own tables are recorded as models.", on: .sqlite
        ) {
            $0.tables = { tables in
                tables.map { table in
                    var table = table
                    table.path = table.path.map { $0.replacing("\0", with: "") }
                    return table
                }
            }
        },
        Mutant(
            "foreign-tables-unnoticed", breaking: [.s11, .h1],
            "A store does not notice that another one has changed the tables.",
            on: .sqlite
        ) { $0.isSilentOfTables = true },
        Mutant(
            "addition-must-be-known", breaking: [.s7, .s11], "An insert must know what another program has added.",
            on: .sqlite
        ) {
            $0.write = { write, writer throws(StorageError) in
                guard write.operation == .insert || write.operation == .upsert else { return }
                let recorded = try writer.tables().first { $0.name == write.table.name }?.columns ?? []
                let known = write.table.columns.map(\.name)
                guard let added = recorded.first(where: { !$0.isOptional && !known.contains($0.name) }) else { return }
                throw StorageError(
                    .schemaMismatch, "A property is lacking.", model: write.table.path.first, property: added.property)
            }
        },
        Mutant("new-table-empty", breaking: [.s1], "What is written in the transaction that makes a table is lost.") {
            $0.transaction = .losesWritesOfNewTables
        },
        Mutant("unique-stays-taken", breaking: [.w13], "A unique value stays taken when its record changed or went.") {
            $0.transaction = .uniqueStaysTaken
        },
        changes("engine-name-refused", breaking: [.s6], "A model called as a table of the engine's own is refused.") {
            change throws(StorageError) in
            try refuse(change) { $0.hasPrefix("sqlite_") }
        },
        changes("toolkit-name-refused", breaking: [.s6], "A model called as a table of the toolkit's own is refused.") {
            change throws(StorageError) in
            try refuse(change) { $0.hasPrefix("storage_") }
        },
        changes("column-limit-not-held", breaking: [.e4], "A table of as many columns as declared is refused.") {
            change throws(StorageError) in
            guard case .create(let table) = change, table.columns.count >= 1900 else { return [change] }
            throw StorageError(.limitExceeded, "The table has too many columns.", model: table.path.first)
        },
        Mutant(
            "nothing-seems-stored", breaking: [.s3, .s8, .s9],
            "Where it is asked whether a model has records, it has none.",
            on: .sqlite
        ) {
            $0.rows = { rows, question in
                switch question.query.result {
                case .exists, .count:
                    question.table.path.first == "Item" || question.table.path.first == "Note" ? [[.int(0)]] : rows
                default: rows
                }
            }
        },
        changes("index-refused", breaking: [.s1], "An index cannot be added.") { change throws(StorageError) in
            guard case .alter(let old, let new, _) = change,
                zip(old.columns, new.columns).contains(where: { !$0.isIndexed && $1.isIndexed })
            else { return [change] }
            throw StorageError(.io, "The index cannot be made.")
        },
        changes(
            "replacement-refused", breaking: [.s2, .s3], "A table cannot be dropped, so none is replaced by another."
        ) {
            change throws(StorageError) in
            guard case .drop(let table) = change, table.path.first?.utf8.first != 0 else { return [change] }
            throw StorageError(.io, "The table cannot be dropped.")
        },
        Mutant(
            "types-recorded-as-text", breaking: [.s3, .k2, .v1], "Small integers are recorded as text.", on: .sqlite
        ) {
            $0.tables = { tables in
                tables.map { table in
                    var table = table
                    for index in table.columns.indices
                    where table.columns[index].type == .int8 && table.columns[index].role == .property
                        && !table.key.contains(index)
                    {
                        table.columns[index].type = .string
                    }
                    return table
                }
            }
        },
        changes("long-name-refused", breaking: [.s6], "A name of more than 63 bytes is refused.") {
            change throws(StorageError) in
            try refuse(change) { $0.utf8.count > 63 }
        },
        changes("reserved-word-refused", breaking: [.s6], "A property called select, order or group is refused.") {
            change throws(StorageError) in
            try refuse(change) { ["select", "order", "group", "table", "index", "where"].contains($0.lowercased()) }
        },
        changes("quote-refused", breaking: [.s6], "A name with a quote is refused.") { change throws(StorageError) in
            try refuse(change) { $0.contains("\"") || $0.contains("'") || $0.contains("`") }
        },
        changes("unicode-name-refused", breaking: [.s6], "A name beyond ASCII is refused.") {
            change throws(StorageError) in
            try refuse(change) { !$0.utf8.allSatisfy { $0 < 0x80 } }
        },
        changes("dot-refused", breaking: [.s6], "A name with a dot is refused.") { change throws(StorageError) in
            try refuse(change) { $0.contains(".") }
        },
        changes("wide-table-refused", breaking: [.s1], "A table of more than 100 columns is refused.") {
            change throws(StorageError) in
            guard case .create(let table) = change, table.columns.count > 100 else { return [change] }
            throw StorageError(.limitExceeded, "The table has too many columns.", model: table.path.first)
        },
        changes("rules-removed-with-property", breaking: [.s14], "A removed property loses its rules.") { change in
            guard case .alter(let old, var new, let added) = change else { return [change] }
            for index in new.columns.indices where new.columns[index].isRemoved {
                (new.columns[index].isIndexed, new.columns[index].isUnique) = (false, false)
                (new.columns[index].isExpiry, new.columns[index].searchWeight) = (false, nil)
                new.columns[index].reference = nil
            }
            return [.alter(from: old, to: new, added: added)]
        },
        changes("search-lost-by-rebuilding", breaking: [.s3, .f8], "A table that is made again is no longer searched.")
        {
            change in
            // The path of a table begins with nothing while its rows are copied.
            guard case .alter(let old, var new, let added) = change, old.path.first == "" else { return [change] }
            for index in new.columns.indices { new.columns[index].searchWeight = nil }
            return [.alter(from: old, to: new, added: added)]
        },
        changes("unique-not-enforced", breaking: [.w13], "Unique properties are not.") { change in
            guard case .create(var table) = change else { return [change] }
            for index in table.columns.indices { table.columns[index].isUnique = false }
            return [.create(table)]
        },
        writes("nil-is-unique", breaking: [.w13], "Two records whose unique property is nil are refused.") {
            write, writer throws(StorageError) in
            guard write.operation == .insert, let cell = write.cell({ $0.isUnique }) else { return }
            let stored = try writer.values(of: write.table, [write.columns[cell]]).count { $0[0].isNull }
            guard stored + write.rows.count(where: { $0[cell].isNull }) > 1,
                let row = write.rows.first(where: { $0[cell].isNull })
            else { return }
            throw StorageError(
                .constraint, "Another record has nil.", model: write.table.path.first, key: write.key(of: row))
        },
    ]

    /// The last column of a table is left out of what is recorded.
    private static func unrecorded(
        _ id: String, _ sentence: String, _ isLeftOut: @escaping @Sendable (ColumnSchema, TableSchema) -> Bool
    ) -> Mutant {
        Mutant(id + "-unrecorded", breaking: [.s1, .s3, .s4, .s8], sentence, on: .sqlite) {
            $0.tables = { tables in
                tables.map { table in
                    guard let last = table.columns.last, last.role == .property,
                        !table.key.contains(table.columns.count - 1), table.path.first?.utf8.first != 0,
                        isLeftOut(last, table)
                    else { return table }
                    var table = table
                    table.columns.removeLast()
                    return table
                }
            }
        }
    }

    private static func changes(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (TableChange) throws(StorageError) -> [TableChange]
    ) -> Mutant { Mutant(id, breaking: clauses, sentence, on: .sqlite) { $0.change = change } }

    private static func refuse(_ change: TableChange, _ isBad: (String) -> Bool) throws(StorageError) -> [TableChange] {
        guard case .create(let table) = change else { return [change] }
        let names = table.path + table.columns.map(\.property)
        guard let name = names.first(where: isBad) else { return [change] }
        throw StorageError(.configuration, "The name \(name) is not allowed.", model: table.path.first)
    }
}
