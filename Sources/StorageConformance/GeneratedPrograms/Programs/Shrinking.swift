extension Program {
    /// The smallest program that is found to fail still: fewer calls first, then simpler values and filters.
    ///
    /// - Parameters:
    ///   - budget: the maximum number of programs to try.
    ///   - fails: whether a program fails.
    func shrunk(budget: Int, fails: (Program) async throws -> Bool) async throws -> Program {
        var best = self
        var left = budget
        var isDone = false
        while !isDone {
            isDone = true
            for candidate in best.smaller {
                guard left > 0 else { return best }
                left -= 1
                guard try await fails(candidate) else { continue }
                best = candidate
                isDone = false
                break
            }
        }
        return best
    }

    /// Programs with a part left out, the larger parts first, and then those with one simpler step.
    private var smaller: some Sequence<Program> {
        let halves = sequence(first: steps.count / 2) { $0 > 1 ? $0 / 2 : nil }.filter { $0 > 0 }
        let shorter = halves.lazy.flatMap { size in
            stride(from: 0, to: steps.count, by: size).lazy.map { start in
                Program(steps: Array(steps[..<start] + steps[Swift.min(start + size, steps.count)...]))
            }
        }
        let simpler = steps.indices.lazy.flatMap { index in
            steps[index].simpler.lazy.map { parts in
                Program(steps: Array(steps[..<index] + parts + steps[(index + 1)...]))
            }
        }
        return [AnySequence(shorter), AnySequence(simpler)].lazy.joined()
    }
}
