import Foundation
import StorageConformance
import TestSupport
import Testing

/// The suite's own proof: cases find the faults that mutants have. `scripts/mutants` prints which case finds which.
struct MutantTests {
    /// Some candidates take seconds, so the first that finds the mutant is enough.
    @Test(arguments: Mutant.all)
    func `a case that names a clause which a mutant breaks finds it`(_ mutant: Mutant) async {
        for test in KillMatrix.candidates(for: mutant) {
            if await KillMatrix.kills(test, mutant) { return }
        }
        Issue.record("No case finds \(mutant.id): \(mutant.sentence)")
    }

    @Test func `mutants stand on each engine and break clauses of each section that engines take part in`() {
        #expect(Set(Mutant.all.map(\.id)).count == Mutant.all.count)
        #expect(Set(Mutant.all.map(\.base)) == [.memory, .sqlite, .archive])
        // Layers are the store's alone.
        #expect(Set(Mutant.all.flatMap(\.clauses).compactMap(\.id.first)) == Set("VKWCQTSEHROF"))
    }

    @Test func `the cases for which no mutant is expected are cases of the suite`() {
        let ids = Set(Conformance.v1.cases.map(\.id))
        #expect(CasesWithoutMutant.reasons.keys.filter { !ids.contains($0) } == [])
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

    /// The whole matrix takes minutes: scripts/mutants sets the variable, and prints the page.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["STORAGE_MUTANT_MATRIX"] != nil))
    func `each case finds a mutant, or is known to find none`() async throws {
        let path = try #require(ProcessInfo.processInfo.environment["STORAGE_MUTANT_MATRIX"])
        let page = URL(fileURLWithPath: path)
        let journal = page.appendingPathExtension("journal")
        let matrix = try await KillMatrix(mutants: Mutant.all, journal: journal)
        try Data(MutantTable(matrix).text.utf8).write(to: page)
        try FileManager.default.removeItem(at: journal)
        let finding = matrix.sharpest
        for test in Conformance.v1.cases {
            let isExpected = CasesWithoutMutant.reasons[test.id] == nil
            #expect((finding[test.id] != nil) == isExpected, "\(test.id)")
        }
        #expect(Mutant.all.filter(matrix.isBlunt).map(\.id) == [])
    }
}
