import Foundation
import StorageConformance
import TestSupport
import Testing

/// The suite's own proof: cases find the faults that mutants have.
@Suite(.repeatable) struct MutantTests {
    /// A mutant is asked the one case that is known to find it. Only if that case does not, the others are asked.
    @Test(arguments: Mutant.all)
    func `the case that is known to find a mutant finds it`(_ mutant: Mutant) async {
        let known = Kills.known[mutant.id]
        for test in Kills.candidates(for: mutant) where await Kills.kills(test, mutant) {
            guard test.id != known else { return }
            Issue.record(
                """
                \(test.id) finds \(mutant.id), \(known.map { "but \($0) no longer finds it" } ?? "which has no line yet"). Correct \
                Tests/MutantTests/Killers.swift, or run ./scripts/mutants.
                """)
            return
        }
        Issue.record("No case finds \(mutant.id): \(mutant.sentence)")
    }

    @Test func `the table of killers names all mutants, and for each a case with a clause that it breaks`() {
        expect(Set(Kills.known.keys).symmetricDifference(Mutant.all.map(\.id)), equals: [])
        expect(Mutant.all.allSatisfy { Kills.candidates(for: $0).first?.id == Kills.known[$0.id] })
    }

    @Test func `mutants stand on each engine and break clauses of each section that engines take part in`() {
        expect(Set(Mutant.all.map(\.id)).count, equals: Mutant.all.count)
        expect(Set(Mutant.all.map(\.base)), equals: [.memory, .sqlite, .archive])
        // Layers are the store's alone.
        expect(Set(Mutant.all.flatMap(\.clauses).compactMap(\.id.first)), equals: Set("VKWCQPTSEHROFM"))
    }

    @Test func `the cases for which no mutant is expected are cases of the suite`() {
        let ids = Set(Conformance.v1.cases.map(\.id))
        expect(CasesWithoutMutant.reasons.keys.filter { !ids.contains($0) }, equals: [])
    }

    @Test(arguments: [Mutant.Base.memory, .sqlite, .archive])
    func `a mutant without a fault passes`(_ base: Mutant.Base) async {
        for test in TestExtent.share(Kills.sample, oneOf: 3) {
            let result = await test.run(MutantHarness(mutant: .sound(on: base)), ConformanceOptions(seed: 1))
            expect(!result.fails, "\(test.id): \(result.outcome)")
        }
    }
}

/// Proofs about mutants and cases, not about the code that the suite tests: `scripts/test --all` runs them.
@Suite(.enabled(if: TestExtent.isLarge), .repeatable) struct MutantTableTests {
    @Test(arguments: Mutant.all)
    func `no mutant is blunt`(_ mutant: Mutant) async {
        await expect(Kills.failures(mutant) <= Kills.maximumFailures, "\(mutant.id)")
    }

    @Test(arguments: Conformance.v1.cases.map(\.id))
    func `a case finds a mutant, or is known to find none`(_ id: String) async throws {
        let test = try #require(Conformance.v1.cases.first { $0.id == id })
        await expect(Kills.killsAny(test), equals: (CasesWithoutMutant.reasons[id] == nil), "\(id)")
    }

    /// Orders are about what cases leave for each other, so those that take long are left out. All cases are run on
    /// the reference by the tests of the suite, in one order.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `no case fails on the reference, in whatever order`(_ number: UInt64) async {
        let options = ConformanceOptions(seed: 4 * UInt64(TestExtent.seed) + number)
        let report = await ConformanceRun(InMemoryHarness(), cases: Kills.quick, options: options).results()
        expect(report.results.count, equals: Kills.quick.count)
        for result in report.results where result.fails {
            Issue.record("\(result.test.id) fails with the seed \(options.seed): \(result.outcome)")
        }
    }
}

/// The correction of the table, which `scripts/mutants` runs.
struct KillerTableTests {
    private static let path = ProcessInfo.processInfo.environment["STORAGE_KILLER_TABLE"]

    @Test(.enabled(if: path != nil)) func `each mutant has a killer, which the table names`() async throws {
        let table = await KillerTable()
        try Data(table.source.utf8).write(to: URL(fileURLWithPath: try #require(Self.path)))
        expect(table.unfound, equals: [])
    }
}
