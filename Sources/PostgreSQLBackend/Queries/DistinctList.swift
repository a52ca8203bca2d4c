/// A list without duplicates that finds the index of an element without a scan.
package struct DistinctList<Element: Hashable> {
    /// The elements, in the order in which they were added.
    package private(set) var elements: [Element] = []
    private var indexes: [Element: Int] = [:]

    /// A list without elements.
    package init() {}

    /// The index of an element, which is added at the end if it is not in the list yet.
    package mutating func index(of element: Element) -> Int {
        if let index = indexes[element] { return index }
        indexes[element] = elements.count
        elements.append(element)
        return elements.count - 1
    }

    /// Removes the elements after the first `count`.
    package mutating func removeAll(after count: Int) {
        for element in elements.dropFirst(count) { indexes[element] = nil }
        elements.removeSubrange(min(count, elements.count)...)
    }
}
