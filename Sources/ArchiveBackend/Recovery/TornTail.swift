internal import Logging
internal import StorageDriver

/// Cuts a torn tail off a file that is open for writing, after copying it aside.
struct TornTailRemoval {
    let path: String
    let layer: any FileLayer
    let window: FileWindow

    private static let copiesKept = 1000

    /// Removes the bytes from the tail's offset on, and returns the tail with the name of its copy.
    func remove(_ tail: Recovery.TornTail, sequence: UInt64) throws(StorageError) -> Recovery.TornTail {
        var tail = tail
        if try !window.isZero(from: tail.offset) { tail.copy = try copy(from: tail.offset, sequence) }
        try window.file.truncate(to: tail.offset)
        try window.file.sync(.contents)
        try window.reload()
        return tail
    }

    private func copy(from offset: Int64, _ sequence: UInt64) throws(StorageError) -> String {
        let (copy, name) = try create(sequence)
        do {
            var place = offset
            while let bytes = try window.run(at: place, upTo: window.end) {
                try copy.write(at: place - offset, bytes)
                place += Int64(bytes.count)
            }
            try copy.sync(.everything)
            try OpenFile.syncFolder(of: path, layer)
        } catch {
            // The rest of the copy is of no use, and the tail is still in the file.
            try? layer.remove(name)
            throw error
        }
        return name
    }

    private func create(_ sequence: UInt64) throws(StorageError) -> (OpenFile, String) {
        let first = "\(path).torn-\(sequence)"
        let permissions = try window.file.status().permissions
        for name in [first] + (2...Self.copiesKept).map({ "\(first)-\($0)" }) {
            do { return (try OpenFile(name, .createNew(permissions: permissions), layer: layer), name) } catch {
                guard error.isExistingFile else { throw FileFailure.error(error, name) }
            }
        }
        throw StorageError(.io, "There are \(Self.copiesKept) files \(first)-…; look into them and move them away.")
    }
}
