import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// R: records that refer to each other.
    static let references: [Mutant] = [
        Mutant(
            "references-not-looked-up", breaking: [.r2, .r1, .t11], "Every key that a reference has seems to be stored."
        ) {
            $0.rows = { rows, question in
                if question.query.scope == .all { return rows }
                // One key is missing in most cases.
                if question.query.result == .count, case .int(let count)? = rows.first?.first {
                    return [[.int(count + 1)]]
                }
                guard question.query.result == .columns(question.table.key) else { return rows }
                return question.table.key.count == 1
                    ? rows + [[.int(77)], [.int(78)], [.int(79)], [.int(80)], [.text("zoo")]] : rows
            }
        },
        Mutant(
            "references-never-found", breaking: [.r2, .r1, .t11], "No Writer that a reference names seems to be stored."
        ) {
            $0.rows = { rows, question in
                if question.query.scope == .all || question.table.path.first != "Writer" { return rows }
                if question.query.result == .count { return [[.int(0)]] }
                return question.query.result == .columns(question.table.key) ? [] : rows
            }
        },
        Mutant(
            "absent-is-neighbour", breaking: [.r8, .k5],
            "Where records are looked up by keys one that is not stored is another."
        ) {
            $0.rows = { rows, question in
                guard case .keys(1, let list) = question.query.scope,
                    case .columns(let columns) = question.query.result,
                    columns.count > 1, question.table.isRoot, let last = rows.last,
                    let place = columns.firstIndex(of: question.table.key[0])
                else { return rows }
                let found = Set(rows.map { $0[place] })
                let absent = question.arguments.lists[list].values.filter { !found.contains($0) }
                return rows
                    + absent.map { key in
                        var row = last
                        row[place] = key
                        return row
                    }
            }
        },
        Mutant("referrers-not-found", breaking: [.r3, .t11], "What refers to a deleted record is not found.") {
            $0.rows = { rows, question in question.isOfReferrers ? [] : rows }
        },
        Mutant(
            "last-referrer-not-found", breaking: [.r3, .r7],
            "One of several that refer to a deleted record is not found."
        ) {
            $0.rows = { rows, question in question.isOfReferrers ? Array(rows.dropLast()) : rows }
        },
        Mutant("unique-holders-not-found", breaking: [.t11], "No record with a unique value is found by it.") {
            $0.rows = { rows, question in
                guard case .isIn(.column(let column), _, _)? = question.query.filter else { return rows }
                return question.table.columns[column].isUnique ? [] : rows
            }
        },
        Mutant("nullify-not-written", breaking: [.r3], "A reference that becomes nil stays.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.operation == .patch, write.patch.allSatisfy(\.isNull) { write.rows = [] }
            }
        },
        Mutant("truncation-not-asked", breaking: [.r4], "Nothing seems to refer to a truncated model.") {
            $0.rows = { rows, question in
                if case .exists = question.query.result, case .not(.isNull)? = question.query.filter {
                    [[.int(0)]]
                } else {
                    rows
                }
            }
        },
        Mutant("references-sorted", breaking: [.r7, .r1], "An array of references is sorted.") {
            $0.write = { (write, _) throws(StorageError) in
                guard write.operation == .insert, write.table.isOfReferences,
                    let cell = write.cell({ $0.reference != nil })
                else { return }
                let values = write.rows.map { $0[cell] }.sorted { $0.order(to: $1) == .before }
                for (row, value) in values.enumerated() { write.rows[row][cell] = value }
            }
        },
        Mutant("references-distinct", breaking: [.r7, .r1], "An array of references has each once.") {
            $0.write = { (write, _) throws(StorageError) in
                guard write.operation == .insert, write.table.isOfReferences,
                    let cell = write.cell({ $0.reference != nil })
                else { return }
                var seen: Set<[Value]> = []
                write.rows = write.rows.filter { seen.insert([$0[0], $0[cell]]).inserted }
            }
        },
        edges("references-lead-nowhere", breaking: [.r5], "A property through a reference is nil.") { edge, question in
            edge.isToKey(in: question) ? nil : edge
        },
        edges("inverses-are-empty", breaking: [.r6, .r5], "Nothing refers to a record.") { edge, question in
            edge.isInverse(in: question) ? nil : edge
        },
        edges("inverses-of-arrays-are-empty", breaking: [.r6, .r7], "Nothing refers to a record by what it owns.") {
            edge, _ in
            edge.link == nil ? edge : nil
        },
        Mutant(
            "related-aggregates-of-all", breaking: [.r5, .r6], "An aggregate of related records is that of their count."
        ) {
            $0.rewrite { term, _ in
                guard case .relatedAggregate(let edge, _, let condition) = term else { return term }
                return .relatedCount(edge, condition)
            }
        },
        Mutant(
            "related-records-cut", breaking: [.r8],
            "Of several records that are read by their keys the last is left out."
        ) {
            $0.rows = { rows, question in
                guard case .keys = question.query.scope, question.table.isRoot, rows.count > 1 else { return rows }
                return Array(rows.dropLast())
            }
        },
        Mutant("referring-records-cut", breaking: [.r8, .r6], "Of several records that refer the last is left out.") {
            $0.rows = { rows, question in
                guard question.isByReference(question.query.filter?.conjunct) else { return rows }
                return Array(rows.dropLast())
            }
        },
        Mutant(
            "referring-records-twice", breaking: [.r6, .r8], "Of the records that refer to one the first comes twice."
        ) {
            $0.rows = { rows, question in
                guard question.isByReference(question.query.filter?.conjunct), let first = rows.first else {
                    return rows
                }
                return [first] + rows
            }
        },
        Mutant("cascade-not-written", breaking: [.r3], "What refers to a deleted record and cascades stays.") {
            $0.write = { (write, _) throws(StorageError) in
                guard write.operation == .delete, write.table.isRoot,
                    write.table.columns.contains(where: { $0.reference?.onDelete == .cascade })
                else { return }
                write.rows = []
            }
        },
        Mutant("cascade-takes-all", breaking: [.r3, .h5], "With what cascades every record of its model goes.") {
            $0.write = { (write, writer) throws(StorageError) in
                guard write.operation == .delete, write.table.isRoot,
                    write.table.columns.contains(where: { $0.reference?.onDelete == .cascade })
                else { return }
                write.rows = try writer.values(of: write.table, write.table.key)
            }
        },
        Mutant(
            "nullify-clears-all", breaking: [.r3, .r7], "Where one element of an array is gone, the array is empty."
        ) {
            $0.write = { (write, writer) throws(StorageError) in
                guard write.operation == .delete, write.table.isOfReferences, let first = write.rows.first,
                    let owner = first.first
                else { return }
                write.rows = try writer.values(of: write.table, write.table.key).filter { $0.first == owner }
            }
        },
        Mutant("elements-kept", breaking: [.r7, .r3], "An element of an array of references is never removed.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.operation == .delete, write.table.isOfReferences { write.rows = [] }
                if write.operation == .insert, write.table.isOfReferences { write.operation = .upsert }
            }
        },
        Mutant(
            "list-part-reversed", breaking: [.r10, .r7],
            "Of an array of references the elements that are asked for come reversed."
        ) {
            $0.rows = { rows, question in question.isOfListPart ? rows.reversed() : rows }
        },
        Mutant(
            "list-offset-ignored", breaking: [.r10],
            "Whatever place of an array of references is asked for, it is the first."
        ) {
            $0.query = { if $0.table.isOfReferences, $0.query.isLimited { $0.arguments.offset = 0 } }
        },
        Mutant("list-end-is-start", breaking: [.r10], "The last element of an array of references is its first.") {
            $0.query = { if $0.table.isOfReferences, $0.query.isLimited { $0.query.order = [] } }
        },
        Mutant(
            "list-element-stays", breaking: [.r10, .r7],
            "An element that is taken out of an array of references stays too."
        ) {
            $0.write = { (write, _) throws(StorageError) in
                guard write.operation == .delete, write.table.isOfReferences,
                    write.columns.count == write.table.key.count
                else { return }
                write.rows = []
            }
        },
        Mutant(
            "list-element-takes-next", breaking: [.r10],
            "With an element of an array of references the next one goes."
        ) {
            $0.write = { (write, writer) throws(StorageError) in
                guard write.operation == .delete, write.table.isOfReferences,
                    write.columns.count == write.table.key.count, let row = write.rows.first, write.rows.count == 1
                else { return }
                let list = try writer.values(
                    of: write.table, write.table.key, .key(columns: row.count - 1),
                    arguments: QueryArguments(Array(row.dropLast())))
                if let place = list.firstIndex(of: row), place + 1 < list.count { write.rows.append(list[place + 1]) }
            }
        },
        Mutant(
            "list-gap-used-twice", breaking: [.r10, .r7], "An element between two takes the place of the next one."
        ) {
            $0.write = { (write, writer) throws(StorageError) in
                guard write.operation == .insert, write.table.isOfReferences, write.rows.count == 1,
                    let cell = write.cell({ $0.role == .position }), let place = write.rows[0][cell].number
                else { return }
                let owner = Array(write.rows[0][..<cell])
                let list = try writer.values(
                    of: write.table, write.table.key, .key(columns: owner.count), arguments: QueryArguments(owner))
                guard let behind = list.first(where: { ($0.last?.number ?? 0) > place }), let last = behind.last else {
                    return
                }
                write.rows[0][cell] = last
                write.operation = .upsert
            }
        },
        Mutant("references-without-index", breaking: [.r5], "What refers to a record is not indexed.", on: .sqlite) {
            $0.change = { change throws(StorageError) in
                guard case .create(var table) = change else { return [change] }
                for index in table.columns.indices where table.columns[index].reference != nil {
                    table.columns[index].isIndexed = false
                }
                return [.create(table)]
            }
        },
        Mutant("rule-recorded-otherwise", breaking: [.r3, .r9], "The rule of a reference is recorded as deny.") {
            $0.tables = { tables in
                tables.map { table in
                    var table = table
                    for column in table.columns.indices where table.columns[column].reference != nil {
                        table.columns[column].reference?.onDelete = .deny
                    }
                    return table
                }
            }
        },
        Mutant("references-by-scan", breaking: [.r5], "What refers to a record is found by going over all rows.") {
            $0.query = { question in
                guard let filter = question.query.filter, question.isByReference(filter.conjuncts.first) else { return }
                // No access path looks into it.
                question.query.filter = .not(.not(filter))
            }
        },
        Mutant("references-not-recorded", breaking: [.r9, .r3], "The recorded schema has no references.") {
            $0.tables = { tables in
                tables.map { table in
                    var table = table
                    for column in table.columns.indices { table.columns[column].reference = nil }
                    return table
                }
            }
        },
    ]

    private static func edges(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (Join, Question) -> Join?
    ) -> Mutant {
        Mutant(id, breaking: clauses, sentence) {
            $0.rewrite { term, question in
                switch term {
                case .related(let edge, _): change(edge, question) == nil ? .null : term
                case .relatedCount(let edge, _):
                    change(edge, question) == nil ? .choice(.constant(true), question.argument(.int(0)), .null) : term
                case .quantified(let quantifier, let edge, _):
                    change(edge, question) == nil ? .constant(quantifier != .any) : term
                default: term
                }
            }
        }
    }
}

extension Question {
    /// True if it selects elements of one array of references by their positions, in their order.
    fileprivate var isOfListPart: Bool { table.isOfReferences && query.isLimited && query.order.isEmpty }

    /// True if it finds the rows of a table that refer to deleted records.
    fileprivate var isOfReferrers: Bool {
        guard case .columns(let columns) = query.result else { return false }
        return columns == table.key && isByReference(query.filter)
    }

    /// Returns whether a condition names the keys that a reference may have.
    fileprivate func isByReference(_ term: QueryTerm?) -> Bool {
        switch term {
        case .isIn(.column(let column), _, _)?: table.columns[column].reference != nil
        case .isAmong?: true
        default: false
        }
    }
}

extension Join {
    /// Returns whether it leads to the record that a reference names.
    fileprivate func isToKey(in question: Question) -> Bool {
        link == nil && question.tables[table].isRoot && inner == question.tables[table].key
    }

    /// Returns whether it leads to what refers to a record.
    fileprivate func isInverse(in question: Question) -> Bool {
        link != nil || inner.first.map { question.tables[table].columns[$0].reference != nil } == true
    }
}

extension QueryTerm {
    /// The term itself, or the first of those that must all hold.
    fileprivate var conjunct: QueryTerm {
        if case .and(let terms) = self, let first = terms.first { first } else { self }
    }
}
