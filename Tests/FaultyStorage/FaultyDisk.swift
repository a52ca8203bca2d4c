import CSQLiteFaults
package import Foundation

/// The disk below one folder, as SQLite sees it: fails at a chosen call.
///
/// Unchecked, because its one property never changes, and each function of C that is given it takes a lock.
package final class FaultyDisk: @unchecked Sendable {
    /// The fault that a failing call meets.
    package struct Fault: CustomStringConvertible {
        /// Counted from arming; the first call is 1.
        package var call: Int64
        package var isFull: Bool
        package var isForEver: Bool
        package var kinds: Int

        package init(call: Int64, isFull: Bool = false, isForEver: Bool = false, kinds: Int = SQLITE_FAULTS_CHANGES) {
            (self.call, self.isFull, self.isForEver, self.kinds) = (call, isFull, isForEver, kinds)
        }

        package var description: String {
            "call \(call) \(isForEver ? "and all later ones fail" : "fails"), \(isFull ? "the disk is full" : "I/O error")"
        }
    }

    private let faults: OpaquePointer

    package init?(_ folder: URL) {
        guard let faults = sqlite_faults_begin(folder.path) else { return nil }
        self.faults = faults
    }

    deinit { sqlite_faults_end(faults) }

    package func arm(_ fault: Fault) {
        sqlite_faults_arm(
            faults, fault.call, fault.isFull ? 1 : 0, fault.isForEver ? 1 : 0, Int32(fault.kinds))
    }

    /// Counts calls, and lets none fail.
    package func count(_ kinds: Int = SQLITE_FAULTS_CHANGES) { arm(Fault(call: 0, kinds: kinds)) }

    package func heal() { count(0) }

    /// Does to the files what a power cut does: what no sync has waited for is gone, but for the first bytes of it in each file,
    /// or for each second sector. All files must be closed.
    package func cutPower(keepingBytes bytes: Int64 = 0, sectors: Int32 = 0) {
        sqlite_faults_cut_power(faults, bytes, sectors)
    }

    /// The number of calls since it was armed.
    package var calls: Int64 { sqlite_faults_count(faults) }

    /// The kind of the first call that failed; 0 where none has.
    package var failed: Int { Int(sqlite_faults_failed(faults)) }
}
