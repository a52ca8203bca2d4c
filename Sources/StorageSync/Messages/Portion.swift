/// The number of records, changes or rows to read next, so that about some bytes are in memory together. It begins small, because the
/// size of the first ones is not known.
struct Portion {
    private(set) var count = 8
    /// The most that is read together.
    let most: Int
    /// About the number of bytes that are read together.
    let bytes: Int

    init(most: Int, bytes: Int) { (self.most, self.bytes) = (most, bytes) }

    /// Adapts the number to the bytes of the last ones, of which there were `count` at least.
    mutating func adapt(to size: Int) {
        let fitting = count * bytes / max(size, 1)
        count = min(max(fitting, 1), count * 4, most)
    }
}
