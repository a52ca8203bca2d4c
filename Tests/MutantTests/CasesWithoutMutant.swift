/// Cases that no mutant fails, and why none can.
enum CasesWithoutMutant {
    /// The reasons, by the cases' identifiers.
    static let reasons: [String: String] = {
        var reasons: [String: String] = [:]
        for (reason, cases) in groups {
            for id in cases.split(whereSeparator: \.isWhitespace) { reasons[String(id)] = reason }
        }
        return reasons
    }()

    private static let groups: [(reason: String, cases: String)] = [
        (
            "The store alone does it; no engine takes part.",
            """
            concurrency/reads-off-actors concurrency/actor-goes-on cancellation/waiting-writer
            cancellation/running-read concurrency/waiting-for-oneself concurrency/waiting-for-readers
            closing/everything-throws closing/builders closing/while-used closing/twice-at-once closing/in-decoder
            transactions/repeated write/argument-unchanged layers/every-write layers/net-effect
            layers/each-call layers/returned layers/deleting layers/expiry-and-copies layers/end-of-call layers/audit
            layers/seen-by-later layers/commits
            layers/mirror layers/changed-rows layers/set-values layers/refused layers/kept layers/kept-in-cascade
            layers/times layers/times-kept origins/calls-alone history/no-commit-number undo/last-of-store moving/far-behind moving/new
            moving/new-once moving/at-once moving/copied backfilling/beside backfilling/failed backfilling/new backfilling/order
            backfilling/at-once observing/equal-closure
            expiry/group
            """
        ),
        ("A mutant stands above its engine's transactions, and cannot tear one.", "faults/migration"),
        (
            "The store refuses it before an engine is asked.",
            """
            write/unstorable-set write/unstorable-filter write/unstorable-key set/key-refused set/computed-refused
            filters/too-deep forms/text-errors forms/predicate-unsupported limits/text limits/levels limits/exact-levels
            pages/negative tuples/negative evolution/two-types references/misplaced-cascade errors/unknown-property
            write/empty-arrays sets/contradictions
            """
        ),
        (
            "It counts what the store asks of an engine; a fault changes the answers.",
            """
            costs/reads-per-level costs/tables-of-many-models costs/writes-by-graph costs/matched-rows
            costs/grouped-commits
            results/asks-little results/large-ahead
            filters/column-types observing/no-query observing/changed-records
            """
        ),
        (
            "What observers are told the store makes of its own commits; engines answer their reads as any other.",
            """
            observing/present-then-later observing/first-read observing/running-write observing/skips-all-but-last
            observing/one-snapshot observing/every-form observing/other-forms observing/differences observing/related
            observing/related-of-same-model observing/closed observing/cancelled observing/no-element
            observing/never-equal observing/never-equal-beside observing/never-equal-loaded feed/unchanged
            feed/unchanged-cost feed/net-effect feed/each-once feed/gap feed/all-models
            """
        ),
        (
            "Observers and excerpts are made above the engine, from rows that other cases check.",
            "search/observed search/observed-relevance search/excerpts search/forms"
        ),
        (
            "What it proves runs in another process, on the engine below the mutant.",
            "durability/killed-in-migration results/stream-memory"
        ),
        (
            "Of records that own others the store keeps the last before an engine is asked.",
            "write/key-twice-save write/key-twice-update"
        ),
        ("Only a server loses answers, and no mutant stands on one.", "faults/lost-answer faults/nobody-answers"),
        ("Only a server's connection falls silent, and no mutant stands on one.", "faults/silent-connection"),
        ("It compares two forms of one query on one engine; a fault of the engine is in both.", "forms/text-order"),
        (
            "Only an engine that stores nothing fails it, and that fails nearly every other case too.",
            "capabilities/writing"
        ),
        (
            "The store keeps the error of a transaction's body beside the engine, whatever the engine makes of it.",
            "transactions/own-storage-error"
        ),
    ]
}
