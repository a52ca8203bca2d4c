package import Logging
package import StorageDriver

extension StoreFile {
    /// Opens the file at a path, and calls `each` with the entries of all commits in order.
    ///
    /// For writing, the file need not exist. A torn tail is copied to another file and cut off, and the rest of an
    /// incomplete rewriting is removed. Costs one read of the whole file, in constant memory plus the largest entry.
    ///
    /// Throws `locked` if another process writes, `corrupt` with the offset for a damaged file, `schemaNewer` for a
    /// newer version, `io` or `full` if the file system fails, and errors of `each`. The file is then unchanged.
    package static func open(
        _ path: String, _ mode: Mode, options: FileOptions, layer: any FileLayer = SystemFileLayer(),
        logger: Logger, each: (Entry) throws(StorageError) -> Void
    ) throws(StorageError) -> (StoreFile, Recovery) {
        let path = try OpenFile.place(of: path, layer)
        let lock = mode == .readWrite ? try WriterLock(path, layer) : nil
        let store = StoreFile(path, mode, options: options, layer: layer, logger: logger, lock: lock)
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
            replaced = file
            return Recovery()
        }
        if let old = try XZFile(window) { return try take(old, file, each) }
        var scan = try RecoveryScan(window, mode)
        try scan.scanner.codec.requireSupport()
        try scan.run(each: each)
        commitLog = CommitLog(
            file: file, scanner: scan.scanner,
            disk: DiskState(file, written: scan.scanner.position, synced: 0, failure), isSealed: scan.endsSealed,
            preallocated: PreallocatedSpace(end: scan.scanner.position))
        return try finish(scan)
    }

    /// Reads a file that an earlier build has compressed with xz. It counts as a file without commits, which the
    /// rewriting replaces.
    private func take(
        _ old: XZFile, _ file: OpenFile, _ each: (Entry) throws(StorageError) -> Void
    ) throws(StorageError) -> Recovery {
        guard mode == .readWrite else { throw XZFile.cannotFollow(path) }
        let commits = try old.read(each: each)
        found.commits = Int(clamping: commits)
        let window = try FileWindow(file)
        if old.end < window.end {
            let torn = Recovery.TornTail(offset: old.end, size: window.end - old.end)
            let removal = TornTailRemoval(path: path, layer: layer, window: window)
            found.torn = try removal.remove(torn, sequence: commits)
        }
        (replaced, mustBeRewritten) = (file, true)
        report(found)
        return found
    }

    /// The file, for writing, locked: the lock file alone does not stop a process that uses another name of the file or
    /// has removed the lock file.
    private func openExisting() throws(StorageError) -> OpenFile? {
        guard mode == .readWrite else {
            do { return try OpenFile(path, .read, layer: layer) } catch { throw FileFailure.error(error, path) }
        }
        guard try statusAtPath() != nil else { return nil }
        guard let file = try OpenFile.locked(path, .readWrite, layer: layer) else {
            throw WriterLock.locked(path, by: "another process")
        }
        return file
    }

    /// Prepares the file for writing, so that it ends with its last commit, and all commits are on the disk.
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

    /// Rewrites the bytes that may not be on the disk, although they can be read. After a failed sync the system may
    /// treat the bytes in its memory as if they were on the disk. Another sync then returns at once, and the data are
    /// lost with the memory.
    private func writeAgain(_ scanner: CommitScanner) throws(StorageError) {
        guard let last = scanner.last else { return }
        var place = max(Int64(clamping: last.durable), scanner.knownLength)
        while let bytes = try scanner.window.run(at: place, upTo: scanner.position) {
            try scanner.window.file.write(at: place, bytes)
            place += Int64(bytes.count)
        }
    }

    /// Returns whether a writer has the file locked. The bytes after the last commit are then a commit in progress.
    /// Without locks in the file system no writer is known, and reading does not fail for that.
    private func isBeingWritten() -> Bool {
        (try? OpenFile(path, .read, layer: layer).lock(shared: true)) == false
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

    /// Removes the remains of an interrupted rewrite.
    func removeTemporary() throws(StorageError) {
        guard let status = try OpenFile.status(at: temporaryPath, layer) else { return }
        guard status.isRegular else {
            throw StorageError(.io, "\(temporaryPath) is not a file, and a file must be created there; move it away.")
        }
        do { try layer.remove(temporaryPath) } catch { throw FileFailure.error(error, temporaryPath) }
    }

    var temporaryPath: String { path + ".tmp" }
}

extension StoreFile {
    /// The result of a reader's refresh.
    package enum Refresh: Sendable, Equatable {
        /// The number of further commits that were read, possibly none.
        case commits(Int)
        /// The file was rewritten: this one stays as it is, and opening it again reads the new one.
        case replaced
    }

    /// Reads the commits that a writer has added since. Costs one system call if none exist, two if a writer has
    /// preallocated space.
    ///
    /// A commit in progress does not count yet. Each call reads its new bytes, and its last complete frame again. A
    /// removed file has no further commits.
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
