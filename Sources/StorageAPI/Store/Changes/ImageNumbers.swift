import StorageDriver

/// The numbers of the rows of recursive types in an image.
///
/// A save gives the rows of a record new numbers in the order of the program's properties; undeclared properties come last.
/// Images number them in the order of the tables and of the rows, so that the same record has the same image.
struct ImageNumbers {
    private struct Place {
        let table: Int
        let row: Int
    }

    /// The rows in which a number is unique: the rows of one property and of one of its elements.
    private struct Scope: Hashable {
        /// The table of the rows at which the recursion begins.
        let entry: Int
        /// The positions on the path to the row in that table.
        let positions: [Value]
    }

    private struct Numbered: Hashable {
        let scope: Scope
        let number: Int64
    }

    /// The columns of a table for a row's number and its owner's number, which the positions precede.
    private struct Columns {
        let entry: Int
        let number: Int
        let parent: Int

        init?(_ table: ImageTable, in tables: [ImageTable]) {
            func column(_ role: ColumnSchema.Role) -> Int? { table.columns.firstIndex { $0.role == role.code } }
            guard let number = column(.node), let parent = column(.parent) else { return nil }
            (self.number, self.parent) = (number, parent)
            // All rows below the entry have numbers.
            let owners = tables.indices.filter { index in
                table.path.starts(with: tables[index].path)
                    && !tables[index].columns.contains { $0.role == ColumnSchema.Role.node.code }
            }
            entry = owners.max { tables[$0].path.count < tables[$1].path.count } ?? 0
        }

        func row(_ column: Int, _ values: [Value]) -> Numbered? {
            guard case .int(let number) = values[column] else { return nil }
            return Numbered(scope: Scope(entry: entry, positions: Array(values[..<self.number])), number: number)
        }
    }

    /// Nil for tables whose rows have no numbers.
    private let columns: [Columns?]
    /// The rows by their owner, in their order; an owner without a number is 0.
    private var owned: [Numbered: [Place]] = [:]
    /// The rows whose owner has no number.
    private var first: [Place] = []
    /// The new number of each row that an owner leads to. No two rows of the image have the same.
    private var numbers: [Numbered: Int64] = [:]

    private init(_ tables: [ImageTable]) {
        columns = tables.map { Columns($0, in: tables) }
        for (index, table) in tables.enumerated() {
            guard let columns = columns[index] else { continue }
            for (row, values) in table.rows.enumerated() {
                guard let owner = columns.row(columns.parent, values) else { continue }
                let place = Place(table: index, row: row)
                if owner.number == 0 { first.append(place) } else { owned[owner, default: []].append(place) }
            }
        }
        count(tables)
    }

    private mutating func count(_ tables: [ImageTable]) {
        var open = Array(first.reversed())
        while let place = open.popLast() {
            guard let columns = columns[place.table],
                let row = columns.row(columns.number, tables[place.table].rows[place.row]), numbers[row] == nil
            else { continue }
            numbers[row] = Int64(numbers.count + 1)
            open += owned[row]?.reversed() ?? []
        }
    }

    /// Renumbers the rows of an image, and sorts the rows of each table by their numbers, as a store does.
    static func apply(to tables: inout [ImageTable]) {
        let all = ImageNumbers(tables)
        for (index, columns) in all.columns.enumerated() {
            guard let columns else { continue }
            for row in tables[index].rows.indices {
                let values = tables[index].rows[row]
                for column in [columns.number, columns.parent] {
                    guard let new = columns.row(column, values).flatMap({ all.numbers[$0] }) else { continue }
                    tables[index].rows[row][column] = .int(new)
                }
            }
            // The positions come first, then the number.
            tables[index].rows.sort { $0[...columns.number].lexicographicallyPrecedes($1[...columns.number]) }
        }
    }
}
