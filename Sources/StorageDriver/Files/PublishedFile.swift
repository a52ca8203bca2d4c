/// A file that is made beside its place, and takes it when it is whole and on the disk: there is no other way by which this
/// package puts a file in the place of another.
package struct PublishedFile: ~Copyable {
    /// What may be at the place when the file takes it.
    package enum Place: Sendable {
        case nothing
        /// Nothing, or a file, which is replaced.
        case anyFile
        /// This file and no other: somebody else may have put his there meanwhile.
        case file(FileStatus)
    }

    /// The file that is written, beside its place.
    package let file: OpenFile
    /// Where it is written.
    package let temporaryPath: String
    private let path: String
    private let place: Place
    private let layer: any FileLayer
    private var isPlaced = false

    /// Makes the file.
    ///
    /// - Parameter temporaryPath: where, instead of at a name that nobody else has.
    /// - Throws: `io` where the place is taken, or there is something that is no file; what making it throws.
    package init(
        _ path: String, over place: Place, permissions: UInt32 = 0o644, at temporaryPath: String? = nil,
        layer: any FileLayer = SystemFileLayer()
    ) throws(StorageError) {
        var resolved = path
        // Who has a file open knows its path without links, and one that stands there by now is not to be followed.
        if case .file = place {} else { resolved = try OpenFile.place(of: path, layer) }
        if case .nothing = place, try OpenFile.status(at: resolved, layer) != nil { throw Self.isTaken(path) }
        let name = temporaryPath ?? "\(resolved).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
        let made: OpenFile
        do { made = try OpenFile(name, .createNew(permissions: permissions), layer, name: path) } catch {
            throw FileFailure.error(error, name)
        }
        (self.path, self.place, self.layer) = (resolved, place, layer)
        (file, self.temporaryPath) = (made, name)
    }

    // What is left of it is of no use; one that cannot be removed does no harm.
    deinit { if !isPlaced { try? layer.remove(temporaryPath) } }

    /// Waits until the file is on the disk, and gives it its name. The name may be lost in a power cut until the folder is
    /// synced.
    ///
    /// - Throws: `io` where the place, or the file's own, has been taken by another; what syncing and renaming throw.
    package mutating func takePlace() throws(StorageError) {
        try file.sync(.everything)
        guard try OpenFile.status(at: temporaryPath, layer)?.isSameFile(as: file.status()) == true else {
            throw StorageError(
                .io, "\(temporaryPath) was removed or replaced while it was written; nothing is changed.")
        }
        try checkPlace()
        do {
            if case .nothing = place {
                try layer.rename(temporaryPath, to: path, replacing: false)
            } else {
                try layer.rename(temporaryPath, to: path, replacing: true)
            }
        } catch {
            throw error.isExistingFile ? Self.isTaken(path) : FileFailure.error(error, path)
        }
        isPlaced = true
    }

    private func checkPlace() throws(StorageError) {
        let found = try OpenFile.status(at: path, layer)
        switch place {
        case .nothing: if found != nil { throw Self.isTaken(path) }
        case .anyFile: if found?.isRegular == false { throw Self.isTaken(path) }
        case .file(let expected): if found?.isSameFile(as: expected) != true { throw Self.isReplaced(path) }
        }
    }

    /// Puts the file in its place, and waits until its name is on the disk.
    package consuming func publish() throws(StorageError) {
        try takePlace()
        try OpenFile.syncFolder(of: path, layer)
    }

    private static func isTaken(_ path: String) -> StorageError {
        StorageError(.io, "\(path) is there already; name another file, or say that it may be replaced.")
    }

    /// The error where an open file is not the one of its name any more.
    package static func isReplaced(_ path: String) -> StorageError {
        StorageError(
            .io,
            "\(path) was removed, renamed or replaced while it was open, so nothing of this call is stored; put it back, or "
                + "close the store and open it again.")
    }
}
