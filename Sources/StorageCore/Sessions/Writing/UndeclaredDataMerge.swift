import StorageDriver

/// A save of records that own more than the program declares (clause S7). It reads the stored rows, joins them with the
/// saved ones, and writes the result back.
///
/// A row is the same one if it has the same declared key, unique in both arrays, or otherwise the same position in an
/// array of the same length. If a stored row with undeclared data may be any of several saved rows, the save throws
/// `schemaNewer`.
struct UndeclaredDataMerge {
    let tables: UndeclaredTables
    let writer: any StorageWriter

    private typealias Owners = [[Value]: KeptRow]

    /// Writes the owned rows of the graph's records. The root rows of these records are written already.
    func write(_ graph: GraphWriter) throws(StorageError) {
        let keys = keys(of: graph)
        let stored = try owners(keys, rows: storedRows(keys))
        let given = owners(keys, rows: givenRows(graph))
        for (index, key) in keys.enumerated() {
            guard let old = stored[key], let new = given[key] else { continue }
            do throws(StorageError) {
                try join(old, new)
            } catch {
                throw error.with {
                    $0.element = index
                    $0.key = key
                }
            }
        }
        var rows = tables.tables.map { _ in [[Value]]() }
        for key in keys {
            var number: Int64 = 0
            guard let root = given[key] else { continue }
            place(root, below: key, number: &number, into: &rows)
        }
        try replace(keys, rows)
    }

    private func keys(of graph: GraphWriter) -> KeyList {
        KeyList(width: tables.keyCount, (0..<graph.buffers[0].count).map(graph.key(of:)))
    }

    // MARK: Rows

    private func storedRows(_ keys: KeyList) throws(StorageError) -> [[KeptRow]] {
        var rows: [[KeptRow]] = [[]]
        for (index, table) in tables.tables.enumerated().dropFirst() {
            let plan = keys.count == 1 ? table.readOne : table.readSeveral
            let read = try writer.rows(plan, keys.scopeArguments).rows(width: table.schema.columns.count)
            rows.append(read.map { KeptRow(index, $0) })
        }
        return rows
    }

    private func givenRows(_ graph: GraphWriter) -> [[KeptRow]] {
        tables.tables.enumerated().map { index, table in
            guard index > 0, let binding = table.binding else { return [] }
            let buffer = graph.buffers[binding.index]
            return (0..<buffer.count).map { row in
                let kept = KeptRow(index, table.schema.columns.map { _ in .null })
                for (cell, column) in binding.columns.enumerated() {
                    kept.values[column] = buffer.row(row)[cell].value
                }
                return kept
            }
        }
    }

    /// Joins rows with their owners, and returns the roots' rows by key.
    private func owners(_ keys: KeyList, rows: [[KeptRow]]) -> Owners {
        var roots: Owners = [:]
        for key in keys { roots[key] = KeptRow(0, []) }
        var places: [Place: KeptRow] = [:]
        for row in rows.joined() { places[place(of: row)] = row }
        for (index, table) in tables.tables.enumerated() {
            for target in table.owned where tables.tables[target].node == nil {
                let count = index == 0 ? tables.keyCount : table.prefix.count
                for row in rows[target] {
                    let prefix = Array(self.prefix(of: row).prefix(count))
                    (index == 0 ? roots[prefix] : places[Place(table: index, prefix: prefix)])?.add(row)
                }
            }
        }
        for row in rows.joined() {
            let table = tables.tables[row.table]
            guard let node = table.node, let entry = table.entry, case .int(let parent) = row.values[node.parent] else {
                continue
            }
            let prefix = prefix(of: row)
            if parent != 0 {
                places[Place(table: entry, prefix: prefix, number: parent)]?.add(row)
            } else {
                (entry == 0 ? roots[prefix] : places[Place(table: entry, prefix: prefix)])?.add(row)
            }
        }
        return roots
    }

    /// The identity of a row among the rows of all roots. In a type that owns itself the numbers of all tables are one
    /// series.
    private struct Place: Hashable {
        var table: Int
        var prefix: [Value]
        var number: Int64?
    }

    private func place(of row: KeptRow) -> Place {
        let table = tables.tables[row.table]
        guard let node = table.node, let entry = table.entry, case .int(let number) = row.values[node.number] else {
            return Place(table: row.table, prefix: prefix(of: row))
        }
        return Place(table: entry, prefix: prefix(of: row), number: number)
    }

    private func prefix(of row: KeptRow) -> [Value] { tables.tables[row.table].prefix.map { row.values[$0] } }

    // MARK: Joining

    /// Copies to a row the stored columns that the program does not declare.
    private func join(_ old: KeptRow, _ new: KeptRow) throws(StorageError) {
        let table = tables.tables[new.table]
        for column in table.unknown where new.table > 0 { new.values[column] = old.values[column] }
        for target in table.owned {
            if tables.tables[target].binding == nil {
                new.owned[target] = old.owned[target]
            } else {
                for (old, new) in try pairs(old.owned[target] ?? [], new.owned[target] ?? []) { try join(old, new) }
            }
        }
    }

    /// The rows of one array that are still the same ones.
    private func pairs(_ old: [KeptRow], _ new: [KeptRow]) throws(StorageError) -> [(KeptRow, KeptRow)] {
        let (oldKeys, newKeys) = (old.map(ownKey), new.map(ownKey))
        let (oldPlaces, newPlaces) = (UniquePlaces(oldKeys), UniquePlaces(newKeys))
        var pairs: [(KeptRow, KeptRow)] = []
        // The rows that no key identifies.
        var (oldLeft, newLeft) = (Set<Int>(), Set(new.indices))
        for (index, key) in oldKeys.enumerated() {
            if oldPlaces.isUnique(key), let place = newPlaces.unique(key) {
                pairs.append((old[index], new[place]))
                newLeft.remove(place)
            } else if !oldPlaces.isUnique(key) || newPlaces.contains(key) {
                oldLeft.insert(index)
            }
        }
        if old.count == new.count {
            for index in oldLeft.intersection(newLeft) {
                pairs.append((old[index], new[index]))
                oldLeft.remove(index)
                newLeft.remove(index)
            }
        }
        if newLeft.isEmpty { return pairs }
        for index in oldLeft.sorted() {
            if let unknown = unknown(in: old[index]) { throw Self.guess(unknown) }
        }
        return pairs
    }

    /// The values of the row's declared key, if it has one.
    private func ownKey(_ row: KeptRow) -> [Value]? {
        let key = tables.tables[row.table].binding?.identity.map { row.values[$0] } ?? []
        return key.isEmpty || key.contains(where: \.isNull) ? nil : key
    }

    /// An undeclared property that has a value in the row, or in an owned one.
    private func unknown(in row: KeptRow) -> String? {
        let table = tables.tables[row.table]
        if table.binding == nil { return table.schema.path.dropFirst().joined(separator: ".") }
        if let column = table.unknown.first(where: { !row.values[$0].isNull }) {
            return table.schema.property(of: column)
        }
        for owned in table.owned.flatMap({ row.owned[$0] ?? [] }) {
            if let unknown = unknown(in: owned) { return unknown }
        }
        return nil
    }

    private static func guess(_ property: String) -> StorageError {
        StorageError(
            .schemaNewer,
            "The store has \(property), which this program does not declare, and which of the given owned records are "
                + "the records that have it cannot be identified: their keys are missing or repeated, and the array has another "
                + "length. Declare the property, or give owned records unique keys. Nothing was written.",
            property: property)
    }

    // MARK: Writing

    /// Numbers the rows that a row owns, and collects them.
    private func place(_ owner: KeptRow, below prefix: [Value], number: inout Int64, into rows: inout [[[Value]]]) {
        let table = tables.tables[owner.table]
        for target in table.owned {
            let below = tables.tables[target]
            let owned = owner.owned[target] ?? []
            let step = below.schema.isOfReferences ? ListPositions.step(ofCount: owned.count) : 1
            for (index, row) in owned.enumerated() {
                let isArray = below.node == nil && below.prefix.count > prefix.count
                let own: [Value] = isArray ? [.int(Int64(index * step))] : []
                for (column, value) in zip(below.prefix, prefix + own) { row.values[column] = value }
                if let node = below.node {
                    number += 1
                    row.values[node.number] = .int(number)
                    row.values[node.parent] = table.node.map { owner.values[$0.number] } ?? .int(0)
                }
                rows[target].append(row.values)
                place(row, below: prefix + own, number: &number, into: &rows)
            }
        }
    }

    private func replace(_ keys: KeyList, _ rows: [[[Value]]]) throws(StorageError) {
        let keyCells = keys.cells
        for (table, rows) in zip(tables.tables, rows).dropFirst() {
            _ = try writer.write(RowBatch(plan: table.delete, count: keyCells.count, cells: keyCells.cells))
            guard !rows.isEmpty else { continue }
            let cells = ValueCells(width: table.schema.columns.count)
            for row in rows { cells.add(row) }
            _ = try writer.write(RowBatch(plan: table.insert, count: cells.count, cells: cells.cells))
        }
    }
}

/// A row of a table, with its owned rows.
private final class KeptRow {
    let table: Int
    var values: [Value]
    /// By table, in order.
    var owned: [Int: [KeptRow]] = [:]

    init(_ table: Int, _ values: [Value]) {
        self.table = table
        self.values = values
    }

    func add(_ row: KeptRow) { owned[row.table, default: []].append(row) }
}

/// The position of each key in an array, if the key is unique in the array.
private struct UniquePlaces {
    private var places: [[Value]: Int?] = [:]

    init(_ keys: [[Value]?]) {
        for (index, key) in keys.enumerated() {
            if let key { places[key] = .some(places[key] == nil ? index : nil) }
        }
    }

    func contains(_ key: [Value]?) -> Bool { key.map { places[$0] != nil } ?? false }
    func unique(_ key: [Value]?) -> Int? { key.flatMap { places[$0] ?? nil } }
    func isUnique(_ key: [Value]?) -> Bool { unique(key) != nil }
}
