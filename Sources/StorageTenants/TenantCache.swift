/// The places that a directory has read, and whether they are still as they were read.
struct TenantCache {
    /// The moment before a lookup or a change.
    struct Start {
        fileprivate let number: Int
        /// The number of changes that were told before.
        fileprivate let changes: Int
    }

    private struct Known {
        let entry: TenantDirectory.Entry
        /// The number of the lookup or change that has found the entry.
        let number: Int
        /// The moment at which the entry was read.
        let time = ContinuousClock.now
        /// False if a change was told since the entry was read.
        var isCurrent: Bool
        /// The moment until which the entry is used without another try to read it; nil unless the directory is away.
        var triedUntil: ContinuousClock.Instant?
    }

    private var known: [String: Known] = [:]
    /// The number of lookups and changes that have begun.
    private var begun = 0
    /// The number of lookups and changes that had begun when a tenant was last found to be gone.
    private var begunAtRemoval = 0
    /// The number of changes that the store has told.
    private var changes = 0
    /// True while changes are told.
    private var isFollowed = false
    /// The task that notes changes.
    var following: Task<Void, Never>?

    /// The age at which a place is looked up again while no changes are told, and the time between two tries while the
    /// directory is away.
    private static let longestAge = Duration.seconds(1)

    mutating func begin() -> Start {
        begun += 1
        return Start(number: begun, changes: changes)
    }

    /// An entry that needs no lookup; nil for none.
    func fresh(_ tenant: String) -> TenantDirectory.Entry? {
        guard let known = known[tenant] else { return nil }
        if let end = known.triedUntil, end > .now { return known.entry }
        let isFresh = isFollowed ? known.isCurrent : known.time > .now - Self.longestAge
        return isFresh ? known.entry : nil
    }

    /// The last entry that was read, which is used while the directory is away; nil for none.
    mutating func keepStale(_ tenant: String) -> TenantDirectory.Entry? {
        known[tenant]?.triedUntil = .now + Self.longestAge
        return known[tenant]?.entry
    }

    /// Keeps an entry, unless another one was read later. Versions don't tell that: a tenant that is added again begins with the
    /// first one.
    mutating func keep(_ entry: TenantDirectory.Entry, since start: Start) {
        guard start.number > known[entry.tenant]?.number ?? begunAtRemoval else { return }
        known[entry.tenant] = Known(entry: entry, number: start.number, isCurrent: start.changes == changes)
    }

    /// Forgets a tenant that the directory no longer has.
    mutating func remove(_ tenant: String) {
        known[tenant] = nil
        begunAtRemoval = begun
    }

    // MARK: Changes

    /// Notes a change of tenants.
    ///
    /// - Parameter tenants: their names; nil if they are not known.
    mutating func noteChange(of tenants: [String]?) {
        changes += 1
        for tenant in tenants ?? Array(known.keys) {
            known[tenant]?.isCurrent = false
            known[tenant]?.triedUntil = nil
        }
    }

    /// - Returns: whether the caller has to follow the changes.
    mutating func beginFollowing() -> Bool {
        defer { isFollowed = true }
        return !isFollowed
    }

    mutating func endFollowing() {
        isFollowed = false
        noteChange(of: nil)
    }
}
