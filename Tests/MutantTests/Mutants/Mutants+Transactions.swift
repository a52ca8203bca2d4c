import StorageAPI
import StorageConformance

extension Mutant {
    /// T, W8: transactions, readers and the place.
    static let transactions: [Mutant] = [
        Mutant(
            "commits-on-rollback", breaking: [.t1, .t12, .w4, .h1, .e5, .c7, .s13],
            "A transaction that fails is committed."
        ) {
            $0.transaction = .commitsOnFailure
        },
        Mutant("savepoint-kept", breaking: [.t2, .t12, .h1, .e5, .w4], "A nested transaction that fails is kept.") {
            $0.transaction = .savepointKeepsFailure
        },
        Mutant("savepoint-undoes-all", breaking: [.t2, .t12], "A nested transaction that fails undoes the outer one.") {
            $0.transaction = .savepointFailureUndoesAll
        },
        Mutant("own-writes-unseen", breaking: [.t2, .w12], "A transaction does not see its own writes.") {
            $0.transaction = .ownWritesUnseen
        },
        Mutant("moving-snapshots", breaking: [.t3, .o1, .q8, .h8], "Each query of a read block sees the last commit.") {
            $0.transaction = .movingSnapshots
        },
        Mutant("dirty-reads", breaking: [.t3, .t1, .t4, .o1, .c7], "A reader sees what is not committed.") {
            $0.transaction = .dirtyReads
        },
        Mutant(
            "lookups-late", breaking: [.t3],
            "What a transaction loads by keys is not what the transactions before it have left."
        ) { $0.transaction = .looksUpEarlier },
        Mutant("busy-while-read", breaking: [.t4], "While a reader is open nothing is written.") {
            $0.transaction = .refusesWhileRead
        },
        Mutant(
            "lock-left", breaking: [.t6, .t5, .t1, .w8],
            "A store in which a write has failed leaves its place locked when it is closed."
        ) { $0.opening = .leavesLock },
        Mutant("second-opening", breaking: [.t6], "A second store shares the place, though sharing is lacking.") {
            $0.opening = .opensTwice
        },
        Mutant("annex-row-repeated", breaking: [.t13], "Rows of an annex are read on from the key itself.") {
            $0.query = { question in
                guard question.table.path == ["\u{0}annex"], question.query.isLimited else { return }
                question.query.filter = question.query.filter.map { _ in
                    .comparison(.greaterOrEqual, .column(1), .argument(1), .data)
                }
            }
        },
        Mutant("annex-stays", breaking: [.t13], "A row of an annex that was removed is there all the same.") {
            $0.write = { (write, _) throws(StorageError) in
                if write.table.path == ["\u{0}annex"], write.operation == .delete { write.rows = [] }
            }
        },
        Mutant("claims-sharing", breaking: [.t6, .e4, .s11], "Sharing is claimed, and a second store is refused.") {
            $0.info = { $0.lacking[.sharing] = nil }
        },
    ]
}
