internal import Dispatch
internal import StorageDriver
import Synchronization

/// Tracks the server's role, as of the last new connections. A replica is promoted at any time, and a primary replaced.
package final class ServerRole: Sendable {
    private let replica = Atomic(false)
    /// The latest timeline of a primary; 0 before one was found. Each promotion begins another one.
    private let latest = Atomic<Int64>(0)
    /// The index of the last primary among the hosts of the address.
    private let preferred = Atomic(0)
    /// The time at which the servers were last asked for a successor, in milliseconds.
    private let searched = Atomic<UInt64>(0)

    private static let millisecondsBetweenSearches: UInt64 = 400

    package init() {}

    package var isReplica: Bool { replica.load(ordering: .acquiring) }

    func setReplica(_ isReplica: Bool) { replica.store(isReplica, ordering: .releasing) }

    // MARK: Successors

    var timeline: Int64 { latest.load(ordering: .acquiring) }

    /// Registers a primary.
    ///
    /// - Returns: false if another server has replaced it. The former primary may not know that.
    func record(timeline: Int64) -> Bool {
        latest.max(timeline, ordering: .acquiringAndReleasing).newValue == timeline
    }

    /// The index of the host at which a search for the primary begins.
    var hostIndex: Int {
        get { preferred.load(ordering: .relaxed) }
        set { preferred.store(newValue, ordering: .relaxed) }
    }

    /// Returns true if a connection is not one to a primary that another one has replaced.
    func isCurrent(_ connection: Connection) -> Bool { connection.timeline.map { $0 >= timeline } ?? true }

    /// Returns true to one caller at intervals, which then looks for a successor for all.
    func beginsSearch() -> Bool {
        let now = DispatchTime.now().uptimeNanoseconds / 1_000_000
        let last = searched.load(ordering: .relaxed)
        guard now >= last + Self.millisecondsBetweenSearches else { return false }
        return searched.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    }
}

extension PostgreSQLEngine: PromotableEngine {
    /// Returns whether the server takes writes. One that was a replica is asked for its role.
    func canWriteNow() throws(StorageError) -> Bool {
        if isReadOnly { return false }
        guard role.isReplica else { return true }
        let connection = try newConnection()
        guard !role.isReplica else { return false }
        // The store may never have been written to.
        try completeRecord(connection)
        return true
    }
}
