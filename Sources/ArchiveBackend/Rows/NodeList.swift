/// The nodes of a tree, in parts: a change to one of two copies copies a part and the list of parts, so that a large tree
/// has few references to count for a small change.
struct NodeList {
    private var parts: [[RowNode]] = []
    /// For each part the index after its last node.
    private var ends: [Int] = []
    /// For each node except the last one, the prefix of its last row's key, in one array so that a search touches few
    /// nodes. The last node's prefix is only in the node: it changes with each row that is appended.
    private var prefixes: [UInt64] = []

    private static let largestPart = 32

    var count: Int { ends.last ?? 0 }
    var isEmpty: Bool { parts.isEmpty }
    var last: RowNode? { parts.last?.last }

    subscript(index: Int) -> RowNode {
        let (part, offset) = place(index)
        return parts[part][offset]
    }

    /// The index of the first node with the target, or after it; ``count`` if none exists.
    @inline(__always)
    func firstIndex(_ search: KeySearch) -> Int {
        let index = RowTree.firstIndex(prefixes.count) { index in
            search.isReached(by: prefixes[index]) { self[index].lastRow }
        }
        guard index == prefixes.count, let last else { return index }
        return last.reaches(search) ? index : index + 1
    }

    /// The node at an index, for a change after which ``noteLastRow(of:)`` is called. If another list refers to it, a
    /// copy replaces it.
    mutating func mutable(_ index: Int) -> RowNode {
        let (part, offset) = place(index)
        return Self.mutable(&parts[part][offset])
    }

    private static func mutable(_ node: inout RowNode) -> RowNode {
        if !isKnownUniquelyReferenced(&node) { node = RowNode(node) }
        return node
    }

    /// Takes the prefix of a node that has changed.
    mutating func noteLastRow(of index: Int) {
        guard index < prefixes.count else { return }
        let prefix = self[index].lastPrefix
        if prefixes[index] != prefix { prefixes[index] = prefix }
    }

    /// Inserts a node before the one at an index, or at the end.
    mutating func insert(_ node: RowNode, at index: Int) {
        guard index < count else { return append(node) }
        prefixes.insert(node.lastPrefix, at: index)
        let (part, offset) = place(index)
        parts[part].insert(node, at: offset)
        if parts[part].count > Self.largestPart {
            let half = parts[part].count / 2
            parts.insert(Array(parts[part][half...]), at: part + 1)
            parts[part].removeSubrange(half...)
        }
        number(from: part)
    }

    /// Fills the last part before it begins another, as nodes come when a file is read.
    private mutating func append(_ node: RowNode) {
        if let last { prefixes.append(last.lastPrefix) }
        if let part = parts.indices.last, parts[part].count < Self.largestPart {
            parts[part].append(node)
            ends[part] += 1
        } else {
            ends.append(count + 1)
            parts.append([node])
        }
    }

    mutating func remove(at index: Int) {
        // Where the last node goes, the one before it is the last.
        if !prefixes.isEmpty { prefixes.remove(at: min(index, prefixes.count - 1)) }
        let (part, offset) = place(index)
        parts[part].remove(at: offset)
        if parts[part].isEmpty { parts.remove(at: part) }
        number(from: part)
    }

    private mutating func number(from part: Int) {
        ends.removeSubrange(part...)
        for part in parts[part...] { ends.append(count + part.count) }
    }

    /// Returns the part that contains the node at an index, and the position in that part.
    @inline(__always)
    private func place(_ index: Int) -> (part: Int, offset: Int) {
        let part = RowTree.firstIndex(ends.count) { ends[$0] > index }
        return (part, index - (part > 0 ? ends[part - 1] : 0))
    }

    /// Returns the number of nodes that two lists share from these indexes on. Costs one step for each part that both
    /// share, and one for each node of a part that they do not.
    static func shared(_ left: NodeList, from start: Int, _ right: NodeList, from otherStart: Int) -> Int {
        var (place, otherPlace) = (left.place(start), right.place(otherStart))
        var shared = 0
        while place.part < left.parts.count, otherPlace.part < right.parts.count {
            let step: Int
            if place.offset == otherPlace.offset, isSame(left.parts[place.part], right.parts[otherPlace.part]) {
                step = left.parts[place.part].count - place.offset
            } else if left.parts[place.part][place.offset] === right.parts[otherPlace.part][otherPlace.offset] {
                step = 1
            } else {
                break
            }
            shared += step
            left.advance(&place, by: step)
            right.advance(&otherPlace, by: step)
        }
        return shared
    }

    /// Goes on within a part, or to the beginning of the next.
    private func advance(_ place: inout (part: Int, offset: Int), by step: Int) {
        place.offset += step
        if place.offset == parts[place.part].count { place = (place.part + 1, 0) }
    }

    /// Returns whether two lists are one unchanged.
    static func areSame(_ left: NodeList, _ right: NodeList) -> Bool {
        left.count == right.count && shared(left, from: 0, right, from: 0) == left.count
    }

    /// Returns whether two parts are one in memory.
    private static func isSame(_ left: [RowNode], _ right: [RowNode]) -> Bool {
        left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { left.baseAddress == $0.baseAddress } }
    }
}
