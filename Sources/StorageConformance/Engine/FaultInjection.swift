public import StorageAPI

/// Failures that a harness makes below its backend, so that cases see what the backend makes of them.
///
/// The calls that count are those that change what a disk has: writes, syncs, truncations, renamings and removals. For a
/// backend without files they are whatever takes their place, as messages to a server.
public protocol FaultInjection: Sendable {
    /// Begins to count calls, and lets those fail that the fault names; with nil, none.
    func begin(_ fault: InjectedFault?)

    /// The number of calls since counting began.
    var calls: Int { get }

    /// The kinds of faults that the harness cannot make, each with the reason: reports name the cases that need them as not
    /// proven. By default none.
    var lacking: [InjectedFault.Kind: String] { get }

    /// The backend of the place with a durability by which a power cut may lose the last commits; nil without such a durability.
    var relaxed: (any StorageBackend)? { get }

    /// Does to the files what a power cut does: what no sync has waited for is gone, but for what is kept of it. Every store
    /// of the place is closed by then.
    func cutPower(keeping kept: UnsyncedBytes)

    /// Makes the closed store one that a later version of its format has written.
    ///
    /// - Returns: what reads all that is stored, as bytes, whatever they are: a case compares them.
    func makeNewer() throws -> @Sendable () throws -> [UInt8]
}

extension FaultInjection {
    /// None.
    public var lacking: [InjectedFault.Kind: String] { [:] }
    /// None.
    public var relaxed: (any StorageBackend)? { nil }
}

/// A call that fails.
public struct InjectedFault: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of fault that cases need of a harness.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A call fails.
        case call
        /// Calls fail as on a full disk.
        case fullDisk
        /// The power is cut.
        case powerCut
        /// The power is cut under a store of relaxed durability.
        case relaxedPowerCut
        /// A call arrives, and its answer does not.
        case lostAnswer
        /// A connection stays open, and nothing more passes on it in one direction, while others work.
        case silentConnection
        /// A store is one of a later format.
        case newerFormat
    }

    /// The number of the call; 1 is the next.
    public var call: Int
    /// A Boolean value that indicates whether all later calls fail too.
    public var isLasting: Bool
    /// A Boolean value that indicates whether it fails as on a full disk, otherwise as on a broken one.
    public var isFull: Bool
    /// A Boolean value that indicates whether the call is executed and only its answer is lost.
    public var isAnswer: Bool
    /// A Boolean value that indicates whether the connection stays open afterwards while nothing more passes in that
    /// direction: the calls on it do not arrive, or with `isAnswer` their answers. Neither side is notified.
    public var isSilent: Bool

    /// A call that fails.
    public init(
        call: Int, isLasting: Bool = false, isFull: Bool = false, isAnswer: Bool = false, isSilent: Bool = false
    ) {
        self.call = call
        self.isLasting = isLasting
        self.isFull = isFull
        self.isAnswer = isAnswer
        self.isSilent = isSilent
    }

    /// `call 3 and all later ones fail, the disk is full`.
    public var description: String {
        if isSilent {
            return "from call \(call) on nothing more of its connection's \(isAnswer ? "answers" : "calls") arrives"
        }
        return isAnswer
            ? isLasting ? "the answers from call \(call) on are lost" : "the answer of call \(call) is lost"
            : "call \(call) \(isLasting ? "and all later ones fail" : "fails"), \(isFull ? "the disk is full" : "I/O error")"
    }
}

/// The fate of bytes that no sync has waited for after a power cut. A disk writes them in any order.
public enum UnsyncedBytes: Sendable, Hashable, CaseIterable {
    case none
    /// The first 100 of them in each file.
    case beginning
    /// The bytes in sectors of 512 bytes with an even number.
    case evenSectors
    /// The bytes in sectors with an odd number.
    case oddSectors
    case all
}

extension Trial {
    /// Returns the reason why the harness cannot make faults of the kind; nil if it can.
    func missing(_ kind: InjectedFault.Kind) -> String? {
        guard let faults else { return "The harness makes no call below the backend fail: faults(at:) is nil." }
        let isLacking = kind == .relaxedPowerCut && faults.relaxed == nil
        return faults.lacking[kind] ?? (isLacking ? "The harness has no backend of relaxed durability." : nil)
    }
}
