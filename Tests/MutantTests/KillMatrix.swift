import Foundation
import StorageConformance
import Synchronization

/// Which cases find which mutants.
struct KillMatrix {
    var mutants = Mutant.all
    var cases = Conformance.v1.cases

    /// Cases that have been seen to kill a mutant which is theirs to find.
    private static let killers = Mutex<Set<String>>([])

    /// Whether a run before this has shown that the case kills a mutant which it may be asked for.
    static func isKnownToKill(_ test: ConformanceCase) -> Bool { killers.withLock { $0.contains(test.id) } }

    /// Whether the case finds the mutant: it fails where the reference passes.
    static func kills(_ test: ConformanceCase, _ mutant: Mutant) async -> Bool {
        let isKilled = await fails(test, mutant)
        if isKilled { killers.withLock { _ = $0.insert(test.id) } }
        return isKilled
    }

    private static func fails(_ test: ConformanceCase, _ mutant: Mutant) async -> Bool {
        // A mutant may make a case hang, which is to be found out soon.
        let result = await test.run(MutantHarness(mutant: mutant), ConformanceOptions(seed: 1, deadline: .seconds(60)))
        if case .failed = result.outcome { return true }
        return false
    }

    /// The cases that name a clause which the mutant breaks, the one that is known to kill it first.
    func candidates(for mutant: Mutant) -> [ConformanceCase] {
        let candidates = cases.filter { test in test.clauses.contains(where: mutant.clauses.contains) }
        let known = KnownKillers.ids[mutant.id]
        return candidates.filter { $0.id == known } + candidates.filter { $0.id != known }
    }

    /// The mutants that a case may find: the blunt ones, and those that break a clause which it names.
    func candidates(for test: ConformanceCase) -> [Mutant] {
        Mutant.blunt + mutants.filter { $0.clauses.contains(where: test.clauses.contains) }
    }

    /// The killers of each mutant, among the cases that name a clause which it breaks. Takes minutes.
    func killers() async -> [String: Set<String>] {
        var killers: [String: Set<String>] = [:]
        await withTaskGroup(of: (String, Set<String>).self) { group in
            var waiting = mutants[...]
            func add() {
                guard let mutant = waiting.popFirst() else { return }
                group.addTask { (mutant.id, await self.killers(of: mutant)) }
            }
            for _ in 0..<Self.parallelism { add() }
            for await (id, found) in group {
                killers[id] = found
                add()
            }
        }
        return killers
    }

    private static let parallelism = 4

    private func killers(of mutant: Mutant) async -> Set<String> {
        var killers: Set<String> = []
        for test in candidates(for: mutant) where await Self.kills(test, mutant) { killers.insert(test.id) }
        return killers
    }

    /// The matrix as a page: each mutant with its killers, each case with how many it kills.
    func report(_ killers: [String: Set<String>]) -> String {
        let killed = mutants.count { !(killers[$0.id]?.isEmpty ?? true) }
        let kills = cases.map { test in (test, killers.values.count { $0.contains(test.id) }) }
        var lines = [
            "# Mutants", "",
            "\(killed) of \(mutants.count) mutants are killed by a case that names their clause; "
                + "\(kills.count { $0.1 > 0 }) of \(cases.count) cases kill a mutant of a clause that they name.", "",
            "| mutant | clauses | what is wrong | cases asked | killers | one of them |", "|---|---|---|---|---|---|",
        ]
        for mutant in mutants {
            let found = killers[mutant.id] ?? []
            lines.append(
                "| \(mutant.id) | \(mutant.clauses.text) | \(mutant.sentence) | \(candidates(for: mutant).count) "
                    + "| \(found.count) | \(found.min() ?? "none") |")
        }
        lines += ["", "# Cases", "", "| case | clauses | mutants killed |", "|---|---|---|"]
        lines += kills.map { "| \($0.0.id) | \($0.0.clauses.text) | \($0.1) |" }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension [Contract] {
    /// The clauses' identifiers.
    var text: String { map(\.id).joined(separator: " ") }
}
