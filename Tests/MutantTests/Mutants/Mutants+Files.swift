import StorageAPI
import StorageConformance

extension Mutant {
    /// W8, T6, O9 and E3: what is in files, and who else has them.
    static let files: [Mutant] = [
        Mutant(
            "last-commit-lost-in-archive", breaking: [.w8, .s1, .s2, .s3],
            "A reopened archive lacks the last of four transactions or more, silently.",
            on: .archive
        ) { $0.opening = .losesLastCommit },
        Mutant(
            "last-commit-lost-on-sqlite", breaking: [.w8, .s1, .h3],
            "A reopened database lacks the last of four transactions or more, silently.",
            on: .sqlite
        ) { $0.opening = .losesLastCommit },
        Mutant(
            "log-forgotten", breaking: [.w8, .t1, .s5], "Commits of a process that was killed are lost.", on: .sqlite
        ) {
            $0.opening = .forgetsLog
        },
        Mutant(
            "waits-for-no-disk-on-sqlite", breaking: [.w8, .e3], "A commit is acknowledged before it is on the disk.",
            on: .sqlite
        ) { $0.opening = .waitsForNoDisk },
        Mutant(
            "waits-for-no-disk-in-archive", breaking: [.w8, .e3], "A commit is acknowledged before it is on the disk.",
            on: .archive
        ) { $0.opening = .waitsForNoDisk },
        Mutant(
            "failed-write-acknowledged-on-sqlite", breaking: [.e5],
            "A write that the disk has refused is acknowledged.",
            on: .sqlite
        ) { $0.transaction = .forgetsFailedWrites },
        Mutant(
            "failed-write-acknowledged-in-archive", breaking: [.e5],
            "A write that the disk has refused is acknowledged.",
            on: .archive
        ) { $0.transaction = .forgetsFailedWrites },
        Mutant(
            "unclosed-is-empty", breaking: [.w8, .t1], "A database that was not closed is opened as an empty one.",
            on: .sqlite
        ) {
            $0.opening = .emptiesUnclosed
        },
        Mutant("damaged-is-empty", breaking: [.e3], "A damaged file is opened as an empty one.", on: .archive) {
            $0.opening = .replacesDamaged
        },
        Mutant(
            "foreign-commits-untold", breaking: [.o9], "Observers are not told of another store's commits.", on: .sqlite
        ) {
            $0.isSilentOfOthers = true
        },
        Mutant(
            "last-row-lost-in-archive", breaking: [.w4], "Of an array of more than 100 records the last is lost.",
            on: .archive
        ) {
            $0.write = { (write, _) throws(StorageError) in
                if write.isPut, write.table.isRoot, write.rows.count > 100 { write.rows.removeLast() }
            }
        },
        Mutant(
            "last-row-lost-on-sqlite", breaking: [.w4], "Of an array of more than 100 records the last is lost.",
            on: .sqlite
        ) {
            $0.write = { (write, _) throws(StorageError) in
                if write.isPut, write.table.isRoot, write.rows.count > 100 { write.rows.removeLast() }
            }
        },
    ]
}
