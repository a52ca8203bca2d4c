import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// W1 to W5: storing and changing records.
    static let writing: [Mutant] = [
        writes("insert-overwrites", breaking: [.w1, .w12], "insert replaces an existing record.") {
            write, _ throws(StorageError) in
            if write.operation == .insert, write.table.isRoot { write.operation = .upsert }
        },
        writes("insert-skips-existing", breaking: [.w1], "insert of an existing key does nothing, silently.") {
            write, writer throws(StorageError) in
            guard write.operation == .insert, write.table.isRoot else { return }
            try write.keepRows(writer) { $0 == nil }
        },
        writes("save-keeps-existing", breaking: [.w2, .w12], "save of an existing key does nothing.") {
            write, writer throws(StorageError) in
            guard write.operation == .upsert else { return }
            try write.keepRows(writer) { $0 == nil }
        },
        writes("save-merges-nil", breaking: [.w2, .w12], "save leaves a property that is nil as it was.") {
            write, writer throws(StorageError) in
            guard write.operation == .upsert else { return }
            try write.mergeNil(writer)
        },
        writes("update-merges-nil", breaking: [.w3, .w12], "update leaves a property that is nil as it was.") {
            write, writer throws(StorageError) in
            guard write.operation == .update else { return }
            try write.mergeNil(writer)
        },
        writes("save-refuses-first", breaking: [.w2], "The first record of a model cannot be saved.") {
            write, writer throws(StorageError) in
            guard write.operation == .upsert, write.table.isRoot, write.rows.count == 1 else { return }
            if try writer.values(of: write.table, write.table.key).isEmpty { write.operation = .update }
        },
        writes("update-inserts", breaking: [.w3], "update of a missing key inserts.") { write, _ throws(StorageError) in
            if write.operation == .update { write.operation = .upsert }
        },
        writes("update-skips-missing", breaking: [.w3], "update of a missing key does nothing, silently.") {
            write, writer throws(StorageError) in
            guard write.operation == .update else { return }
            try write.keepRows(writer) { $0 != nil }
        },
        writes("array-insert-keeps-first", breaking: [.w4], "insert of two equal keys in one array keeps the first.") {
            write, _ throws(StorageError) in
            guard write.operation == .insert, write.table.isRoot else { return }
            var known: Set<[Value]> = []
            write.rows = write.rows.filter { known.insert(write.key(of: $0)).inserted }
        },
        writes("array-save-keeps-first", breaking: [.w4], "save of two equal keys in one array keeps the first.") {
            write, _ throws(StorageError) in
            guard write.operation == .upsert else { return }
            var known: Set<[Value]> = []
            write.rows = write.rows.filter { known.insert(write.key(of: $0)).inserted }
        },
        writes("array-update-keeps-first", breaking: [.w4], "update of two equal keys in one array keeps the first.") {
            write, _ throws(StorageError) in
            guard write.operation == .update else { return }
            var known: Set<[Value]> = []
            write.rows = write.rows.filter { known.insert(write.key(of: $0)).inserted }
        },
        writes("array-drops-last", breaking: [.w4], "Of an array of more than 100 records the last is lost.") {
            write, _ throws(StorageError) in
            if write.isPut, write.table.isRoot, write.rows.count > 100 { write.rows.removeLast() }
        },
        Mutant(
            "array-error-next-element", breaking: [.w4], "An array's error names the element after the failing one."
        ) {
            $0.error = { error in error.element.map { error.row($0 + 1, key: error.key ?? []) } ?? error }
        },
        Mutant("array-error-first-element", breaking: [.w4], "An array's error names the first element.") {
            $0.error = { error in error.element == nil ? error : error.row(0, key: error.key ?? []) }
        },
        writes("patch-touches-all", breaking: [.w5, .w11, .w13], "A partial update changes every record.") {
            write, writer throws(StorageError) in
            guard write.operation == .patch else { return }
            write.rows = try writer.values(of: write.table, write.keyColumns)
        },
        writes("patch-skips-nil", breaking: [.w5, .w11, .w13], "A partial update does not set nil.") {
            write, _ throws(StorageError) in
            write.keepPatch { !$0.isNull }
        },
        writes("patch-skips-empty", breaking: [.w5], "A partial update does not set 0, false, \"\" and [].") {
            write, _ throws(StorageError) in
            write.keepPatch { ![.int(0), .double(0), .text(""), .text("[]"), .blob([])].contains($0) }
        },
        writes(
            "patch-sets-first", breaking: [.w5, .w11, .w13], "A partial update sets the first of several properties."
        ) {
            write, _ throws(StorageError) in
            guard write.operation == .patch, write.columns.count > 1 else { return }
            write.columns = [write.columns[0]]
            write.patch = [write.patch[0]]
        },
        writes(
            "computed-sets-first", breaking: [.w5, .w11], "Of several properties that are computed the first is set."
        ) {
            write, _ throws(StorageError) in
            let own = write.columns.filter { !write.table.key.contains($0) }
            guard write.operation == .update, own.count > 1, write.columns.count < write.table.columns.count else {
                return
            }
            let kept = write.columns.indices.filter { $0 <= write.table.key.count }
            write.rows = write.rows.map { row in kept.map { row[$0] } }
            write.columns = kept.map { write.columns[$0] }
        },
        Mutant(
            "conditions-of-writes-ignored", breaking: [.w5, .w6, .w11],
            "What a condition chooses to be changed is every record."
        ) { $0.transaction = .choosesAll },
        writes(
            "patch-clears-rest", breaking: [.w5, .w11, .w13], "A partial update clears the other Optional properties."
        ) {
            write, _ throws(StorageError) in
            guard write.operation == .patch else { return }
            for (index, column) in write.table.columns.enumerated()
            where column.isOptional && !write.table.key.contains(index) && !write.columns.contains(index) {
                write.columns.append(index)
                write.patch.append(.null)
            }
        },
        Mutant("patch-counts-more", breaking: [.w5, .w11], "A partial update says that it matched one record more.") {
            $0.count = { count, write in write.operation == .patch ? count &+ 1 : count }
        },
        Mutant("patch-counts-one", breaking: [.w5], "A partial update says that it matched one record at most.") {
            $0.count = { count, write in write.operation == .patch ? min(count, 1) : count }
        },
    ]

    /// W6, W7: taking records away.
    static let removing: [Mutant] = [
        Mutant("delete-counts-keys", breaking: [.w6], "delete returns how many keys it was given.") {
            $0.count = { count, write in write.operation == .delete ? write.rows.count : count }
        },
        Mutant("delete-counts-nothing", breaking: [.w6], "delete returns 0.") {
            $0.count = { count, write in write.operation == .delete ? 0 : count }
        },
        writes("delete-missing-throws", breaking: [.w6], "delete of a missing key is notFound.") {
            write, writer throws(StorageError) in
            guard write.operation == .delete, write.table.isRoot else { return }
            for row in write.rows where try write.stored(row, writer) == nil {
                throw StorageError(.notFound, "No record has the key.", model: write.table.path.first, key: row)
            }
        },
        writes("delete-first-only", breaking: [.w6], "delete of several keys deletes the first.") {
            write, _ throws(StorageError) in
            if write.operation == .delete, write.table.isRoot { write.rows = Array(write.rows.prefix(1)) }
        },
        writes("delete-leaves-orphans", breaking: [.w6, .c1], "Owned rows outlive their deleted owner.") {
            write, writer throws(StorageError) in
            guard write.operation == .delete, !write.table.isRoot, !write.table.isOfReferences else { return }
            // Those of owners that are saved again go, so that only deletes show it.
            write.rows = []
        },
        writes("truncate-deletes-nothing", breaking: [.w7], "truncate deletes nothing.") {
            write, _ throws(StorageError) in
            guard write.operation == .truncate else { return }
            write.operation = .delete
            write.columns = write.table.key
        },
        writes("truncate-leaves-children", breaking: [.w7], "Owned rows outlive a truncate.") {
            write, _ throws(StorageError) in
            guard write.operation == .truncate, !write.table.isRoot else { return }
            write.operation = .delete
            write.columns = write.table.key
        },
        writes("truncate-all-models", breaking: [.w7], "truncate empties other models too.") {
            write, writer throws(StorageError) in
            guard write.operation == .truncate, write.table.isRoot else { return }
            for table in try writer.tables() where table.name != write.table.name {
                _ = try Write(truncating: table).run(on: writer)
            }
        },
    ]

    /// A fault in what is written.
    static func writes(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (inout Write, any StorageWriter) throws(StorageError) -> Void
    ) -> Mutant {
        Mutant(id, breaking: clauses, sentence) { $0.write = change }
    }
}

extension Write {
    /// Writes only some rows, by what is stored with their keys.
    mutating func keepRows(
        _ writer: any StorageWriter, _ isKept: (_ stored: [Value]?) -> Bool
    ) throws(StorageError) {
        var kept: [[Value]] = []
        for row in rows where isKept(try stored(row, writer)) { kept.append(row) }
        rows = kept
    }

    /// Writes what is stored in the place of nil.
    mutating func mergeNil(_ writer: any StorageWriter) throws(StorageError) {
        for index in rows.indices {
            guard let old = try stored(rows[index], writer) else { continue }
            rows[index] = zip(rows[index], old).map { $0.isNull ? $1 : $0 }
        }
    }

    /// Sets only some of a partial update's values.
    mutating func keepPatch(_ isKept: (Value) -> Bool) {
        guard operation == .patch else { return }
        let kept = patch.indices.filter { isKept(patch[$0]) }
        columns = kept.map { columns[$0] }
        patch = kept.map { patch[$0] }
    }
}
