/// Where in a file the store's own entry is, so that damage to one commit leaves it in another.
struct RecordCopies {
    /// The commit from which on the schema holds that is in force.
    private(set) var since: UInt64 = 0
    /// The last commit that has the entry.
    private var last: UInt64 = 0

    /// Commits after which the entry is repeated: as few as damage of some blocks of a disk takes, and so many that its
    /// bytes are few beside theirs.
    private static let distance: UInt64 = 256

    /// Whether a commit is to repeat the entry: only one has it, or it is long ago.
    func isDue(at commit: UInt64) -> Bool { last == since || commit &- last >= Self.distance }

    mutating func note(since: UInt64, at commit: UInt64) { (self.since, last) = (since, commit) }
}
