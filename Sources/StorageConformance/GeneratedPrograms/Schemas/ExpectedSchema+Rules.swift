// The rules that bind a store after programs of several versions (clause S14): those that any of them has declared.
extension ExpectedSchema {
    /// The words that records may have.
    static let words = ["x", "é", "y", "default"]
    /// The goals to which records may refer.
    static let goals = 1...3

    /// The rules as the store shows them: what searches find, what is hidden once all times have come, and which goals cannot be
    /// deleted.
    var bound: String {
        Self.bound(
            found: hasSearched ? Self.words.map(keys(withWord:)) : nil,
            later: rows.filter { !expires($0.value) }.keys.sorted(),
            denied: Self.goals.filter { goal in rows.values.contains { refers($0, to: goal) } })
    }

    static func bound(found: [[Int]]?, later: [Int], denied: [Int]) -> String {
        "found \(found.map { "\($0)" } ?? "nothing is searched"), later \(later), denied \(denied)"
    }

    /// A model has one time of expiry: a declared one takes the place of another.
    mutating func keepOneExpiry(_ version: VersionSet) {
        guard let name = version[.root].first(where: { $0.marks.contains(.expires) })?.name else { return }
        for index in places[0].columns.indices where places[0].columns[index].name != name {
            places[0].columns[index].marks.remove(.expires)
        }
    }

    // MARK: Unique values

    /// True if two records have one value of a property that is unique.
    var hasEqualUniqueValues: Bool { rows.values.contains(where: isTaken) }

    /// Returns whether another record has a unique value of a row.
    func isTaken(_ row: Row) -> Bool {
        places[0].columns.contains { column in
            guard column.marks.contains(.unique) else { return false }
            let value = row.values[column.id] ?? .null
            return value != .null
                && rows.values.contains { $0.id != row.id && $0.values[column.id] == value }
        }
    }

    // MARK: What rows have

    private func expires(_ row: Row) -> Bool {
        places[0].columns.contains { $0.marks.contains(.expires) && row.values[$0.id] ?? .null != .null }
    }

    private func refers(_ row: Row, to goal: Int) -> Bool {
        places[row.place].columns.contains { $0.isReference && row.values[$0.id] == .int(goal) }
            || row.owned.values.joined().contains { refers($0, to: goal) }
    }

    private func keys(withWord word: String) -> [Int] {
        rows.filter { has($0.value, word) }.keys.sorted()
    }

    private func has(_ row: Row, _ word: String) -> Bool {
        places[row.place].columns.contains { column in
            guard column.marks.contains(.searched) else { return false }
            return switch row.values[column.id] {
            case .text(let text)?: text == word
            case .texts(let texts)?: texts.contains(word)
            default: false
            }
        } || row.owned.values.joined().contains { has($0, word) }
    }

    private var hasSearched: Bool {
        var (open, seen) = ([0], Set<Int>())
        while let next = open.popLast() {
            guard seen.insert(next).inserted else { continue }
            if places[next].columns.contains(where: { $0.marks.contains(.searched) }) { return true }
            open += owned(of: next).values.map(\.place)
        }
        return false
    }
}
