import Foundation
import StorageConformance
import Synchronization

/// The mutants that each case finds.
struct KillMatrix: Sendable {
    /// The killers of each mutant, among the cases that name a clause which it breaks, by their identifiers.
    var killers: [String: [String]] = [:]
    /// The number of cases in the sample that fail on each mutant.
    var failures: [String: Int] = [:]

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
    static var mostFailures: Int { sample.count / 10 }

    /// Returns whether the case finds the mutant: it fails where the backend below it passes.
    ///
    /// A mutant that makes the case hang is found soon. On a busy machine a case may pass that deadline without a mutant, and then
    /// both get more time.
    static func kills(_ test: ConformanceCase, _ mutant: Mutant) async -> Bool {
        for deadline in [20, 300] {
            guard case .failed(let failure) = await outcome(test, mutant, deadline) else { return false }
            guard failure.location == "deadline" else { return true }
            if case .passed = await outcome(test, .sound(on: mutant.base), deadline) { return true }
        }
        return false
    }

    /// Returns whether the case finds the mutant in each of five runs, since a chance finding is unreliable.
    private static func killsEachTime(_ test: ConformanceCase, _ mutant: Mutant) async -> Bool {
        for _ in 0..<5 {
            guard await kills(test, mutant) else { return false }
        }
        return true
    }

    private static func outcome(
        _ test: ConformanceCase, _ mutant: Mutant, _ deadline: Int
    ) async -> ConformanceOutcome {
        await test.run(MutantHarness(mutant: mutant), ConformanceOptions(seed: 1, deadline: .seconds(deadline))).outcome
    }

    /// The cases that name a clause which the mutant breaks.
    static func candidates(for mutant: Mutant) -> [ConformanceCase] {
        Conformance.v1.cases.filter { test in test.clauses.contains(where: mutant.clauses.contains) }
    }

    /// Returns the number of cases in the sample that fail, or one more than a sharp mutant may fail.
    static func failures(_ mutant: Mutant) async -> Int {
        var count = 0
        for test in sample where await kills(test, mutant) {
            count += 1
            if count > mostFailures { break }
        }
        return count
    }

    /// Runs every mutant against every case that names its clause, and against the sample. Takes minutes.
    ///
    /// - Parameter journal: a file that gets a line when a mutant begins, and one with what is known when it ends. What is
    ///   known already is not run again: a mutant that has ended the process is one that has begun and not ended.
    init(mutants: [Mutant], journal: URL) async throws {
        let known = ((try? String(contentsOf: journal, encoding: .utf8)) ?? "").split(separator: "\n")
        for line in known {
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 2, words[1] == "ends", let count = Int(words[2]) else { continue }
            (killers[words[0]], failures[words[0]]) = (Array(words[3...]), count)
        }
        if known.isEmpty { try Data().write(to: journal) }
        let lines = try Lines(journal)
        let mutants = mutants.filter { failures[$0.id] == nil }
        await withTaskGroup(of: (String, [String], Int).self) { group in
            var waiting = mutants[...]
            func add() {
                guard let mutant = waiting.popFirst() else { return }
                group.addTask {
                    lines.add("\(mutant) begins")
                    var killers: [String] = []
                    for test in Self.candidates(for: mutant) where await Self.killsEachTime(test, mutant) {
                        killers.append(test.id)
                    }
                    let failures = await Self.failures(mutant)
                    lines.add("\(mutant) ends \(failures) \(killers.joined(separator: " "))")
                    return (mutant.id, killers, failures)
                }
            }
            for _ in 0..<4 { add() }
            for await (id, found, count) in group {
                killers[id] = found
                failures[id] = count
                add()
            }
        }
    }

    func isBlunt(_ mutant: Mutant) -> Bool { failures[mutant.id, default: 0] > Self.mostFailures }

    /// For each case the sharpest mutant that it finds: the one that fails fewest cases.
    var sharpest: [String: Mutant] {
        var found: [String: Mutant] = [:]
        let sharp = Mutant.all.filter { !isBlunt($0) }
            .sorted { (killers[$0.id, default: []].count, $0.id) < (killers[$1.id, default: []].count, $1.id) }
        for mutant in sharp {
            for id in killers[mutant.id] ?? [] where found[id] == nil { found[id] = mutant }
        }
        return found
    }
}

/// Lines at the end of a file.
private final class Lines: Sendable {
    private let file: Mutex<FileHandle>

    init(_ url: URL) throws {
        let handle = try FileHandle(forWritingTo: url)
        try handle.seekToEnd()
        file = Mutex(handle)
    }

    func add(_ line: String) { file.withLock { try? $0.write(contentsOf: Data((line + "\n").utf8)) } }
}
