#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// A commit of the history with all that it changed.
    public struct HistoryCommit: Sendable {
        /// The place after this commit.
        public let token: HistoryToken
        /// The time of the commit. It is never before the time of an earlier commit, whatever the clock says.
        public let time: Date
        /// The author that the transaction named; see ``Transaction/author``.
        public let author: String?
        /// The note that the transaction attached.
        public let note: String?
        /// The origin of the commit.
        public let origin: Origin
        /// The changes in the order in which the commit made them, each record once; of the models that were asked for.
        ///
        /// One exception exists: if the commit has removed all records of a model at once, a record that it inserted again and
        /// changed can have two.
        public let changes: [RecordDelta]

        /// The commit's number.
        public var number: Int { token.commit }
    }

    /// Some commits of the history, and where the next ones begin.
    public struct HistoryPage: Sendable {
        /// The commits in their order. Commits without changes of the models that were asked for are left out.
        public let commits: [HistoryCommit]
        /// The place after the page. On the last page it is the place after the last commit of the snapshot.
        public let next: HistoryToken
        /// True if the snapshot has no further commits of interest.
        public let isLast: Bool
    }
}
