import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// S: schema.
    static let schema: [Mutant] = [
        changes("new-default-not-applied", [.s2], "Records read nil for a new property that has a default.") { change in
            guard case .alter(let old, let new, let added) = change else { return [change] }
            let nulls = zip(added, new.columns.suffix(added.count)).map { value, column in
                column.isOptional || column.type.storage != .integer ? Value.null : value.isNull ? .null : .int(0)
            }
            return [.alter(from: old, to: new, added: nulls)]
        },
        changes("new-optional-is-zero", [.s2], "Records read 0 or empty text for a new Optional property.") { change in
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
        changes("rename-loses-data", [.s3], "A renamed property is a new one.") { change in
            guard case .alter(let old, let new, _) = change,
                zip(old.columns, new.columns).contains(where: { $0.property != $1.property && !$1.isRemoved })
            else { return [change] }
            return [.drop(old), .create(new)]
        },
        changes("alter-loses-rows", [.s2], "A changed table is made again, without its records.") { change in
            guard case .alter(let old, let new, _) = change else { return [change] }
            return [.drop(old), .create(new)]
        },
        Mutant("schema-forgotten", [.s1, .s4], "One of the recorded models is forgotten.", on: .sqlite) {
            $0.tables = { tables in tables.filter { $0.path.first != "Account" } }
        },
        Mutant("reopening-empties", [.s1, .w8], "Opening a store for the sixth time empties it.") { fault in
            fault.info = { $0.lacking[.durability] = nil }
            fault.opening = .forgets
        },
        Mutant("owned-table-forgotten", [.s7, .s8, .s9], "The recorded table of owned tags is forgotten.", on: .sqlite)
        {
            $0.tables = { tables in tables.filter { $0.path.last != "tags" } }
        },
        Mutant("removal-forgotten", [.s2, .s8, .s9], "What was removed is recorded as if it was not.", on: .sqlite) {
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
            "secret-dropped", [.s7, .s11], "A property called secret is not stored in what is replaced.", on: .sqlite
        ) {
            $0.written = { value, column, _ in column.property == "secret" ? .null : value }
        },
        Mutant(
            "nothing-seems-stored", [.s3, .s8, .s9], "Where it is asked whether a model has records, it has none.",
            on: .sqlite
        ) {
            $0.rows = { rows, plan in
                switch plan.query.result {
                case .exists, .count:
                    plan.table.path.first == "Item" || plan.table.path.first == "Note" ? [[.int(0)]] : rows
                default: rows
                }
            }
        },
        changes("index-refused", [.s1], "An index cannot be added.") { change throws(StorageError) in
            guard case .alter(let old, let new, _) = change,
                zip(old.columns, new.columns).contains(where: { !$0.isIndexed && $1.isIndexed })
            else { return [change] }
            throw StorageError(.io, "The index cannot be made.")
        },
        changes("replacement-refused", [.s2, .s3], "A table cannot be dropped, so none is replaced by another.") {
            change throws(StorageError) in
            guard case .drop(let table) = change, table.path.first?.utf8.first != 0 else { return [change] }
            throw StorageError(.io, "The table cannot be dropped.")
        },
        Mutant("types-recorded-as-text", [.s3, .k2, .v1], "Small integers are recorded as text.", on: .sqlite) {
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
        changes("long-name-refused", [.s6], "A name of more than 63 bytes is refused.") { change throws(StorageError) in
            try refuse(change) { $0.utf8.count > 63 }
        },
        changes("reserved-word-refused", [.s6], "A property called select, order or group is refused.") {
            change throws(StorageError) in
            try refuse(change) { ["select", "order", "group", "table", "index", "where"].contains($0.lowercased()) }
        },
        changes("quote-refused", [.s6], "A name with a quote is refused.") { change throws(StorageError) in
            try refuse(change) { $0.contains("\"") || $0.contains("'") || $0.contains("`") }
        },
        changes("unicode-name-refused", [.s6], "A name beyond ASCII is refused.") { change throws(StorageError) in
            try refuse(change) { !$0.utf8.allSatisfy { $0 < 0x80 } }
        },
        changes("dot-refused", [.s6], "A name with a dot is refused.") { change throws(StorageError) in
            try refuse(change) { $0.contains(".") }
        },
        changes("wide-table-refused", [.s1], "A table of more than 100 columns is refused.") {
            change throws(StorageError) in
            guard case .create(let table) = change, table.columns.count > 100 else { return [change] }
            throw StorageError(.limitExceeded, "The table has too many columns.", model: table.path.first)
        },
        changes("unique-not-enforced", [.w13], "Unique properties are not.") { change in
            guard case .create(var table) = change else { return [change] }
            for index in table.columns.indices { table.columns[index].isUnique = false }
            return [.create(table)]
        },
        writes("nil-is-unique", [.w13], "Two records whose unique property is nil are refused.") {
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

    private static func changes(
        _ id: String, _ clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (TableChange) throws(StorageError) -> [TableChange]
    ) -> Mutant { Mutant(id, clauses, sentence, on: .sqlite) { $0.change = change } }

    private static func refuse(_ change: TableChange, _ isBad: (String) -> Bool) throws(StorageError) -> [TableChange] {
        guard case .create(let table) = change else { return [change] }
        let names = table.path + table.columns.map(\.property)
        guard let name = names.first(where: isBad) else { return [change] }
        throw StorageError(.configuration, "The name \(name) is not allowed.", model: table.path.first)
    }
}
