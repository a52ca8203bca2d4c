/// A list without duplicates that finds the place of an element without going over the others.
package struct DistinctList<Element: Hashable> {
    /// The elements, in the order in which they were added.
    package private(set) var elements: [Element] = []
    private var places: [Element: Int] = [:]

    /// A list without elements.
    package init() {}

    /// The place of an element, which is added at the end if it is not in the list yet.
    package mutating func place(of element: Element) -> Int {
        if let place = places[element] { return place }
        places[element] = elements.count
        elements.append(element)
        return elements.count - 1
    }

    /// Removes the elements after the first `count`.
    package mutating func removeAll(behind count: Int) {
        for element in elements.dropFirst(count) { places[element] = nil }
        elements.removeSubrange(min(count, elements.count)...)
    }
}
