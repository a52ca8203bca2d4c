/// A growing list of numbers whose memory is reused. An array costs several times as much: each change checks for other
/// references, and each slice of it counts as one.
struct NumberList: ~Copyable {
    // Owned by this value alone and `capacity` numbers long, of which the first `count` are set.
    private var start: UnsafeMutablePointer<UInt32>
    private(set) var capacity: Int
    private(set) var count = 0

    /// - Parameter capacity: the initial capacity in numbers, at least one.
    init(capacity: Int = 64) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    /// A list of equal numbers.
    init(repeating number: UInt32, count: Int) {
        self.init(capacity: max(count, 1))
        start.initialize(repeating: number, count: count)
        self.count = count
    }

    deinit { start.deallocate() }

    @inline(__always)
    subscript(index: Int) -> UInt32 {
        get {
            precondition(index >= 0 && index < count)
            return start[index]
        }
        set {
            precondition(index >= 0 && index < count)
            start[index] = newValue
        }
    }

    /// The numbers from an index on, valid until the next change.
    @inline(__always)
    func suffix(from index: Int) -> UnsafeBufferPointer<UInt32> {
        precondition(index >= 0 && index <= count)
        return UnsafeBufferPointer(start: start + index, count: count &- index)
    }

    @inline(__always)
    mutating func append(_ number: UInt32) {
        if count == capacity { grow() }
        start[count] = number
        count &+= 1
    }

    mutating func removeAll() { count = 0 }

    /// Removes the numbers from an index on.
    @inline(__always)
    mutating func removeSuffix(from index: Int) {
        precondition(index >= 0 && index <= count)
        count = index
    }

    /// Sets all numbers to one.
    mutating func fill(with number: UInt32) { start.update(repeating: number, count: count) }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity * 2)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
        capacity *= 2
    }
}
