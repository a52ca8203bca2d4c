/// The numbers of the commits that an open store has made. They are kept as ranges, because a store mostly writes alone.
struct CommitNumbers {
    private var ranges: [ClosedRange<Int64>] = []
    /// The most ranges that are remembered, so that a store that shares its file for long holds little.
    private static let mostRanges = 1024

    mutating func insert(_ number: Int64) {
        // Calls that return together may come here in another order than their commits.
        var place = ranges.endIndex
        while place > 0, ranges[place - 1].lowerBound > number { place -= 1 }
        if place > 0, ranges[place - 1].upperBound >= number { return }
        var range = number...number
        if place < ranges.endIndex, ranges[place].lowerBound == number &+ 1 {
            range = number...ranges.remove(at: place).upperBound
        }
        if place > 0, ranges[place - 1].upperBound &+ 1 == number {
            ranges[place - 1] = ranges[place - 1].lowerBound...range.upperBound
        } else {
            ranges.insert(range, at: place)
        }
        if ranges.count > Self.mostRanges { ranges.removeFirst() }
    }

    func contains(_ number: Int64) -> Bool {
        ranges.last { $0.lowerBound <= number }?.contains(number) ?? false
    }
}
