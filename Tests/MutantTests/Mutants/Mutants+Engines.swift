import StorageAPI
import StorageConformance
import StorageDriver
import Synchronization

extension Mutant {
    /// Faults that an engine written from the guides had without a group of cases that found them.
    static let engines: [Mutant] = [
        writes(
            "owner-ends-at-nul", breaking: [.k3, .k4, .c2, .w6], "What \"a\" owns is deleted with what \"a\\0b\" owns."
        ) {
            write, writer throws(StorageError) in
            try deleteContinued(write, by: "\0", writer)
        },
        writes("owner-is-a-beginning", breaking: [.k3, .c2, .w6], "What \"ab\" owns is deleted with what \"a\" owns.") {
            write, writer throws(StorageError) in
            try deleteContinued(write, by: "", writer)
        },
        indexed("decimals-in-index-as-text", breaking: [.v4], "An index sorts decimals as texts.") { term, column, _ in
            guard column.type == .decimal, case .comparison(let comparison, let left, let right, _) = term else {
                return term
            }
            return .comparison(comparison, left, right, .string)
        },
        indexed("index-at-most-is-less", breaking: [.q3], "An index finds for <= what < holds for.") { term, _, _ in
            guard case .comparison(.lessOrEqual, let left, let right, let type) = term else { return term }
            return .comparison(.less, left, right, type)
        },
        entries("zero-with-sign-in-index", breaking: [.v4], "In an index -0.0 is another value than 0.0.") {
            $0 == 0 && $0.sign == .minus ? -Double.leastNonzeroMagnitude : nil
        } back: {
            $0 == -Double.leastNonzeroMagnitude ? -0.0 : nil
        },
        entries("nan-with-sign-in-index", breaking: [.v4], "In an index a NaN with a sign comes before every number.") {
            $0.isNaN && $0.sign == .minus ? -Double.greatestFiniteMagnitude.nextDown : nil
        } back: {
            $0 == -Double.greatestFiniteMagnitude.nextDown ? .nan : nil
        },
        keyBound(
            "key-at-least-is-greater", "A key is not found by >= itself.", comparison: .greaterOrEqual, is: .greater),
        keyBound("key-at-most-is-less", "A key is not found by <= itself.", comparison: .lessOrEqual, is: .less),
        removedColumnFilled,
        alteredTableLast,
        Mutant(
            "equal-values-become-unique", breaking: [.w13], "A column in which rows have equal values is made unique."
        ) {
            $0.acceptsEqualValues = true
        },
        Mutant(
            "savepoint-undone-forwards", breaking: [.t2], "Of what a savepoint has written twice, the first remains."
        ) {
            $0.transaction = .savepointUndoneForwards
        },
        Mutant("page-by-scan", breaking: [.q5, .p2], "A page that begins after a key is looked for among all rows.") {
            $0.query = { question in
                guard question.query.isLimited, let filter = question.query.filter else { return }
                // No access path takes it for a bound.
                question.query.filter = .or([filter, .constant(false)])
            }
        },
        Mutant("pages-sorted", breaking: [.q5, .p2], "For a page in the order of an index all rows are sorted.") {
            $0.query = { question in
                guard question.query.isLimited else { return }
                for index in question.query.order.indices {
                    let term = question.query.order[index].term
                    question.query.order[index].term = .choice(.constant(true), term, term)
                }
            }
        },
        staleEntries,
    ]

    /// Deletes what is owned by records whose keys begin as one that a write names.
    private static func deleteContinued(
        _ write: Write, by end: String, _ writer: any StorageWriter
    ) throws(StorageError) {
        guard write.operation == .delete, !write.table.isRoot else { return }
        let owners = write.columns.count
        guard owners == write.table.columns.count(where: { $0.role == .owner }) else { return }
        var others = Write(deletingFrom: write.table)
        others.rows = try writer.values(of: write.table, write.table.key).filter { key in
            write.rows.contains { row in
                guard case .text(let owner)? = row.last, case .text(let stored) = key[owners - 1] else { return false }
                return row.dropLast().elementsEqual(key[..<(owners - 1)]) && stored.hasPrefix(owner + end)
                    && stored != owner
            }
        }
        if !others.rows.isEmpty { _ = try others.run(on: writer) }
    }

    /// A fault in the conditions on columns that have an index.
    private static func indexed(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (QueryTerm, ColumnSchema, Question) -> QueryTerm
    ) -> Mutant {
        Mutant(id, breaking: clauses, sentence) {
            $0.rewrite { term, question in
                guard case .comparison(_, .column(let column), .argument, _) = term,
                    question.table.columns.indices.contains(column), question.table.columns[column].isIndexed
                else { return term }
                return change(term, question.table.columns[column], question)
            }
        }
    }

    /// A fault in the conditions on the first column of a root's key.
    private static func keyBound(
        _ id: String, _ sentence: String, comparison: Comparison, is other: Comparison
    ) -> Mutant {
        Mutant(id, breaking: [.q3, .k3, .v4], sentence) {
            $0.rewrite { term, question in
                guard case .comparison(comparison, .column(let column), let value, let type) = term,
                    question.table.isRoot, question.table.key.first == column
                else { return term }
                return .comparison(other, .column(column), value, type)
            }
        }
    }

    /// Doubles that an index has otherwise than the table: in their place stand other numbers, which are read as the first ones.
    private static func entries(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ entry: @escaping @Sendable (Double) -> Double?, back: @escaping @Sendable (Double) -> Double?
    ) -> Mutant {
        Mutant(id, breaking: clauses, sentence) {
            $0.written = { value, column, _ in entered(value, column, entry) }
            $0.read = { value, column in entered(value, column, back) }
        }
    }

    private static func entered(_ value: Value, _ column: ColumnSchema, _ change: (Double) -> Double?) -> Value {
        guard column.isIndexed, column.type == .double, case .double(let number) = value else { return value }
        return change(number).map(Value.double) ?? value
    }

    /// Facts about tables that a mutant remembers, by the tables' names.
    private final class Known<Value: Sendable>: Sendable {
        let values = Mutex<[String: Value]>([:])
    }

    private static let removedColumnFilled = Mutant(
        "removed-column-filled", breaking: [.s2],
        "A removed property with a default has it in records that are inserted."
    ) { fault in
        let added = Known<[String: Value]>()
        fault.change = { change in
            if case .alter(let old, let new, let values) = change {
                for (column, value) in zip(new.columns[old.columns.count...], values) {
                    added.values.withLock { $0[new.name, default: [:]][column.name] = value }
                }
            }
            return [change]
        }
        fault.write = { write, _ throws(StorageError) in
            guard write.operation == .insert else { return }
            for (index, column) in write.table.columns.enumerated()
            where column.isRemoved && !write.columns.contains(index) {
                guard let value = added.values.withLock({ $0[write.table.name]?[column.name] }) else { continue }
                write.columns.append(index)
                for row in write.rows.indices { write.rows[row].append(value) }
            }
        }
        fault.info = { $0.lacking[.durability] = nil }
    }

    private static let alteredTableLast = Mutant(
        "altered-table-last", breaking: [.s4, .s8], "A table that is altered comes last in the list of tables."
    ) { fault in
        let altered = Known<Bool>()
        fault.change = { change in
            if case .alter(_, let new, _) = change { altered.values.withLock { $0[new.name] = true } }
            return [change]
        }
        fault.tables = { tables in
            let names = altered.values.withLock { $0 }
            return tables.filter { names[$0.name] == nil } + tables.filter { names[$0.name] != nil }
        }
    }

    private static let staleEntries = Mutant(
        "index-keeps-entries", breaking: [.q5, .w2, .w6],
        "An index keeps the entries of rows that are changed or deleted."
    ) { fault in
        let stale = Known<Int>()
        fault.write = { write, _ throws(StorageError) in
            guard write.operation != .insert, write.table.columns.contains(where: \.isIndexed) else { return }
            stale.values.withLock { $0[write.table.name, default: 0] += write.rows.count }
        }
        fault.looked = { plan in
            let asksIndex = plan.query.filter?.conjuncts.contains { term in
                plan.table.indexedColumns.contains(where: term.restricts)
            }
            return asksIndex == true ? stale.values.withLock { $0[plan.table.name] ?? 0 } : 0
        }
    }
}
