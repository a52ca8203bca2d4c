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
        // Those that hang wait most of their time, so several wait at once.
        var killers: [String: String] = [:]
        await withTaskGroup(of: (String, String?).self) { [self] group in
            var waiting = Mutant.all[...]
            for _ in 0..<8 {
                if let mutant = waiting.popFirst() { group.addTask { (mutant.id, await killer(of: mutant)) } }
            }
            for await (mutant, found) in group {
                killers[mutant] = found
                if let mutant = waiting.popFirst() { group.addTask { (mutant.id, await killer(of: mutant)) } }
            }
        }
        for mutant in Mutant.all.map(\.id) {
            guard let killer = killers[mutant] else {
                unfound.append(mutant)
                continue
            }
            mutants[killer, default: []].append(mutant)
        }
    }

    private func killer(of mutant: Mutant) async -> String? {
        var candidates = Kills.candidates(for: mutant)
        let isKnown = candidates.first?.id == Kills.known[mutant.id]
        candidates[(isKnown ? 1 : 0)...].sort { durations[$0.id, default: .zero] < durations[$1.id, default: .zero] }
        var hanging: [ConformanceCase] = []
        for test in candidates {
            let start = ContinuousClock.now
            guard await Kills.kills(test, mutant) else { continue }
            if start.duration(to: .now) > .seconds(5) {
                hanging.append(test)
            } else if await Kills.killsEachTime(test, mutant) {
                return test.id
            }
        }
        for test in hanging where await Kills.killsEachTime(test, mutant) { return test.id }
        return nil
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
