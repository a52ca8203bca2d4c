package import Logging
package import StorageDriver

extension StoreFile {
    /// Opens the file at a path, and calls `each` with the entries of all commits in order.
    ///
    /// For writing, the file need not be there; a tail that a broken write left is copied aside and cut off, and what
    /// a broken rewriting left is removed. Costs one read of the whole file, in constant memory beside the largest entry.
    ///
    /// Throws `locked` where somebody else writes, `corrupt` with the place for a damaged file, `schemaNewer` for a newer
    /// version, `io` or `full` where the file system fails, and what `each` throws. The file is then as it was.
    package static func open(
        _ path: String, _ mode: Mode, _ options: FileOptions, layer: any FileLayer = SystemFileLayer(),
        logger: Logger, each: (Entry) throws(StorageError) -> Void
    ) throws(StorageError) -> (StoreFile, Recovery) {
        let path = try OpenFile.place(of: path, layer)
        let lock = mode == .readWrite ? try WriterLock(path, layer) : nil
        let store = StoreFile(path, mode, options, layer, logger, lock)
        do throws(StorageError) { return (store, try store.start(each)) } catch {
            lock?.removeIfNew()
            throw error
        }
    }

    private func start(_ each: (Entry) throws(StorageError) -> Void) throws(StorageError) -> Recovery {
        if mode == .readWrite { try removeTemporary() }
        guard let file = try openExisting() else { return Recovery() }
        let window = try FileWindow(file)
        guard window.end > 0 else {
            emptyFile = file
            return Recovery()
        }
        var scan = try RecoveryScan(window, mode)
        try scan.scanner.codec.requireSupport()
        try scan.run(each: each)
        commitLog = CommitLog(
            file: file, scanner: scan.scanner,
            disk: DiskState(file, written: scan.scanner.position, synced: 0, failure), isSealed: scan.endsSealed,
            preallocated: PreallocatedSpace(end: scan.scanner.position))
        return try finish(scan)
    }

    /// The file, to write with its lock: the lock on its name alone is none for who knows it by another, or has removed the
    /// lock file.
    private func openExisting() throws(StorageError) -> OpenFile? {
        guard mode == .readWrite else {
            do { return try OpenFile(path, .read, layer) } catch { throw FileFailure.error(error, path) }
        }
        guard try statusAtPath() != nil else { return nil }
        guard let file = try OpenFile.locked(path, .readWrite, layer) else {
            throw WriterLock.locked(path, by: "another process")
        }
        return file
    }

    /// Makes the file ready to be written: nothing behind its last commit, and all commits on the disk.
    private func finish(_ scan: RecoveryScan) throws(StorageError) -> Recovery {
        var recovery = scan.recovery
        if mode == .readWrite {
            if let torn = recovery.torn {
                let removal = TornTailRemoval(path: path, layer: layer, window: scan.scanner.window)
                recovery.torn = try removal.remove(torn, sequence: scan.nextSequence)
            } else if scan.endsInPreallocatedSpace {
                try scan.scanner.window.file.truncate(to: scan.scanner.position)
            }
            try writeAgain(scan.scanner)
            try sync()
            // The file may have got its name in a renaming that a crash or a failure came before the sync of.
            try OpenFile.syncFolder(of: path, layer)
            if scan.scanner.lengthPlace != nil { seal() }
        } else if recovery.torn != nil, isBeingWritten() {
            recovery.torn = nil
        }
        found = recovery
        report(recovery)
        return recovery
    }

    /// Writes again what may not be on the disk, though it is read so. After a sync that failed the system may take what it
    /// has in memory for what the disk has: another sync then returns at once, and what was read is gone with the memory.
    private func writeAgain(_ scanner: CommitScanner) throws(StorageError) {
        guard let last = scanner.last else { return }
        var place = max(Int64(clamping: last.durable), scanner.knownLength)
        while let bytes = try scanner.window.run(at: place, upTo: scanner.position) {
            try scanner.window.file.write(at: place, bytes)
            place += Int64(bytes.count)
        }
    }

    /// Whether a writer has the file locked. What stands behind the last commit is then one that it has begun. Where the file
    /// system has no locks, nobody is known to write, and to read is no reason to fail.
    private func isBeingWritten() -> Bool {
        (try? OpenFile(path, .read, layer).lock(shared: true)) == false
    }

    private func report(_ recovery: Recovery) {
        if let torn = recovery.torn {
            logger.warning(
                "A store file ended in an unfinished commit",
                metadata: [
                    "path": "\(path)", "offset": "\(torn.offset)", "bytes": "\(torn.size)",
                    "copy": "\(torn.copy ?? "none")", "advice": "\(torn.description)",
                ])
        }
        for damage in recovery.damage {
            logger.error(
                "A part of a store file cannot be read",
                metadata: ["path": "\(path)", "bytes": "\(damage.range)", "reason": "\(damage.reason)"])
        }
    }

    /// Removes what a rewriting left that did not come to its end.
    func removeTemporary() throws(StorageError) {
        guard let status = try OpenFile.status(at: temporaryPath, layer) else { return }
        guard status.isRegular else {
            throw StorageError(.io, "\(temporaryPath) is no file, and stands where one has to be made; move it away.")
        }
        do { try layer.remove(temporaryPath) } catch { throw FileFailure.error(error, temporaryPath) }
    }

    var temporaryPath: String { path + ".tmp" }
}

extension StoreFile {
    /// What a reader finds when it looks again.
    package enum Refresh: Sendable, Equatable {
        /// So many further commits were read, perhaps none.
        case commits(Int)
        /// The file was rewritten: this one stays as it is, and opening it again reads the new one.
        case replaced
    }

    /// Reads the commits that a writer has added since. Costs one system call where there are none, two beside a writer
    /// that has preallocated space for more.
    ///
    /// What a writer has begun and not ended is not there yet; each look reads what has come of it, and its last whole frame
    /// again. A file that is gone has no further commits.
    package func refresh(each: (Entry) throws(StorageError) -> Void) throws(StorageError) -> Refresh {
        try require(writing: false)
        guard let now = try statusAtPath() else { return .commits(0) }
        guard let scanner = commitLog?.scanner else { return now.size > 0 ? .replaced : .commits(0) }
        guard now.isSameFile(as: scanner.window.status) else { return .replaced }
        if now == scanner.window.status, try !scanner.mayHaveNext() { return .commits(0) }
        try scanner.window.reload()
        var scan = RecoveryScan(scanner, mode)
        defer { commitLog?.scanner = scan.scanner }
        try scan.run(each: each)
        return .commits(scan.recovery.commits)
    }

    func statusAtPath() throws(StorageError) -> FileStatus? { try OpenFile.status(at: path, layer) }
}
