import Foundation
import StorageConformance

/// The corrected table of `Killers.swift`. A case that is known to find a mutant stays if it still finds it each time.
/// For each other mutant, the quickest case that finds it each time is chosen.
struct KillerTable {
    /// The cases, and the mutants of each that it finds.
    private(set) var mutants: [String: [String]] = [:]
    /// The mutants that no case finds.
    private(set) var unfound: [String] = []
    private var durations: [String: Duration] = [:]

    init() async {
        for test in Conformance.v1.cases {
            durations[test.id] = await test.run(MutantHarness(mutant: .sound(on: .memory))).duration
        }
        for mutant in Mutant.all {
            guard let killer = await killer(of: mutant) else {
                unfound.append(mutant.id)
                continue
            }
            mutants[killer, default: []].append(mutant.id)
        }
    }

    private func killer(of mutant: Mutant) async -> String? {
        var candidates = Kills.candidates(for: mutant)
        let isKnown = candidates.first?.id == Kills.known[mutant.id]
        candidates[(isKnown ? 1 : 0)...].sort { durations[$0.id, default: .zero] < durations[$1.id, default: .zero] }
        var slow: String?
        for test in candidates {
            let start = ContinuousClock.now
            guard await Kills.killsEachTime(test, mutant) else { continue }
            // A case that the mutant makes hang takes long each time.
            if start.duration(to: .now) < .seconds(5) { return test.id }
            slow = slow ?? test.id
        }
        return slow
    }

    /// The Swift of the table. A case with many mutants has several lines.
    var source: String {
        var lines: [String] = []
        for (test, mutants) in mutants.sorted(by: { $0.key < $1.key }) {
            var line = test
            for mutant in mutants {
                if line.count + mutant.count > 110 {
                    lines.append(line)
                    line = test
                }
                line += " " + mutant
            }
            lines.append(line)
        }
        return """
            /// A case on each line, and mutants that it finds. `scripts/mutants` corrects this table.
            let killers = \"""
            \(lines.map { "    " + $0 }.joined(separator: "\n"))
                \"""

            """
    }
}
