/// Sets of numbers as ascending arrays.
enum SortedNumbers {
    /// The first place from one on whose number is not less. Takes the logarithm of the distance.
    @inline(__always)
    static func advance(_ numbers: [Int], _ start: Int, to number: Int) -> Int {
        var step = 1
        var low = start
        while low + step < numbers.count, numbers[low + step] < number {
            low += step
            step *= 2
        }
        var high = min(low + step, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The first place whose number is not less.
    static func place(_ numbers: [Int], of number: Int) -> Int {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    static func contains(_ numbers: [Int], _ number: Int) -> Bool {
        let place = place(numbers, of: number)
        return place < numbers.count && numbers[place] == number
    }

    static func intersection(_ left: [Int], _ right: [Int]) -> [Int] {
        Array(unsafeUninitializedCapacity: min(left.count, right.count)) { result, count in
            var (first, second) = (0, 0)
            while first < left.count, second < right.count {
                if left[first] < right[second] {
                    first = advance(left, first, to: right[second])
                } else if right[second] < left[first] {
                    second = advance(right, second, to: left[first])
                } else {
                    // Both have as many numbers as were written and this one.
                    result[count] = left[first]
                    count += 1
                    first += 1
                    second += 1
                }
            }
        }
    }

    static func difference(_ left: [Int], _ right: [Int]) -> [Int] {
        var result: [Int] = []
        var second = 0
        for number in left {
            second = second < right.count ? advance(right, second, to: number) : second
            if second >= right.count || right[second] != number { result.append(number) }
        }
        return result
    }

    /// The union, by halves.
    static func union(_ sets: [[Int]]) -> [Int] {
        var sets = sets
        while sets.count > 1 {
            var next: [[Int]] = []
            for index in stride(from: 0, to: sets.count, by: 2) {
                next.append(index + 1 < sets.count ? union(sets[index], sets[index + 1]) : sets[index])
            }
            sets = next
        }
        return sets.first ?? []
    }

    static func union(_ left: [Int], _ right: [Int]) -> [Int] {
        if left.isEmpty || right.isEmpty { return left.isEmpty ? right : left }
        var (first, second) = (0, 0)
        var result = [Int](unsafeUninitializedCapacity: left.count + right.count) { result, count in
            while first < left.count, second < right.count {
                let (one, other) = (left[first], right[second])
                // Each number that is written is one of either.
                result[count] = min(one, other)
                count += 1
                if one <= other { first += 1 }
                if other <= one { second += 1 }
            }
        }
        result += left[first...]
        result += right[second...]
        return result
    }
}
