/// A table whose columns align by display width, in any script.
package struct TextTable {
    package enum Alignment { case left, right }

    /// A column: a string literal makes one that is aligned left.
    package struct Column: ExpressibleByStringLiteral {
        package let title: String
        package let alignment: Alignment
        /// Wider cells are cut.
        package let limit: Int
        /// True if cells stay whole, as numbers and keys must. Such a column is left out where others become too
        /// narrow.
        package let isWhole: Bool

        package init(_ title: String, _ alignment: Alignment = .left, limit: Int = 44, isWhole: Bool = false) {
            self.title = title
            self.alignment = alignment
            self.limit = isWhole ? .max : limit
            self.isWhole = isWhole
        }

        /// The width below which the column is left out.
        fileprivate func least(_ width: Int) -> Int {
            isWhole
                ? width : min(width, max(TextTable.narrowest, min(title.displayWidth, TextTable.maximumTitleLength)))
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

    /// The width of each column; nil for one that is left out. If the sum is wider than a line, the widest columns of text
    /// shrink; if that is not enough, the last columns are left out, but not the first one.
    ///
    /// - Parameter least: the widths of rows that were printed before, whose columns stay.
    package func widths(fitting line: Int?, least: [Int?]? = nil) -> [Int?] {
        let titles = columns.map(\.title)
        var widths: [Int?] = columns.indices.map { column in
            if let least, least[column] == nil { return nil }
            return ([titles] + rows).map { $0[column].displayWidth }.reduce(least?[column] ?? 0, max)
        }
        guard let line else { return widths }
        if least == nil {
            var used = -2
            for column in columns.indices {
                let needed = used + 2 + columns[column].least(widths[column] ?? 0)
                // A narrower column after it may still fit.
                if needed > line, column > 0 { widths[column] = nil } else { used = needed }
            }
        }
        while widths.compactMap({ $0 }).reduce(-2, { $0 + $1 + 2 }) > line,
            let widest = shrinkable(widths).max(by: { $0.width < $1.width })
        {
            widths[widest.column] = widest.width - 1
        }
        return widths
    }

    /// The columns that may become narrower.
    private func shrinkable(_ widths: [Int?]) -> [(column: Int, width: Int)] {
        widths.enumerated().compactMap { column, width in
            guard let width, width > columns[column].least(width) else { return nil }
            return (column, width)
        }
    }

    /// No column is cut below this to make a table fit its line.
    private static let narrowest = 6
    /// Longer titles may be cut.
    private static let maximumTitleLength = 24

    /// The lines with the given widths; wider cells are cut.
    package func lines(_ widths: [Int?], hasTitles: Bool) -> [String] {
        let rule = widths.map { String(repeating: "─", count: $0 ?? 0) }
        return ((hasTitles ? [columns.map(\.title), rule] : []) + rows).map { line($0, widths) }
    }

    package mutating func removeAll() { rows.removeAll(keepingCapacity: true) }

    private func line(_ cells: [String], _ widths: [Int?]) -> String {
        let padded = cells.indices.compactMap { column in
            widths[column].map { cells[column].cut(to: $0).padded(to: $0, columns[column].alignment) }
        }
        let text = padded.joined(separator: "  ")
        return String(text.prefix(upTo: text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex))
    }
}
