/// A table whose columns align by display width, in any script.
struct TextTable {
    enum Alignment { case left, right }

    /// A column: a string literal makes one that is aligned left.
    struct Column: ExpressibleByStringLiteral {
        let title: String
        let alignment: Alignment
        /// Wider cells are cut.
        let limit: Int

        init(_ title: String, _ alignment: Alignment = .left, limit: Int = 44) {
            self.title = title
            self.alignment = alignment
            self.limit = limit
        }

        init(stringLiteral title: String) { self.init(title) }

        /// A column of numbers.
        static func number(_ title: String) -> Column { Column(title, .right) }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: Column...) { self.columns = columns }

    var isEmpty: Bool { rows.isEmpty }

    /// Adds a row: one cell for each column.
    mutating func add(_ cells: String...) { add(cells) }

    mutating func add(_ cells: [String]) {
        rows.append(zip(cells, columns).map { $0.printable.cut(to: $1.limit) })
    }

    /// The lines of the table: titles, a rule, the rows.
    var lines: [String] {
        let titles = columns.map(\.title)
        let widths = columns.indices.map { column in
            ([titles] + rows).map { $0[column].displayWidth }.max() ?? 0
        }
        let rule = widths.map { String(repeating: "─", count: $0) }
        return ([titles, rule] + rows).map { line($0, widths) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { cells[$0].padded(to: widths[$0], columns[$0].alignment) }
        let text = padded.joined(separator: "  ")
        return String(text.prefix(upTo: text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex))
    }
}
