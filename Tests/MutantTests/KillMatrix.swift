import Foundation
import StorageConformance

/// Which cases find which mutants.
struct KillMatrix {
    var mutants = Mutant.all
    var cases = Conformance.v1.cases

    /// Whether the case finds the mutant: it fails where the reference passes.
    static func kills(_ test: ConformanceCase, _ mutant: Mutant) async -> Bool {
        // A mutant may make a case hang, which is to be found out soon.
        let result = await test.run(MutantHarness(mutant: mutant), ConformanceOptions(seed: 1, deadline: .seconds(60)))
        if case .failed = result.outcome { return true }
        return false
    }

    /// The cases that name a clause which the mutant breaks.
    func candidates(for mutant: Mutant) -> [ConformanceCase] {
        cases.filter { test in test.clauses.contains(where: mutant.clauses.contains) }
    }

    /// The mutants that a case may find, those that break a clause which it names first.
    func candidates(for test: ConformanceCase) -> [Mutant] {
        let (others, likely) = mutants.partitioned { $0.clauses.contains(where: test.clauses.contains) }
        return likely + others
    }

    /// The killers of each mutant, among all cases.
    func full() async -> [String: Set<String>] {
        await withTaskGroup(of: (String, Set<String>).self) { group in
            for mutant in mutants {
                group.addTask { [cases] in
                    var killers: Set<String> = []
                    for test in cases where await Self.kills(test, mutant) { killers.insert(test.id) }
                    return (mutant.id, killers)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// The matrix as a page: each mutant with its killers, and what is left over on both sides.
    func report(_ killers: [String: Set<String>]) -> String {
        let killed = mutants.filter { named(killers[$0.id], $0) > 0 }
        let useful = killers.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        let idle = cases.filter { !useful.contains($0.id) }
        var lines = [
            "# Mutants", "",
            "\(killed.count) of \(mutants.count) mutants are killed by a case that names their clause; "
                + "\(cases.count - idle.count) of \(cases.count) cases kill a mutant.", "",
            "| mutant | clauses | what is wrong | killers | that name the clause |", "|---|---|---|---|---|",
        ]
        lines += mutants.map { mutant in
            let clauses = mutant.clauses.map(\.id).joined(separator: " ")
            return
                "| \(mutant.id) | \(clauses) | \(mutant.sentence) | \(killers[mutant.id]?.count ?? 0) | "
                + "\(named(killers[mutant.id], mutant)) |"
        }
        lines += ["", "Mutants that survive:", ""]
        lines += mutants.filter { named(killers[$0.id], $0) == 0 }.map { "- \($0.id)" }
        lines +=
            ["", "Cases that kill none:", ""]
            + idle.map { "- \($0.id) (\($0.clauses.map(\.id).joined(separator: " ")))" }
        return lines.joined(separator: "\n") + "\n"
    }

    private func named(_ killers: Set<String>?, _ mutant: Mutant) -> Int {
        candidates(for: mutant).count { killers?.contains($0.id) ?? false }
    }
}

extension Array {
    /// The elements that do not meet the condition, and those that do, each in order.
    fileprivate func partitioned(_ condition: (Element) -> Bool) -> ([Element], [Element]) {
        (filter { !condition($0) }, filter(condition))
    }
}
