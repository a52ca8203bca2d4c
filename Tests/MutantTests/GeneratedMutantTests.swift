import StorageConformance
import TestSupport
import Testing

/// Generated programs against mutants: what the model test itself is worth.
@Suite(.repeatable) struct GeneratedMutantTests {
    private static let byPrograms = [
        "text-cut-at-nul", "nan-is-nil", "nil-sorts-last", "ties-reversed", "deleted-key-again", "update-inserts",
        "patch-skips-nil", "delete-counts-keys", "grandchildren-dropped", "not-drops-nil", "prefix-anywhere",
        "all-of-nothing-is-false", "commits-on-rollback", "savepoint-kept", "error-without-key",
    ]
    private static let byQueries = [
        "integers-computed-as-doubles", "narrow-integers-widen", "division-by-zero-is-nil", "overflow-gives-nothing",
        "conditions-from-the-right", "like-star-is-one", "case-not-folded", "diacritics-not-folded",
        "element-is-part-of-text", "counts-one-more", "counts-all-children", "having-ignored", "group-order-ignored",
        "nil-group-dropped", "distinct-keeps-doubles", "nil-placement-ignored", "orders-through-children-ignored",
        "chosen-children-are-nil",
    ]

    @Test(arguments: TestExtent.share(byPrograms + byQueries, oneOf: 11))
    func `generated programs and queries find a mutant`(_ id: String) async throws {
        var tests = tests
        if Self.byQueries.contains(id) { tests.mixture = .queries }
        let report = try await tests.run(MutantHarness(mutant: try mutant(id)))
        expect(!report.failures.isEmpty, "\(report)")
    }

    @Test func `a difference is shrunk to few calls and says how to repeat it`() async throws {
        let harness = MutantHarness(mutant: Mutant.lastChildDropped)
        let report = try await tests.run(harness)
        let failure = try #require(report.failures.first)
        expect(failure.backend, equals: "mutant")
        expect(failure.program.split(separator: "\n").count <= 3, "\(failure)")
        expect(failure.description.contains("--seed \(failure.seed)"))
        var once = GeneratedTests(programs: 1, steps: failure.steps, seed: failure.seed)
        once.isObserved = false
        let again = try await once.run(harness)
        expect(again.failures.first?.program, equals: failure.program)
    }

    private var tests: GeneratedTests {
        var tests = GeneratedTests(programs: 300, seed: 1, parallelism: 1)
        tests.mostFailures = 1
        tests.shrinkingBudget = 500
        tests.isObserved = false
        return tests
    }

    private func mutant(_ id: String) throws -> Mutant { try #require(Mutant.all.first { $0.id == id }) }
}
