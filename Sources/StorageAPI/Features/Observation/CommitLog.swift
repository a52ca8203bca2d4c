import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A commit as its observers receive it.
final class CommitEvent: Sendable {
    /// The number among the commits that the store has observed since it was opened.
    let number: Int
    /// The number in the history; nil if no history records the commit.
    let recordedNumber: Int?
    let time: Date
    let author: String?
    let note: String?
    let origin: Store.Origin
    let models: [NetChanges]

    init(_ number: Int, _ models: [NetChanges], signature: CommitSignature?) {
        self.number = number
        self.models = models
        recordedNumber = signature?.commit.map { Int($0) }
        author = signature?.author
        note = signature?.note
        origin = signature?.origin ?? .call
        time = Date()
    }

    /// The changes of a model.
    func changes(of model: StoredName) -> NetChanges? { models.first { $0.model == model } }
}

/// The last commits that changed a model, for observers that ask for them later. Bounded: an observer that comes too
/// late must read again.
struct CommitLog {
    /// Commits up to this number are not known.
    private(set) var start: Int
    private var commits: [CommitEvent] = []
    private var keyCount = 0

    private static let maximumCommits = 1000
    private static let maximumKeys = 10_000

    /// - Parameter start: the last commit that it does not have.
    init(after start: Int) { self.start = start }

    /// The commits after a number; nil if some of them are not known any more.
    func commits(after number: Int) -> ArraySlice<CommitEvent>? {
        guard number >= start else { return nil }
        // Observers are mostly near the end.
        var first = commits.endIndex
        while first > commits.startIndex, commits[first - 1].number > number { first -= 1 }
        return commits[first...]
    }

    mutating func append(_ commit: CommitEvent) {
        commits.append(commit)
        keyCount += Self.size(of: commit)
        guard commits.count > Self.maximumCommits || keyCount > Self.maximumKeys else { return }
        // Half of it goes at once, so that the mean cost of a commit is constant. The last commit stays, however large.
        var gone = 0
        while gone < commits.count - 1, gone < commits.count / 2 || keyCount > Self.maximumKeys / 2 {
            keyCount -= Self.size(of: commits[gone])
            start = commits[gone].number
            gone += 1
        }
        commits.removeFirst(gone)
    }

    private static func size(of commit: CommitEvent) -> Int { commit.models.reduce(0) { $0 + $1.count } }

    /// A commit made unknown changes.
    mutating func lose(upTo number: Int) { self = CommitLog(after: number) }
}
