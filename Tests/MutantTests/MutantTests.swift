import Foundation
import StorageConformance
import TestSupport
import Testing

/// The suite's own proof, which Documentation/Mutants.md publishes.
struct MutantTests {
    private static let table = MutantTable.published

    @Test(arguments: Mutant.all)
    func `a mutant is found by the cases that the page says`(_ mutant: Mutant) async throws {
        let killers = try #require(Self.table.killers[mutant.id], "Documentation/Mutants.md lacks \(mutant.id).")
        let candidates = KillMatrix.candidates(for: mutant)
        for id in killers {
            let test = try #require(
                candidates.first { $0.id == id }, "\(id) names no clause of \(mutant.id), or is no case.")
            #expect(await KillMatrix.kills(test, mutant), "\(id) does not find it: \(mutant.sentence)")
        }
    }

    @Test func `each case finds a mutant, or the page says why it cannot`() {
        let finding = Set(Self.table.killers.values.joined())
        for test in Conformance.v1.cases where !finding.contains(test.id) {
            #expect(Self.table.reasons[test.id] ?? "none" != "none", "\(test.id) finds no mutant; run scripts/mutants.")
        }
        let ids = Set(Conformance.v1.cases.map(\.id))
        #expect(CasesWithoutMutant.reasons.keys.filter { !ids.contains($0) || finding.contains($0) } == [])
    }

    @Test func `the page has the mutants that there are, on each engine and in each section`() {
        #expect(Set(Self.table.killers.keys.filter { $0 != "mutant" && $0 != "---" }) == Set(Mutant.all.map(\.id)))
        for (kind, mutants) in Mutant.kinds {
            for mutant in mutants { #expect(Self.table.text.contains(MutantTable.row(mutant, kind)), "\(mutant)") }
        }
        #expect(Set(Mutant.all.map(\.id)).count == Mutant.all.count)
        #expect(Set(Mutant.all.map(\.base)) == [.memory, .sqlite, .archive])
        #expect(Set(Mutant.all.flatMap(\.clauses).compactMap(\.id.first)) == Set("VKWCQTSEHRO"))
    }

    @Test(arguments: [Mutant.Base.memory, .sqlite, .archive])
    func `a mutant without a fault passes`(_ base: Mutant.Base) async {
        for test in TestExtent.share(KillMatrix.sample, oneOf: 3) {
            let result = await test.run(MutantHarness(mutant: .sound(on: base)), ConformanceOptions(seed: 1))
            #expect(!result.fails, "\(test.id): \(result.outcome)")
        }
    }

    @Test(arguments: TestExtent.isLarge ? Mutant.all : TestExtent.share(Mutant.all, oneOf: 20))
    func `no mutant is blunt`(_ mutant: Mutant) async {
        #expect(await KillMatrix.failures(mutant) <= KillMatrix.mostFailures, "\(mutant.id)")
    }

    /// Orders are about what cases leave behind for each other, so those that take long are left out. All cases are run on
    /// the reference by the tests of the suite, in one order.
    @Test func `no case fails on the reference, in whatever order`() async {
        for seed in 2...TestExtent.count(3) {
            let options = ConformanceOptions(seed: UInt64(seed))
            let report = await ConformanceRun(InMemoryHarness(), cases: KillMatrix.quick, options: options).results()
            #expect(report.results.count == KillMatrix.quick.count)
            for result in report.results where result.fails {
                Issue.record("\(result.test.id) fails with the seed \(seed): \(result.outcome)")
            }
        }
    }

    /// The whole matrix takes minutes: scripts/mutants sets the variable.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["STORAGE_MUTANT_MATRIX"] != nil))
    func `the page is written`() async throws {
        let path = try #require(ProcessInfo.processInfo.environment["STORAGE_MUTANT_MATRIX"])
        let page = URL(fileURLWithPath: path)
        let journal = page.appendingPathExtension("journal")
        let matrix = try await KillMatrix(mutants: Mutant.all, journal: journal)
        try Data(MutantTable(matrix).text.utf8).write(to: page)
        try FileManager.default.removeItem(at: journal)
    }
}
