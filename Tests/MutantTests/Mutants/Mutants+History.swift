import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// H: the history, in the store's own tables.
    static let history: [Mutant] = [
        Mutant(
            "entry-without-commit", breaking: [.h1, .h2, .h3, .h4, .h5, .h6, .t10], "A commit's own row is not written."
        ) {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("commits"), write.isPut { write.rows = [] }
            }
        },
        Mutant("entry-lost", breaking: [.h1, .h2], "The last entry that is written at once is not.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("changes"), write.operation == .insert, write.rows.count > 1 { write.rows.removeLast() }
            }
        },
        Mutant(
            "entry-of-older-state", breaking: [.h2, .h5, .h6], "An entry has the record as it was at an earlier one."
        ) {
            $0.write = { (write, writer) throws(StorageError) in
                guard write.isOf("changes"), write.operation == .insert else { return }
                let known = try writer.values(of: write.table, Array(write.table.columns.indices))
                for place in write.rows.indices where !write.rows[place][5].isNull {
                    let older = known.first { $0[4] == write.rows[place][4] && !$0[5].isNull }
                    if let older { write.rows[place][5] = older[5] }
                }
            }
        },
        Mutant(
            "entry-without-record", breaking: [.h2, .h5, .h6, .h8, .h12], "An entry does not have the record before."
        ) {
            $0.write = { (write, _) throws(StorageError) in
                guard write.isOf("changes"), write.operation == .insert else { return }
                for place in write.rows.indices { write.rows[place][5] = .null }
            }
        },
        Mutant("inserts-are-updates", breaking: [.h2], "The entry of a new record says that it was changed.") {
            $0.write = { (write, _) throws(StorageError) in
                guard write.isOf("changes"), write.operation == .insert else { return }
                for place in write.rows.indices where write.rows[place][3] == .int(0) { write.rows[place][3] = .int(1) }
            }
        },
        Mutant(
            "kind-not-corrected", breaking: [.h2], "An entry says what its commit did first, and not what came of it."
        ) {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("changes"), write.operation == .update { write.rows = [] }
            }
        },
        Mutant(
            "number-again", breaking: [.h2, .h4], "The number after the oldest commit's is used, whatever is there."
        ) {
            $0.query = { question in
                guard question.table.isStoresOwn("commits"), question.arguments.limit == 1 else { return }
                question.query.order = [Query.SortKey(term: .column(0), type: .int64, isDescending: true)]
            }
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("commits"), write.operation == .insert { write.operation = .upsert }
                if write.isOf("changes"), write.operation == .insert { write.operation = .upsert }
            }
        },
        Mutant("token-includes-its-entry", breaking: [.h3], "What is read since a place begins with what was seen.") {
            $0.query = { question in
                guard question.table.isStoresOwn("changes"),
                    case .comparison(.greater, .column(0), let value, let type) = question.query.filter
                else { return }
                question.query.filter = .comparison(.greaterOrEqual, .column(0), value, type)
            }
        },
        Mutant("history-unpruned", breaking: [.h4, .h12], "What is older than kept stays.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("commits"), write.operation == .delete { write.rows = [] }
            }
        },
        Mutant("later-entries-unseen", breaking: [.h5, .h6, .h12], "What has changed since a commit is not found.") {
            $0.rows = { rows, question in
                question.table.isStoresOwn("changes") && question.query.scope == .all && question.query.isLimited
                    ? [] : rows
            }
        },
        Mutant(
            "changed-model-forgotten", breaking: [.h5, .h6, .h12],
            "What became of a model's names and types is not recorded."
        ) {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("schemas"), write.isPut { write.rows = [] }
            }
        },
        Mutant("unchanged-has-entry", breaking: [.h2], "An entry that came to nothing stays.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("changes"), write.operation == .delete { write.rows = [] }
            }
        },
        Mutant("rule-is-call", breaking: [.h8], "What a rule has changed counts as changed by a call.") {
            $0.write = { (write, _) throws(StorageError) in
                guard write.isOf("changes"), let cell = write.cell({ $0.name == "kind" }) else { return }
                for place in write.rows.indices {
                    if case .int(let kind) = write.rows[place][cell] { write.rows[place][cell] = .int(kind & 3) }
                }
            }
        },
        Mutant("next-entry-unseen", breaking: [.h8], "What becomes of records after a page is not found.") {
            $0.rows = { rows, question in
                question.table.isStoresOwn("changes") && question.query.scope == .all && !question.query.isLimited
                    ? [] : rows
            }
        },
        Mutant("commit-half-read", breaking: [.h2, .h3, .h8], "The last entry of a commit is not read.") {
            $0.rows = { rows, question in
                question.table.isStoresOwn("changes") && question.query.scope == .key(columns: 1)
                    ? Array(rows.dropLast()) : rows
            }
        },
        Mutant("origin-lost", breaking: [.h9], "A commit counts as a call, whatever has made it.") {
            $0.write = { (write, _) throws(StorageError) in
                guard write.isOf("commits"), let cell = write.cell({ $0.name == "origin" }) else { return }
                for place in write.rows.indices { write.rows[place][cell] = .null }
            }
        },
        Mutant("commits-alike", breaking: [.h10], "All commits have one mark.") {
            $0.write = { (write, _) throws(StorageError) in
                guard write.isOf("commits"), let cell = write.cell({ $0.name == "mark" }) else { return }
                for place in write.rows.indices { write.rows[place][cell] = .int(1) }
            }
        },
        Mutant("hold-lost", breaking: [.h11], "A hold is not recorded.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("holds"), write.isPut { write.rows = [] }
            }
        },
        Mutant("hold-stays", breaking: [.h11], "A hold that was released is there all the same.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.isOf("holds"), write.operation == .delete { write.rows = [] }
            }
        },
        Mutant(
            "former-record-unread", breaking: [.h8, .h12],
            "A record before a change is not found by the change's place."
        ) {
            $0.rows = { rows, question in
                guard question.table.isStoresOwn("changes"), case .keys(let columns, _) = question.query.scope,
                    columns == 2
                else { return rows }
                return []
            }
        },
        Mutant("everything-without-entry", breaking: [.h8], "A change of all records of a model has no entry.") {
            $0.write = { (write, _) throws(StorageError) in
                guard write.isOf("changes"), write.operation == .insert else { return }
                write.rows.removeAll { $0[3] == .int(3) }
            }
        },
        Mutant("commit-found-later", breaking: [.h12], "A commit that is found by its number has a later time.") {
            $0.rows = { rows, question in
                guard question.table.isStoresOwn("commits"), question.query.scope == .key(columns: 1) else {
                    return rows
                }
                return rows.map { row in
                    var row = row
                    if case .double(let time) = row[1] { row[1] = .double(time + 86_400) }
                    return row
                }
            }
        },
        Mutant("last-state-as-of", breaking: [.h6], "A record is read as it was before its last change.") {
            $0.query = { question in
                guard question.table.isStoresOwn("changes"), question.arguments.limit == 1 else { return }
                question.query.order = [Query.SortKey(term: .column(0), type: .int64, isDescending: true)]
            }
        },
    ]

    /// M: the record that closes a store to writers.
    static let closing: [Mutant] = [
        Mutant("closing-unseen", breaking: [.m1], "The record that closes a store is not among its tables.") {
            $0.tables = { tables in tables.filter { !$0.isStoresOwn("place.fence") } }
        },
        Mutant(
            "closed-for-good", breaking: [.m1], "The record that closes a store stays when it is removed.", on: .sqlite
        ) {
            $0.change = { (change) throws(StorageError) in
                if case .drop(let table) = change, table.isStoresOwn("place.fence") { return [] }
                return [change]
            }
        },
    ]
}

extension Write {
    fileprivate func isOf(_ table: String) -> Bool { self.table.isStoresOwn(table) }
}

extension TableSchema {
    /// Returns whether it is this table of the history, whose name no model can have.
    fileprivate func isStoresOwn(_ name: String) -> Bool { path == ["\u{0}" + name] }
}
