public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The state of a replica.
public struct SyncStatus: Sendable {
    /// The number of local commits that are patches without an outcome. Commits since the last exchange are not counted.
    public internal(set) var waiting = 0
    /// The number of these that do not fit the hub's state, so that the store does not have them until the hub decides.
    public internal(set) var aside = 0
    /// The time of the last complete exchange, by this device's clock; nil before the first.
    public internal(set) var lastExchange: Date?
    /// The error of the last exchange; nil if it succeeded.
    public internal(set) var lastError: StorageError?
    /// A Boolean value that indicates whether an exchange is running.
    public internal(set) var isExchanging = false
    /// The progress of reading all records, at first and wherever the changes are not known; nil otherwise.
    public internal(set) var reading: Progress?

    /// The progress of reading all records of some models.
    public struct Progress: Hashable, Sendable {
        /// The number of records that have arrived.
        public let records: Int
        /// The number of records at the hub, of the models that have begun. 0 if the user reads parts of them.
        public let total: Int
    }
}

/// The result of `sync`.
public struct SyncExchange: Sendable {
    /// The number of patches that were sent.
    public internal(set) var sent = 0
    /// The number of records that were brought to the hub's state.
    public internal(set) var taken = 0
    /// The outcomes, in the order of the patches. Those that are news have a number, and are kept in the store.
    public internal(set) var outcomes: [SyncOutcome] = []
    /// A Boolean value that indicates whether the hub was restored from a backup, and got back what it had lost and this replica
    /// had.
    public internal(set) var hubWentBack = false
    /// The number of messages that were answered.
    public internal(set) var roundTrips = 0

    /// The number of patches that the hub has refused.
    public var refused: Int {
        outcomes.count { if case .refused = $0.result { true } else { false } }
    }
}
