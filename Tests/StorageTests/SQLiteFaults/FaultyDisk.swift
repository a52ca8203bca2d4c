import CSQLiteFaults
import Foundation

/// The disk below one folder, as SQLite sees it: fails at a chosen call.
final class FaultyDisk {
    /// What a call meets that fails.
    struct Fault: CustomStringConvertible {
        /// Counted from arming; the first call is 1.
        var call: Int64
        var isFull = false
        var isForEver = false
        var kinds = SQLITE_FAULTS_CHANGES

        var description: String {
            "call \(call) \(isForEver ? "and all later ones fail" : "fails"), \(isFull ? "the disk is full" : "I/O error")"
        }
    }

    private let faults: OpaquePointer

    init?(_ folder: URL) {
        guard let faults = sqlite_faults_begin(folder.path) else { return nil }
        self.faults = faults
    }

    deinit { sqlite_faults_end(faults) }

    func arm(_ fault: Fault) {
        sqlite_faults_arm(
            faults, fault.call, fault.isFull ? 1 : 0, fault.isForEver ? 1 : 0, Int32(fault.kinds))
    }

    /// Counts calls, and lets none fail.
    func count(_ kinds: Int = SQLITE_FAULTS_CHANGES) { arm(Fault(call: 0, kinds: kinds)) }

    func heal() { count(0) }

    /// How many calls there were since it was armed.
    var calls: Int64 { sqlite_faults_count(faults) }

    /// The kind of the first call that failed; 0 where none has.
    var failed: Int { Int(sqlite_faults_failed(faults)) }
}
