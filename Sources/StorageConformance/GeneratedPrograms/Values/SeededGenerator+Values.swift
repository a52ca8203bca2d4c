extension SeededGenerator {
    /// A number from 0 up to, and not including, the bound, which is at least 1. The bias is beyond notice: bounds are
    /// far below 2^64.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// True so many times out of a hundred.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// One of the elements; nil for an empty array.
    mutating func one<T>(of elements: [T]) -> T? { elements.isEmpty ? nil : elements[below(elements.count)] }

    /// One of the elements, the first of which is named so that there always is one.
    mutating func pick<T>(_ first: T, _ others: T...) -> T {
        let index = below(others.count + 1)
        return index == 0 ? first : others[index - 1]
    }

    /// Returns a number of values of a type.
    mutating func some<T: GeneratedValue>(_: T.Type, upTo bound: Int) -> [T] {
        (0..<below(bound + 1)).map { _ in T.random(&self) }
    }
}
