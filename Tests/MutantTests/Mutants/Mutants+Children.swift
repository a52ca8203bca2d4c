import StorageAPI
import StorageConformance

extension Mutant {
    /// C: children and arrays.
    static let children: [Mutant] = [
        owned("last-grandchild-dropped", breaking: [.c1, .c3, .w1], "The last of the children of children is lost.") {
            write in
            guard write.hasPositions, write.table.path.count > 2 else { return }
            if write.rows.count > 1 { write.rows.removeLast() }
        },
        owned("required-child-dropped", breaking: [.c1], "A child that is not Optional is lost.") { write in
            if write.table.path.count == 2, write.table.isRequired { write.rows = [] }
        },
        owned("grandchildren-dropped", breaking: [.c1, .c4], "Children of children are lost.") { write in
            if write.table.path.count > 2 { write.rows = [] }
        },
        owned(
            "deep-nodes-dropped", breaking: [.c4], "Below the fourth node of a type that owns itself nothing is stored."
        ) {
            write in
            guard let node = write.cell({ $0.role == .node }) else { return }
            write.rows = write.rows.filter { ($0[node].number ?? 0) <= 4 }
        },
        owned("children-reversed", breaking: [.c3], "Four children of an owner come in the reverse order.") { write in
            guard write.hasPositions, let place = write.cell({ $0.role == .position }) else { return }
            let owners = Dictionary(grouping: write.rows, by: { Array($0[..<place]) })
            write.rows = write.rows.map { row in
                var row = row
                let count = Int64(owners[Array(row[..<place])]?.count ?? 1)
                guard count == 4 else { return row }
                row[place] = .int(count - 1 - (row[place].number ?? 0))
                return row
            }
        },
        owned("children-by-id", breaking: [.c3], "An owner's children are ordered by their own ids.") { write in
            guard write.hasPositions, write.table.path.count == 2, let id = write.cell({ $0.property == "id" }),
                let place = write.cell({ $0.role == .position })
            else { return }
            let places = write.rows.map { $0[place] }
            write.rows = write.rows.sorted { (Array($0[..<place]), $0[id]) < (Array($1[..<place]), $1[id]) }
            for index in write.rows.indices { write.rows[index][place] = places[index] }
        },
        writes("properties-mixed", breaking: [.c2], "Children of two properties of one type share a table.") {
            write, writer throws(StorageError) in
            guard write.operation == .insert, !write.table.isRoot else { return }
            let same = try writer.tables().first { other in
                other.path.first == write.table.path.first && other.path.count == write.table.path.count
                    && other.columns.map(\.name) == write.table.columns.map(\.name)
            }
            guard let same, same.name != write.table.name else { return }
            write.table = same
            write.operation = .upsert
        },
        writes("old-children-stay", breaking: [.c3, .w2, .w12], "Children that a saved array has no more stay stored.")
        {
            write, _ throws(StorageError) in
            guard !write.table.isRoot else { return }
            if write.operation == .delete { write.rows = [] }
            if write.operation == .insert { write.operation = .upsert }
        },
        owned("equal-keyless-are-one", breaking: [.c8], "Of equal owned records without a key one is kept.") { write in
            guard write.hasPositions, write.cell({ $0.property == "id" && $0.role == .property }) == nil,
                !write.table.isOfReferences,
                let place = write.cell({ $0.role == .position })
            else { return }
            let own = write.columns.indices.filter { write.table.columns[write.columns[$0]].role == .property }
            var known: Set<[Value]> = []
            write.rows = write.rows.filter { row in
                known.insert(Array(row[..<place]) + own.map { row[$0] }).inserted
            }
        },
        writes(
            "range-takes-next", breaking: [.c2, .c3, .w6],
            "With what an owner has the first row of the next owner goes."
        ) {
            write, writer throws(StorageError) in
            guard write.operation == .delete, !write.table.isRoot, write.columns == [write.table.key[0]] else { return }
            let next = Set(write.rows.compactMap { $0[0].number.map { Value.int($0 &+ 1) } })
            var others = Write(deletingFrom: write.table)
            for key in try writer.values(of: write.table, write.table.key)
            where next.contains(key[0]) && !others.rows.contains(where: { $0[0] == key[0] }) {
                others.rows.append(key)
            }
            _ = try others.run(on: writer)
        },
        writes("absent-array-is-empty", breaking: [.c3, .v3], "An array of children that is nil becomes empty.") {
            write, _ throws(StorageError) in
            guard write.isPut, let presence = write.cell({ $0.role == .presence }) else { return }
            for index in write.rows.indices { write.rows[index][presence] = .int(1) }
        },
        writes("empty-array-is-absent", breaking: [.c3, .v3], "An array of children is nil.") {
            write, _ throws(StorageError) in
            guard write.isPut, let presence = write.cell({ $0.role == .presence }) else { return }
            for index in write.rows.indices { write.rows[index][presence] = .int(0) }
        },
        Mutant("owned-query-loses-first", breaking: [.c5], "A sorted query for owned records leaves out the first.") {
            $0.rows = { rows, question in
                guard !question.table.isRoot, case .all = question.query.scope, !question.query.order.isEmpty else {
                    return rows
                }
                return Array(rows.dropFirst())
            }
        },
        writes(
            "root-is-owned", breaking: [.c5],
            "A record that is stored by itself takes the place of owned ones with its key."
        ) {
            write, writer throws(StorageError) in
            guard write.isPut, write.table.isRoot, let id = write.cell({ $0.property == "id" }) else { return }
            let ids = Set(write.rows.map { $0[id] })
            for table in try writer.tables() where !table.isRoot {
                guard let column = table.columns.firstIndex(where: { $0.role == .property && $0.property == "id" }),
                    table.columns.count(where: { $0.role == .property }) == write.table.columns.count
                else { continue }
                let taken = try writer.values(of: table, table.key + [column])
                    .filter { $0.last.map(ids.contains) ?? false }
                var removal = Write(deletingFrom: table)
                removal.rows = taken.map { Array($0.dropLast()) }
                _ = try removal.run(on: writer)
            }
        },
        Mutant("failed-graph-stays", breaking: [.c7, .t1], "What a failing call has written before stays.") {
            $0.transaction = .commitsOnFailure
        },
    ]

    /// A blunt one, which says nothing of a case, but of what generated programs find and are shrunk to.
    static let lastChildDropped = owned(
        "last-child-dropped", breaking: [.c1, .c3], "The last of an owner's children is lost."
    ) {
        write in
        guard write.hasPositions else { return }
        if write.rows.count > 1 { write.rows.removeLast() }
    }

    /// A fault in the owned rows that are stored.
    private static func owned(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (inout Write) -> Void
    ) -> Mutant {
        writes(id, breaking: clauses, sentence) { write, _ throws(StorageError) in
            if write.operation == .insert, !write.table.isRoot { change(&write) }
        }
    }
}

extension Write {
    /// True if the rows stand in an array.
    fileprivate var hasPositions: Bool { cell { $0.role == .position } != nil }
    fileprivate var hasNodes: Bool { cell { $0.role == .node } != nil }
}

private func < (left: ([Value], Value), right: ([Value], Value)) -> Bool {
    left.0 == right.0 ? left.1 < right.1 : left.0.lexicographicallyPrecedes(right.0)
}
