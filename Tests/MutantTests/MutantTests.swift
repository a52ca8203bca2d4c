import Foundation
import StorageConformance
import TestSupport
import Testing

struct MutantTests {
    @Test(arguments: Mutant.all)
    func `a mutant is killed by a case that names its clause`(_ mutant: Mutant) async {
        for test in KillMatrix().candidates(for: mutant) where await KillMatrix.kills(test, mutant) { return }
        Issue.record("No case of \(mutant.clauses.text) finds it: \(mutant.sentence)")
    }

    @Test(arguments: Conformance.v1.cases.filter { CasesWithoutMutant.reasons[$0.id] == nil })
    func `a case kills a mutant`(_ test: ConformanceCase) async {
        if KillMatrix.isKnownToKill(test) { return }
        for mutant in KillMatrix().candidates(for: test) where await KillMatrix.kills(test, mutant) { return }
        Issue.record("No mutant fails \(test.id): \(test.sentence)")
    }

    @Test func `no case fails on the reference, in whatever order`() async {
        let first = await reference(Conformance.v1.cases, seed: 1)
        #expect(first.results.count == Conformance.v1.cases.count)
        // The slowest quarter takes no part in the other orders: they are about what cases leave behind for each other.
        let quick = first.results.sorted { $0.duration < $1.duration }.prefix(first.results.count * 3 / 4).map(\.test)
        for seed in 2...TestExtent.count(3, whole: 20) { _ = await reference(quick, seed: UInt64(seed)) }
    }

    private func reference(_ cases: [ConformanceCase], seed: UInt64) async -> ConformanceReport {
        let options = ConformanceOptions(seed: seed)
        let report = await ConformanceRun(InMemoryHarness(), cases: cases, options: options).results()
        for result in report.results where result.fails {
            Issue.record("\(result.test.id) fails with the seed \(seed): \(result.outcome)")
        }
        return report
    }

    @Test func `there are 80 mutants or more, with names of their own, in every section`() {
        #expect(Mutant.all.count >= 80)
        #expect(Set(Mutant.all.map(\.id)).count == Mutant.all.count)
        let sections = Set(Mutant.all.flatMap(\.clauses).compactMap(\.id.first))
        #expect(sections == Set("VKWCQTSEHR"))
    }

    @Test func `a reason for a case without a mutant names a case`() {
        let ids = Set(Conformance.v1.cases.map(\.id))
        #expect(CasesWithoutMutant.reasons.keys.filter { !ids.contains($0) } == [])
    }

    /// The whole matrix takes minutes: scripts/mutants sets the variable.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["STORAGE_MUTANT_MATRIX"] != nil))
    func `the whole matrix is written`() async throws {
        let path = try #require(ProcessInfo.processInfo.environment["STORAGE_MUTANT_MATRIX"])
        let matrix = KillMatrix()
        let report = matrix.report(await matrix.killers())
        try Data(report.utf8).write(to: URL(fileURLWithPath: path))
        print(report.split(separator: "\n").dropFirst().first ?? "")
    }
}
