import StorageConformance

/// The mutants that cases find.
enum Kills {
    /// A case for each mutant that finds it each time, in little time; both by their identifiers.
    static let known: [String: String] = {
        var known: [String: String] = [:]
        for line in killers.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            for mutant in words.dropFirst() { known[mutant] = words[0] }
        }
        return known
    }()

    /// The cases that take little time.
    static let quick: [ConformanceCase] = {
        let slow = ["limits/", "results/for-each", "filters/in-1000000", "closing/while-used", "children/200x100"]
        return Conformance.v1.cases.filter { test in !slow.contains { test.id.hasPrefix($0) } }
    }()

    /// Cases that speak for all where it is asked how many fail: about a sixth of the quick ones. Chosen by their
    /// identifiers alone, so a new case does not choose others; without those that are about the store alone.
    static let sample: [ConformanceCase] = quick.filter { test in
        CasesWithoutMutant.reasons[test.id] == nil && test.id.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % 6 == 0
    }

    /// A blunt mutant fails more than a tenth of the cases: that a case finds it says nothing of the case.
    static var maximumFailures: Int { sample.count / 10 }

    /// Returns whether the case finds the mutant: it fails where the backend below it passes.
    ///
    /// A mutant that makes the case hang is found soon. On a busy machine a case may pass that deadline without a mutant, and then
    /// both get more time.
    static func kills(_ test: ConformanceCase, _ mutant: Mutant) async -> Bool {
        for deadline in [5, 60, 300] {
            guard case .failed(let failure) = await outcome(test, mutant, deadline: deadline) else { return false }
            guard failure.location == "deadline" else { return true }
            if case .passed = await outcome(test, .sound(on: mutant.base), deadline: deadline) { return true }
        }
        return false
    }

    /// Returns whether the case finds the mutant in each of five runs, since a chance finding is unreliable.
    static func killsEachTime(_ test: ConformanceCase, _ mutant: Mutant) async -> Bool {
        for _ in 0..<5 {
            guard await kills(test, mutant) else { return false }
        }
        return true
    }

    private static func outcome(
        _ test: ConformanceCase, _ mutant: Mutant, deadline: Int
    ) async -> ConformanceOutcome {
        await test.run(MutantHarness(mutant: mutant), ConformanceOptions(seed: 1, deadline: .seconds(deadline))).outcome
    }

    /// The cases that name a clause which the mutant breaks, the known one first.
    static func candidates(for mutant: Mutant) -> [ConformanceCase] {
        let all = Conformance.v1.cases.filter { test in test.clauses.contains(where: mutant.clauses.contains) }
        return all.filter { $0.id == known[mutant.id] } + all.filter { $0.id != known[mutant.id] }
    }

    /// Returns the number of cases in the sample that fail, or one more than a sharp mutant may fail.
    static func failures(_ mutant: Mutant) async -> Int {
        var count = 0
        for test in sample where await kills(test, mutant) {
            count += 1
            if count > maximumFailures { break }
        }
        return count
    }

    /// Returns whether the case finds any mutant that breaks a clause which it names.
    static func killsAny(_ test: ConformanceCase) async -> Bool {
        let all = Mutant.all.filter { mutant in test.clauses.contains(where: mutant.clauses.contains) }
        for mutant in all.filter({ known[$0.id] == test.id }) + all.filter({ known[$0.id] != test.id }) {
            if await killsEachTime(test, mutant) { return true }
        }
        return false
    }
}
