import StorageAPI
import StorageConformance

extension Mutant {
    /// T, W8: transactions, readers and the place.
    static let transactions: [Mutant] = [
        Mutant("commits-on-rollback", [.t1, .w4, .h1], "A transaction that fails is committed.") {
            $0.transaction = .commitsOnFailure
        },
        Mutant("savepoint-kept", [.t2, .h1], "A nested transaction that fails is kept.") {
            $0.transaction = .savepointKeepsFailure
        },
        Mutant("savepoint-undoes-all", [.t2], "A nested transaction that fails undoes the outer one.") {
            $0.transaction = .savepointFailureUndoesAll
        },
        Mutant("own-writes-unseen", [.t2], "A transaction does not see its own writes.") {
            $0.transaction = .ownWritesUnseen
        },
        Mutant("stale-readers", [.t3], "A reader sees the commit before the last.") { $0.transaction = .staleReaders },
        Mutant("moving-snapshots", [.t3], "Each query of a read block sees the last commit.") {
            $0.transaction = .movingSnapshots
        },
        Mutant("dirty-reads", [.t3, .t1, .t4], "A reader sees what is not committed.") { $0.transaction = .dirtyReads },
        Mutant("lock-left", [.t6, .t5, .s1], "A closed store leaves its place locked.") { $0.opening = .leavesLock },
        Mutant("second-opening", [.t6], "A second store shares the place, though sharing is lacking.") {
            $0.opening = .opensTwice
        },
        Mutant("claims-sharing", [.t6, .e4, .s11], "Sharing is claimed, and a second store is refused.") {
            $0.info = { $0.lacking[.sharing] = nil }
        },
        Mutant("claims-durability", [.w8, .e4], "Durability is claimed, and a reopened store is empty.") {
            $0.info = { $0.lacking[.durability] = nil }
            $0.opening = .forgets
        },
    ]
}
