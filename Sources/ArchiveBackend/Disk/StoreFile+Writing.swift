package import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension StoreFile {
    /// Adds one commit with the body's entries; no commit if the body adds no entry.
    ///
    /// When it returns, the commit survives the process; with `durable`, also a power cut. A call that throws has added
    /// no commit. It throws the body's error, or `full` or `io` if writing fails. If a sync fails, or the written bytes
    /// cannot be taken back, every later call throws until the file is opened again.
    package func append(
        durable: Bool = true, _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        let commit = try write(willWait: durable, body)
        if durable { try commit?.wait() }
    }

    /// Writes one commit with the body's entries, and returns it without waiting for the disk; nil if no file exists
    /// yet.
    ///
    /// - Parameter willWait: whether commits are waited for, so that preallocated space for them is worthwhile.
    /// - Throws: as ``append(durable:_:)`` does.
    package func write(
        willWait: Bool, _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> WrittenCommit? {
        try require(writing: true)
        if let commitLog, let last = commitLog.scanner.last {
            try requirePresence(of: commitLog)
            let state = CommitProgress(after: last, end: commitLog.scanner.position, durable: commitLog.disk.durableEnd)
            try write(state, commitLog, isSeal: false, preallocates: willWait, body)
        } else {
            try replace(CommitProgress(store: UUID(), generation: 0), body)
        }
        guard let commitLog else { return nil }
        if !willWait { commitLog.disk.acceptUnawaited(commitLog.scanner.position) }
        return WrittenCommit(disk: commitLog.disk, end: commitLog.scanner.position)
    }

    /// Rewrites the file with the body's entries. Afterwards either the new file exists or the old one.
    ///
    /// The entries go to a temporary file, which replaces the old one when it is on the disk. Readers of the old file
    /// keep it. Sequence numbers begin at 0 again. Throws as ``append(durable:_:)`` does, and `invalidValue` if the
    /// body adds no entry.
    package func rewrite(
        _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        try require(writing: true)
        try replace(CommitProgress(store: storeID ?? UUID(), generation: generation &+ 1), body)
    }

    /// Waits until all commits are on the disk.
    package func sync() throws(StorageError) {
        try require(writing: true)
        try commitLog?.disk.wait(for: size)
    }

    /// Says in the file that it ends here: in its record of its length, or in one of version 1 by a commit without entries,
    /// so that damage in the last one cannot pass for a torn tail. All before must be on the disk. Not being able to is no
    /// failure: it adds no data.
    func seal() {
        guard let commitLog, let last = commitLog.scanner.last else { return }
        do {
            if let place = commitLog.scanner.lengthPlace {
                return try writeLength(of: commitLog, after: last, at: place)
            }
            guard !commitLog.isSealed else { return }
            let state = CommitProgress(after: last, end: commitLog.scanner.position, durable: commitLog.disk.durableEnd)
            try write(state, commitLog, isSeal: true, preallocates: false) { (writer) throws(StorageError) in
                try writer.seal()
            }
        } catch {
            logger.warning("A store file was not sealed", metadata: ["path": "\(path)", "cause": "\(error)"])
        }
    }

    private func writeLength(of commitLog: CommitLog, after last: Trailer, at place: Int64) throws(StorageError) {
        let length = commitLog.scanner.position
        guard commitLog.scanner.knownLength != length else { return }
        buffers.output.removeAll()
        LengthRecord(of: last, length: length).append(to: buffers.output, commitLog.scanner.codec)
        defer { buffers.output.removeAll() }
        try commitLog.file.write(at: place, buffers.output.bytes)
        self.commitLog?.scanner.knownLength = length
    }

    /// Throws `io` if the file no longer has its name, because writes to it would be lost.
    func requirePresence(of commitLog: CommitLog) throws(StorageError) {
        guard try statusAtPath()?.isSameFile(as: commitLog.scanner.window.status) == true else {
            throw PublishedFile.isReplaced(path)
        }
    }

    /// Writes after the last commit. If that fails, removes the written bytes.
    private func write(
        _ state: CommitProgress, _ commitLog: CommitLog, isSeal: Bool, preallocates: Bool,
        _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        let compressor = options.compressor(for: commitLog.scanner.codec)
        var preallocated = commitLog.preallocated
        preallocated.isWanted = preallocates && commitLog.scanner.codec == .zstd
        var writer = CommitWriter(
            commitLog.file, compressor: compressor, buffers: buffers, state: state, preallocated: preallocated,
            modified: layer.now())
        do {
            try body(&writer)
            try writer.finish()
        } catch {
            if writer.state.hasWritten { takeBack(commitLog) }
            throw error
        }
        guard let trailer = writer.state.last, trailer != state.last else { return }
        self.commitLog?.scanner.adopt(trailer, end: writer.state.end)
        commitLog.disk.advance(to: writer.state.end)
        self.commitLog?.isSealed = isSeal
        self.commitLog?.preallocated = writer.preallocated
    }

    private func takeBack(_ commitLog: CommitLog) {
        do { try cutPreallocatedSpace(commitLog) } catch { return failure.set(error) }
        // If this fails, every later call throws; this caller gets the first error.
        try? commitLog.disk.sync()
    }

    /// Frees the space after the last commit. A failure is ignored, since readers skip the space.
    func releasePreallocatedSpace() {
        guard let commitLog, commitLog.preallocated.end > commitLog.scanner.position else { return }
        do { try cutPreallocatedSpace(commitLog) } catch {
            logger.warning(
                "Preallocated space at the end of a store file was not given back",
                metadata: ["path": "\(path)", "cause": "\(error)"])
        }
    }

    private func cutPreallocatedSpace(_ commitLog: CommitLog) throws(StorageError) {
        try commitLog.file.truncate(to: commitLog.scanner.position)
        self.commitLog?.preallocated.release(behind: commitLog.scanner.position)
    }
}

extension StoreFile {
    /// Writes a new file and replaces the old one, if one exists.
    private func replace(
        _ state: CommitProgress, _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        try removeTemporary()
        let old = try (commitLog?.file ?? replaced)?.status()
        var published = try PublishedFile(
            path, over: old.map { .file($0) } ?? .nothing, permissions: old?.permissions ?? 0o644, at: temporaryPath,
            layer: layer)
        // The process's umask took some permissions; the owner is kept where that is possible.
        if let old { try published.file.adopt(old) }
        guard try published.file.lock() else { throw WriterLock.locked(path, by: "another process") }
        let new = try write(state, to: published.file, body)
        try published.takePlace()
        (commitLog, replaced) = (new, nil)
        do { try OpenFile.syncFolder(of: path, layer) } catch {
            // A power cut may bring the old file back, without the commits that would be added to the new one.
            failure.set(error)
            throw error
        }
    }

    private func write(
        _ state: CommitProgress, to file: OpenFile, _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> CommitLog {
        // The first commit of a file is one like others, though it is written as a file is rewritten.
        let compressor = commitLog == nil ? options.firstCompressor : options.rewritingCompressor
        var writer = CommitWriter(
            file, compressor: compressor, buffers: buffers, state: state, preallocated: PreallocatedSpace(end: 0),
            modified: layer.now(), isRewriting: true)
        try body(&writer)
        try writer.finish()
        guard let last = writer.state.last else {
            throw StorageError(.invalidValue, "A store file must have an entry; nothing was given to write.")
        }
        var scanner = CommitScanner(try FileWindow(file), options.codec)
        scanner.adopt(last, end: writer.state.end)
        if let place = writer.state.lengthPlace {
            LengthRecord(of: last, length: writer.state.end).append(to: buffers.output, options.codec)
            try file.write(at: place, buffers.output.bytes)
            buffers.output.removeAll()
            scanner.noteLength(writer.state.end, at: place)
        }
        return CommitLog(
            file: file, scanner: scanner,
            disk: DiskState(file, written: writer.state.end, synced: writer.state.end, failure), isSealed: false,
            preallocated: PreallocatedSpace(end: writer.state.end))
    }
}
