import StorageDriver

/// Rows sorted by some of their columns, no two of them equal in all of those.
///
/// The rows are in pages, so that a change while a reader holds them copies one page and the list of pages, not all
/// rows.
struct SortedRows {
    /// The columns to sort by, in order.
    private let columns: [(index: Int, type: ColumnType)]
    private var pages: [[[Value]]] = []

    private static let pageSize = 512

    init(by columns: [(index: Int, type: ColumnType)]) { self.columns = columns }

    var count: Int { pages.reduce(0) { $0 + $1.count } }

    // MARK: Reading

    /// The rows whose sort columns begin with the given values.
    func rows(prefix: [Value]) -> Rows { Rows(pages, from: place(of: prefix), to: place(of: prefix, isBehind: true)) }

    /// The rows whose first sort columns are within the bounds.
    func rows(within bounds: ColumnBounds) -> [Rows] {
        if let prefixes = bounds.prefixes { return Set(prefixes).map { rows(prefix: $0) } }
        return [range(bounds)]
    }

    /// The rows whose first sort column is within the bounds: in order, or by falling values of that column, and those of one
    /// value in order.
    func rows(within bounds: ColumnBounds?, descending: Bool) -> some Sequence<[Value]> {
        let all = bounds.map(range) ?? Rows(pages, from: (0, 0), to: (pages.count, 0))
        var parts = descending ? Rows(pages, from: (0, 0), to: (0, 0)) : all
        var end = all.end
        return AnyIterator {
            if let row = parts.next() { return row }
            guard descending, all.place < end, let last = row(before: end) else { return nil }
            // All rows with the value of the last one.
            let start = place(of: [last[columns[0].index]])
            parts = Rows(pages, from: start, to: end)
            end = start
            return parts.next()
        }
    }

    private func range(_ bounds: ColumnBounds) -> Rows {
        // No comparison holds for null.
        let first = bounds.upper == nil ? (0, 0) : place(of: [.null], isBehind: true)
        let start = bounds.lower.map { place(of: [$0], isBehind: bounds.isAboveLower) }
        let end = bounds.upper.map { place(of: [$0], isBehind: !bounds.isBelowUpper) }
        return Rows(pages, from: start ?? first, to: end ?? (pages.count, 0))
    }

    private func row(before place: (page: Int, row: Int)) -> [Value]? {
        if place.row > 0 { return pages[place.page][place.row - 1] }
        return place.page > 0 ? pages[place.page - 1].last : nil
    }

    /// A sequence of rows. It does not change with the table, which copies what it changes.
    struct Rows: Sequence, IteratorProtocol {
        private let pages: [[[Value]]]
        fileprivate private(set) var place: (page: Int, row: Int)
        fileprivate let end: (page: Int, row: Int)

        init(_ pages: [[[Value]]], from start: (page: Int, row: Int), to end: (page: Int, row: Int)) {
            self.pages = pages
            place = start
            self.end = end
        }

        /// The number of rows that are left.
        var count: Int {
            guard place < end else { return 0 }
            let behind = pages[place.page..<end.page].reduce(0) { $0 + $1.count } - place.row
            return behind + end.row
        }

        mutating func next() -> [Value]? {
            guard place < end else { return nil }
            defer {
                place = place.row + 1 < pages[place.page].count ? (place.page, place.row + 1) : (place.page + 1, 0)
            }
            return pages[place.page][place.row]
        }
    }

    /// The position of the first row that is not before the prefix, or of the first after all that begin with it.
    private func place(of prefix: [Value], isBehind: Bool = false) -> (page: Int, row: Int) {
        func isReached(_ row: [Value]) -> Bool {
            let order = order(row, prefix)
            return isBehind ? order == .after : order != .before
        }
        let page = Self.firstIndex(pages.count) { isReached(pages[$0][pages[$0].count - 1]) }
        guard page < pages.count else { return (page, 0) }
        return (page, Self.firstIndex(pages[page].count) { isReached(pages[page][$0]) })
    }

    private func order(_ row: [Value], _ prefix: [Value]) -> ValueOrder {
        for (column, value) in zip(columns, prefix) {
            let order = row[column.index].order(to: value, as: column.type)
            if order != .same { return order }
        }
        return .same
    }

    /// The first index for which the condition holds. It must hold for all later ones.
    private static func firstIndex(_ count: Int, where condition: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    // MARK: Changing

    /// Inserts a row, or replaces the one that is equal in all sort columns.
    mutating func put(_ row: [Value]) {
        let values = columns.map { row[$0.index] }
        let (page, place) = place(of: values)
        if page < pages.count {
            guard order(pages[page][place], values) != .same else { return pages[page][place] = row }
            pages[page].insert(row, at: place)
            splitIfFull(page)
        } else if let last = pages.indices.last {
            pages[last].append(row)
            splitIfFull(last)
        } else {
            pages = [[row]]
        }
    }

    private mutating func splitIfFull(_ page: Int) {
        guard pages[page].count > Self.pageSize else { return }
        let half = Array(pages[page][(Self.pageSize / 2)...])
        pages[page].removeSubrange((Self.pageSize / 2)...)
        pages.insert(half, at: page + 1)
    }

    /// Removes and returns the first row whose sort columns begin with the given values; nil if none exists.
    mutating func removeFirst(prefix: [Value]) -> [Value]? {
        let (page, row) = place(of: prefix)
        guard page < pages.count, order(pages[page][row], prefix) == .same else { return nil }
        defer { if pages[page].isEmpty { pages.remove(at: page) } }
        return pages[page].remove(at: row)
    }
}
