internal import Logging
package import StorageDriver
import Synchronization

/// The part of an open file that is known to be on the disk.
///
/// One thread may wait for a commit while another writes the next. Syncs run one after another. No sync runs after a
/// failed one, because the system reports a failure once, and the next sync returns as if it had succeeded.
final class DiskState: Sendable {
    private let file: OpenFile
    private let failure: WriteFailure
    private let syncing = Mutex(())
    private let written: Atomic<Int64>
    private let synced: Atomic<Int64>
    /// The end of the last commit that counts without being waited for.
    private let unawaited: Atomic<Int64>

    /// - Parameters:
    ///   - written: where the last commit ends.
    ///   - synced: where the part ends that is on the disk.
    init(_ file: OpenFile, written: Int64, synced: Int64, _ failure: WriteFailure) {
        (self.file, self.failure) = (file, failure)
        self.written = Atomic(written)
        self.synced = Atomic(synced)
        // The bytes that existed when the file was opened or rewritten count.
        unawaited = Atomic(written)
    }

    /// The end of the part that is on the disk.
    var durableEnd: Int64 { synced.load(ordering: .acquiring) }

    /// Notes that the commits up to this end are written.
    func advance(to end: Int64) { written.store(end, ordering: .releasing) }

    /// Notes that the commit with this end is valid without a sync.
    func acceptUnawaited(_ end: Int64) { unawaited.store(end, ordering: .releasing) }

    /// Cuts off the commits whose sync failed, which no caller knows, so that the file does not have them when it is
    /// reopened. If that fails, or the power fails first, it may have them.
    func takeBack() {
        try? file.truncate(to: max(durableEnd, unawaited.load(ordering: .acquiring)))
    }

    /// Waits until all bytes before an offset are on the disk. The sync includes everything that is written by then, so
    /// the next caller may not have to wait.
    ///
    /// Throws the error of a failed sync, and from then on that it failed, but not for bytes that were on the disk
    /// before.
    func wait(for end: Int64) throws(StorageError) {
        if durableEnd >= end { return }
        try syncing.withLock { (_) throws(StorageError) in
            if durableEnd >= end { return }
            try failure.check()
            let reached = written.load(ordering: .acquiring)
            try syncFile()
            synced.store(reached, ordering: .releasing)
        }
    }

    /// Waits until the disk has the file as it is.
    func sync() throws(StorageError) {
        try syncing.withLock { (_) throws(StorageError) in try syncFile() }
    }

    private func syncFile() throws(StorageError) {
        do { try file.sync(.contents) } catch {
            // The disk's contents are unknown, and another sync would not tell.
            failure.set(error)
            takeBack()
            throw error
        }
    }
}

/// A commit that is written, and perhaps not yet on the disk.
package struct WrittenCommit: Sendable {
    let disk: DiskState
    /// The end of the part.
    let end: Int64

    /// Waits until it is on the disk. Any thread may do that, while further commits are written; the commits before it
    /// are then on the disk too.
    ///
    /// Throws `io` or `full` if the sync of this commit or an earlier sync fails; the file then takes no more commits.
    package func wait() throws(StorageError) { try disk.wait(for: end) }
}

/// The reason why a file accepts no more writes until it is opened again.
final class WriteFailure: Sendable {
    private let path: String
    private let logger: Logger
    private let error = Mutex<StorageError?>(nil)

    init(_ path: String, _ logger: Logger) { (self.path, self.logger) = (path, logger) }

    var isSet: Bool { error.withLock { $0 != nil } }

    /// Throws why, if that is so.
    func check() throws(StorageError) {
        if let error = error.withLock({ $0 }) { throw error }
    }

    /// Refuses everything from now on, because the disk's contents are unknown.
    func set(_ cause: StorageError) {
        let failure = StorageError(
            .io,
            "\(path): an earlier write failed, so the disk's contents are unknown; close the store and open it "
                + "again.", underlying: cause)
        error.withLock { $0 = failure }
        logger.error("A store file failed", metadata: ["path": "\(path)", "cause": "\(cause)"])
    }

    func close() {
        let failure = StorageError(.closed, "\(path) is closed; open it again.")
        error.withLock { $0 = failure }
    }
}
