import StorageDriver

/// The difference between an array of records and the one before, by their keys.
///
/// ``apply(to:make:)`` brings the elements that belong to the records, such as the rows of a table, up to date.
public struct RecordDifference<Model: Storable>: Sendable {
    /// A record that the array no longer has.
    public struct Removal: Sendable {
        /// The index of the record in the array before.
        public let offset: Int
        /// The record as it was.
        public let record: Model
    }

    /// A record that is in both arrays.
    public struct Step: Sendable, Hashable {
        /// The index of the record in the array before.
        public let from: Int
        /// The index of the record in the new array.
        public let to: Int
    }

    /// The records whose keys are not in the new array, in the order before.
    public var removed: [Removal] = []
    /// The places in the new array of records whose keys were not in the array before, ascending.
    public var inserted: [Int] = []
    /// The records that changed places with others, as few as possible, in the new order.
    public var moved: [Step] = []
    /// The records whose stored values differ, moved or not, in the new order.
    public var changed: [Step] = []

    /// True if the arrays are equal.
    public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && changed.isEmpty }

    /// Brings an array with one element for each record up to date.
    ///
    /// - Parameters:
    ///   - elements: an element for each record of the array before.
    ///   - make: makes the element of a record that is new or changed, from its place in the new array.
    /// - Returns: false, without a change, if the array has too few elements for the difference.
    @discardableResult
    public func apply<Element>(to elements: inout [Element], make: (Int) -> Element) -> Bool {
        var fixed = Array(elements.indices)
        let gone = Set(removed.map(\.offset) + moved.map(\.from))
        guard gone.union(changed.map(\.from)).allSatisfy(elements.indices.contains) else { return false }
        fixed.removeAll(where: gone.contains)
        var placed: [(to: Int, element: Element?)] =
            inserted.map { ($0, nil) } + moved.map { ($0.to, elements[$0.from]) }
        placed.sort { $0.to < $1.to }
        guard (placed.last?.to ?? 0) < max(fixed.count + placed.count, 1) else { return false }
        var result: [Element] = []
        result.reserveCapacity(fixed.count + placed.count)
        var rest = fixed[...]
        for (to, element) in placed {
            while result.count < to, let next = rest.popFirst() { result.append(elements[next]) }
            result.append(element ?? make(to))
        }
        result += rest.map { elements[$0] }
        for step in changed where result.indices.contains(step.to) { result[step.to] = make(step.to) }
        elements = result
        return true
    }
}

/// Finds the records that have moved.
enum Moves {
    /// The indices of a longest rising run of numbers, which need not move.
    static func longestRise(_ numbers: [Int]) -> [Int] {
        // For each length, the index of the least number at which a run of that length ends.
        var ends: [Int] = []
        var before = [Int?](repeating: nil, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            before[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: [Int] = []
        var next = ends.last
        while let index = next {
            run.append(index)
            next = before[index]
        }
        return run.reversed()
    }
}
