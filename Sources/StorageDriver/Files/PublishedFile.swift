/// A file that is written under a temporary name and renamed when it is complete and on the disk. Every file that this
/// package replaces is replaced this way.
package struct PublishedFile: ~Copyable {
    /// The files that may exist at the path when the file is renamed to it.
    package enum Destination: Sendable {
        case nothing
        /// No file, or a file that is replaced.
        case anyFile
        /// This file and no other: another process may have replaced it meanwhile.
        case file(FileStatus)
    }

    /// The file that is written.
    package let file: OpenFile
    /// Its path while it is written.
    package let temporaryPath: String
    private let path: String
    private let destination: Destination
    private let layer: any FileLayer
    private var isPlaced = false

    /// Makes the file.
    ///
    /// - Parameter temporaryPath: its temporary path; by default a unique one.
    /// - Throws: `io` if the path is taken, or is not a regular file; errors of creating the file.
    package init(
        _ path: String, over destination: Destination, permissions: UInt32 = 0o644, at temporaryPath: String? = nil,
        layer: any FileLayer = SystemFileLayer()
    ) throws(StorageError) {
        var resolved = path
        // The caller that has the file open knows its path without links. A link that has since appeared at the path
        // must not be followed.
        if case .file = destination {} else { resolved = try OpenFile.place(of: path, layer) }
        if case .nothing = destination, try OpenFile.status(at: resolved, layer) != nil { throw Self.isTaken(path) }
        let name = temporaryPath ?? "\(resolved).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
        let made: OpenFile
        do { made = try OpenFile(name, .createNew(permissions: permissions), layer: layer, name: path) } catch {
            throw FileFailure.error(error, name)
        }
        (self.path, self.destination, self.layer) = (resolved, destination, layer)
        (file, self.temporaryPath) = (made, name)
    }

    // An unpublished file is useless. If it cannot be removed, it does no harm.
    deinit { if !isPlaced { try? layer.remove(temporaryPath) } }

    /// Waits until the file is on the disk, and renames it. A power cut may lose the new name until the folder is
    /// synced.
    ///
    /// - Throws: `io` if another file has taken the path or the temporary path; errors of syncing and renaming.
    package mutating func takePlace() throws(StorageError) {
        try file.sync(.everything)
        guard try OpenFile.status(at: temporaryPath, layer)?.isSameFile(as: file.status()) == true else {
            throw StorageError(
                .io, "\(temporaryPath) was removed or replaced while it was written; nothing is changed.")
        }
        try checkDestination()
        do {
            if case .nothing = destination {
                try layer.rename(temporaryPath, to: path, replacing: false)
            } else {
                try layer.rename(temporaryPath, to: path, replacing: true)
            }
        } catch {
            throw error.isExistingFile ? Self.isTaken(path) : FileFailure.error(error, path)
        }
        isPlaced = true
    }

    private func checkDestination() throws(StorageError) {
        let found = try OpenFile.status(at: path, layer)
        switch destination {
        case .nothing: if found != nil { throw Self.isTaken(path) }
        case .anyFile: if found?.isRegular == false { throw Self.isTaken(path) }
        case .file(let expected): if found?.isSameFile(as: expected) != true { throw Self.isReplaced(path) }
        }
    }

    /// Renames the file, and waits until its name is on the disk.
    package consuming func publish() throws(StorageError) {
        try takePlace()
        try OpenFile.syncFolder(of: path, layer)
    }

    private static func isTaken(_ path: String) -> StorageError {
        StorageError(.io, "\(path) exists already; name another file, or allow replacing it.")
    }

    /// The error for an open file whose name now belongs to another file.
    package static func isReplaced(_ path: String) -> StorageError {
        StorageError(
            .io,
            "\(path) was removed, renamed or replaced while it was open, so nothing of this call is stored; put it back, or "
                + "close the store and open it again.")
    }
}
