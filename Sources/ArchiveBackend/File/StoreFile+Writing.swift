package import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension StoreFile {
    /// Adds one commit with what the body adds, or nothing where that is nothing.
    ///
    /// When it returns, the commit survives the process; with `durable`, also a power cut. A call that throws has added
    /// nothing: the body's own error, `full` or `io` where writing fails. Where a sync fails, or what was written cannot
    /// be taken back, every later call throws until the file is opened again.
    package func append(
        durable: Bool = true, _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        let commit = try write(willWait: durable, body)
        if durable { try commit?.wait() }
    }

    /// Writes one commit with what the body adds, and returns it without waiting for the disk; nil where there is none
    /// yet.
    ///
    /// - Parameter willWait: whether commits are waited for, so that room for them is worthwhile.
    /// - Throws: as ``append(durable:_:)`` does.
    package func write(
        willWait: Bool, _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> WrittenCommit? {
        try require(writing: true)
        if let current, let last = current.scanner.last {
            try requirePresence(of: current)
            let state = WriterState(after: last, end: current.scanner.position, durable: current.disk.durableEnd)
            try write(state, current, isSeal: false, makesRoom: willWait, body)
        } else {
            try replace(WriterState(store: UUID(), generation: 0), body)
        }
        guard let current else { return nil }
        if !willWait { current.disk.acceptUnawaited(current.scanner.position) }
        return WrittenCommit(disk: current.disk, end: current.scanner.position)
    }

    /// Writes the file anew with what the body adds: all of it is there afterwards, or the old one.
    ///
    /// The entries go to a temporary file, which takes the place of the old when it is on the disk; readers of the old
    /// one keep it. Sequence numbers begin at 0 again. Throws as ``append(durable:_:)`` does, and `invalidValue` where
    /// the body adds nothing.
    package func rewrite(
        _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        try require(writing: true)
        try replace(WriterState(store: storeID ?? UUID(), generation: generation &+ 1), body)
    }

    /// Waits until all commits are on the disk.
    package func sync() throws(StorageError) {
        try require(writing: true)
        try current?.disk.wait(for: size)
    }

    /// Says in the file that it ends here: in its record of its length, or in one of version 1 by a commit without entries,
    /// so that damage in the last one cannot pass for a torn tail. All before must be on the disk. Not being able to is no
    /// failure: it adds no data.
    func seal() {
        guard let current, let last = current.scanner.last else { return }
        do {
            if let place = current.scanner.lengthPlace { return try writeLength(of: current, after: last, at: place) }
            guard !current.isSealed else { return }
            let state = WriterState(after: last, end: current.scanner.position, durable: current.disk.durableEnd)
            try write(state, current, isSeal: true, makesRoom: false) { (writer) throws(StorageError) in
                try writer.seal()
            }
        } catch {
            logger.warning("A store file was not sealed", metadata: ["path": "\(path)", "cause": "\(error)"])
        }
    }

    private func writeLength(of current: Current, after last: Trailer, at place: Int64) throws(StorageError) {
        let length = current.scanner.position
        guard current.scanner.knownLength != length else { return }
        buffers.output.removeAll()
        LengthRecord(of: last, length: length).append(to: buffers.output, current.scanner.codec)
        defer { buffers.output.removeAll() }
        try current.file.write(at: place, buffers.output.bytes)
        self.current?.scanner.knownLength = length
    }

    /// Throws `io` where the file is not the one of its name any more: what is written to it would be lost with it.
    func requirePresence(of current: Current) throws(StorageError) {
        guard try statusAtPath()?.isSameFile(as: current.scanner.window.status) == true else {
            throw PublishedFile.isReplaced(path)
        }
    }

    /// Writes behind the last commit, and takes back what was written where that fails.
    private func write(
        _ state: WriterState, _ current: Current, isSeal: Bool, makesRoom: Bool,
        _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        let compressor = options.compressor(for: current.scanner.codec)
        var room = current.room
        room.isWanted = makesRoom && current.scanner.codec == .zstd
        var writer = CommitWriter(current.file, compressor, buffers, state, room, modified: layer.now())
        do {
            try body(&writer)
            try writer.finish()
        } catch {
            if writer.state.hasWritten { takeBack(current) }
            throw error
        }
        guard let trailer = writer.state.last, trailer != state.last else { return }
        self.current?.scanner.adopt(trailer, end: writer.state.end)
        current.disk.advance(to: writer.state.end)
        self.current?.isSealed = isSeal
        self.current?.room = writer.room
    }

    private func takeBack(_ current: Current) {
        do { try cutRoom(current) } catch { return failure.set(error) }
        // Where this fails, every later call says so; who called is told what failed first.
        try? current.disk.sync()
    }

    /// Gives back the room behind the last commit. Not being able to is no failure: readers pass over it.
    func removeRoom() {
        guard let current, current.room.end > current.scanner.position else { return }
        do { try cutRoom(current) } catch {
            logger.warning(
                "Room at the end of a store file was not given back",
                metadata: ["path": "\(path)", "cause": "\(error)"])
        }
    }

    private func cutRoom(_ current: Current) throws(StorageError) {
        try current.file.truncate(to: current.scanner.position)
        self.current?.room.remove(behind: current.scanner.position)
    }
}

extension StoreFile {
    /// Writes a new file and puts it in the place of the old one, if there is one.
    private func replace(
        _ state: WriterState, _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        try removeTemporary()
        let old = try (current?.file ?? emptyFile)?.status()
        var published = try PublishedFile(
            path, over: old.map { .file($0) } ?? .nothing, permissions: old?.permissions ?? 0o644, at: temporaryPath,
            layer: layer)
        // The process's umask took some permissions; the owner is kept where that is possible.
        if let old { try published.file.adopt(old) }
        guard try published.file.lock() else { throw WriterLock.locked(path, by: "another process") }
        let new = try write(state, to: published.file, body)
        try published.takePlace()
        (current, emptyFile) = (new, nil)
        do { try OpenFile.syncFolder(of: path, layer) } catch {
            // A power cut may bring the old file back, without what would be added to the new one.
            failure.set(error)
            throw error
        }
    }

    private func write(
        _ state: WriterState, to file: OpenFile, _ body: (inout CommitWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> Current {
        let compressor = options.rewritingCompressor
        var writer = CommitWriter(
            file, compressor, buffers, state, Room(end: 0), modified: layer.now(), isRewriting: true)
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
        return Current(
            file: file, scanner: scanner,
            disk: DiskState(file, written: writer.state.end, synced: writer.state.end, failure), isSealed: false,
            room: Room(end: writer.state.end))
    }
}
