/// Random numbers that a seed decides, the same on every platform and in every version.
///
/// The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
public struct Generator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, and not including, the bound, which is at least 1. The bias is beyond notice: bounds are
    /// far below 2^64.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// True so many times out of a hundred.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// One of the elements; nil where there is none.
    mutating func one<T>(of elements: [T]) -> T? { elements.isEmpty ? nil : elements[below(elements.count)] }

    /// One of the elements, the first of which is named so that there always is one.
    mutating func pick<T>(_ first: T, _ others: T...) -> T {
        let index = below(others.count + 1)
        return index == 0 ? first : others[index - 1]
    }

    /// So many values of a type.
    mutating func some<T: GeneratedValue>(_: T.Type, upTo bound: Int) -> [T] {
        (0..<below(bound + 1)).map { _ in T.random(&self) }
    }
}
