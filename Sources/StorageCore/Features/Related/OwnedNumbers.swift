/// Numbers that belong to owners, which are numbers too. The numbers of one owner lie side by side, in the order of the pairs.
struct OwnedNumbers {
    private var starts: [Int]
    private var numbers: [Int]

    init(_ pairs: [(owner: Int, number: Int)], owners: Int) {
        starts = Array(repeating: 0, count: owners + 1)
        for pair in pairs { starts[pair.owner + 1] += 1 }
        for owner in 0..<owners { starts[owner + 1] += starts[owner] }
        numbers = Array(repeating: 0, count: pairs.count)
        var ends = starts
        for pair in pairs {
            numbers[ends[pair.owner]] = pair.number
            ends[pair.owner] += 1
        }
    }

    subscript(owner: Int) -> ArraySlice<Int> { numbers[starts[owner]..<starts[owner + 1]] }
}
