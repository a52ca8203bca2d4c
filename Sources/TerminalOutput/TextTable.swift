/// A table whose columns align by display width, in any script.
package struct TextTable {
    package enum Alignment { case left, right }

    /// A column: a string literal makes one that is aligned left.
    package struct Column: ExpressibleByStringLiteral {
        package let title: String
        package let alignment: Alignment
        /// Wider cells are cut.
        package let limit: Int

        package init(_ title: String, _ alignment: Alignment = .left, limit: Int = 44) {
            self.title = title
            self.alignment = alignment
            self.limit = limit
        }

        package init(stringLiteral title: String) { self.init(title) }

        /// A column of numbers.
        package static func number(_ title: String) -> Column { Column(title, .right) }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    package init(_ columns: Column...) { self.init(columns) }
    package init(_ columns: [Column]) { self.columns = columns }

    package var isEmpty: Bool { rows.isEmpty }

    /// Adds a row: one cell for each column.
    package mutating func add(_ cells: String...) { add(cells) }

    package mutating func add(_ cells: [String]) {
        rows.append(zip(cells, columns).map { $0.printable.cut(to: $1.limit) })
    }

    /// The lines of the table: titles, a rule, the rows.
    package var lines: [String] { lines(widths(fitting: nil), hasTitles: true) }

    /// The width of each column. If the sum is wider than a line, the widest columns shrink.
    ///
    /// - Parameter least: the widths of rows that were printed before.
    package func widths(fitting line: Int?, least: [Int]? = nil) -> [Int] {
        let titles = columns.map(\.title)
        var widths = columns.indices.map { column in
            ([titles] + rows).map { $0[column].displayWidth }.reduce(least?[column] ?? 0, max)
        }
        guard let line else { return widths }
        while widths.reduce(2 * (widths.count - 1), +) > line,
            let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrowest
        {
            widths[widest] -= 1
        }
        return widths
    }

    /// No column is cut below this to make a table fit its line.
    private static let narrowest = 6

    /// The lines with the given widths; wider cells are cut.
    package func lines(_ widths: [Int], hasTitles: Bool) -> [String] {
        let rule = widths.map { String(repeating: "─", count: $0) }
        return ((hasTitles ? [columns.map(\.title), rule] : []) + rows).map { line($0, widths) }
    }

    package mutating func removeAll() { rows.removeAll(keepingCapacity: true) }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { cells[$0].cut(to: widths[$0]).padded(to: widths[$0], columns[$0].alignment) }
        let text = padded.joined(separator: "  ")
        return String(text.prefix(upTo: text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex))
    }
}
